package scheduling

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Within prints how long something took, and fails the test beyond what is asked of a quiet machine, times
// ten; OUTRIGGER_SLACK is another factor, for who judges.
func (w *World) Within(asked time.Duration, what string, took time.Duration) {
	w.Helper()
	w.Logf("%s after %.2f s", what, took.Seconds())
	limit := time.Duration(float64(asked) * slack(w))
	if took > limit {
		w.Errorf("%s after %.2f s, want %.1f s at most", what, took.Seconds(), limit.Seconds())
	}
}

func slack(t testing.TB) float64 {
	text := os.Getenv("OUTRIGGER_SLACK")
	if text == "" {
		return 10
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || factor <= 0 {
		t.Fatalf("OUTRIGGER_SLACK is %q: a number above 0 is accepted", text)
	}
	return factor
}
