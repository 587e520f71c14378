package replay

import (
	"slices"
	"time"
)

// Summary describes the times of calls of one kind.
type Summary struct {
	Calls  int
	Median time.Duration
	P99    time.Duration // nearest rank: the slowest call when there are fewer than 100
	Min    time.Duration
}

// Summarize orders times in place. No times, zero Summary.
func Summarize(times []time.Duration) Summary {
	n := len(times)
	if n == 0 {
		return Summary{}
	}
	slices.Sort(times)
	return Summary{
		Calls:  n,
		Median: (times[(n-1)/2] + times[n/2]) / 2,
		P99:    times[(n*99+99)/100-1],
		Min:    times[0],
	}
}
