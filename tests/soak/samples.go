package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// samples are what a server held from moment to moment in one life.
type samples struct {
	resident    []int64 // bytes
	descriptors []int64
}

const sampleGap = 100 * time.Millisecond

// sample looks until the phase ends, from warmUp on.
func sample(ctx context.Context, t *target, counts *tally, warmUp time.Duration) *samples {
	s := &samples{}
	if !pause(ctx, warmUp) {
		return s
	}
	for pause(ctx, sampleGap) {
		resident, err := t.resident()
		if err == nil {
			var open int
			open, err = t.descriptors()
			s.resident = append(s.resident, resident)
			s.descriptors = append(s.descriptors, int64(open))
		}
		if err != nil {
			counts.violation("%s: %v", t.name, err)
			return s
		}
	}
	return s
}

// growth compares the medians of the first and the last third.
func growth(values []int64) (first, last int64, err error) {
	third := len(values) / 3
	if third < 5 {
		return 0, 0, fmt.Errorf("%d samples are too few", len(values))
	}
	return median(values[:third]), median(values[len(values)-third:]), nil
}

func median(values []int64) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// flat says whether what grew from first to last is more than chance.
func flat(first, last, slack int64) bool { return last <= first+first/10+slack }
