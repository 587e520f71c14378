package scheduling

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Within prints how long something took that is over now, and fails the test if that was too long. Too long is more than
// what is asked of a quiet machine, times ten, times how busy the machine was meanwhile. OUTRIGGER_SLACK is a factor in
// the place of both, to judge the program on a quiet machine.
func (w *World) Within(asked time.Duration, what string, took time.Duration) {
	w.Helper()
	busy := machine.since(time.Now().Add(-took))
	w.Logf("%s after %.2f s; %.1f threads for a processor", what, took.Seconds(), busy)
	limit := time.Duration(float64(asked) * slack(w, 10*busy))
	if took > limit {
		w.Errorf("%s after %.2f s, want %.1f s at most", what, took.Seconds(), limit.Seconds())
	}
}

// WithinCPU is Within for processor time, which does not depend on what else runs.
func (w *World) WithinCPU(asked time.Duration, what string, used time.Duration) {
	w.Helper()
	w.Logf("%s: %.2f s of processor time", what, used.Seconds())
	if limit := time.Duration(float64(asked) * slack(w, 10)); used > limit {
		w.Errorf("%s: %.2f s of processor time, want %.1f s at most", what, used.Seconds(), limit.Seconds())
	}
}

// slack is the factor that the environment gives, or else that one.
func slack(t testing.TB, otherwise float64) float64 {
	text := os.Getenv("OUTRIGGER_SLACK")
	if text == "" {
		return otherwise
	}
	factor, err := strconv.ParseFloat(text, 64)
	if err != nil || factor <= 0 {
		t.Fatalf("OUTRIGGER_SLACK is %q: a number above 0 is accepted", text)
	}
	return factor
}
