package scheduling

import (
	"math"
	"testing"
	"time"
)

func TestBusynessIsTheMeanOfTheTimeThatWasAsked(t *testing.T) {
	start := time.Now()
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	b := &busyness{}
	if have := b.since(at(-1)); have != 1 {
		t.Errorf("without a sample %v, want 1", have)
	}
	for _, sample := range []struct{ at, threads float64 }{{0, 9}, {1, 1}, {2, 3}, {4, 6}} {
		b.add(at(sample.at), sample.threads)
	}
	for _, row := range []struct{ began, want float64 }{
		{-5, 4}, // (1*1 + 1*3 + 2*6) / 4
		{0, 4},
		{1, 5},
		{2.5, 6},
		{9, 6}, // not over yet: the last sample
	} {
		if have := b.since(at(row.began)); math.Abs(have-row.want) > 1e-9 {
			t.Errorf("since %v it is %v, want %v", row.began, have, row.want)
		}
	}
}

func TestThreadsThatShareAProcessor(t *testing.T) {
	for _, row := range []struct {
		running, processors int
		want                float64
	}{{1, 2, 1}, {2, 2, 1}, {6, 2, 3}, {3, 4, 1}} {
		if have := threadsForOne(row.running, row.processors); have != row.want {
			t.Errorf("%d threads on %d processors: %v, want %v", row.running, row.processors, have, row.want)
		}
	}
	if running, err := runningThreads(); err != nil || running < 1 {
		t.Errorf("%d threads run: %v", running, err)
	}
}
