package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// histogram has the cumulative counts of a Prometheus histogram by upper bound, in order, all series
// of the metric added up.
type histogram []bucket

type bucket struct{ le, count float64 }

// readHistogram finds the histogram of that name in a page of metrics; a missing one is an error.
func readHistogram(page io.Reader, name string) (histogram, error) {
	counts := map[float64]float64{}
	lines := bufio.NewScanner(page)
	for lines.Scan() {
		labels, found := strings.CutPrefix(lines.Text(), name+"_bucket{")
		if !found {
			continue
		}
		_, rest, _ := strings.Cut(labels, `le="`)
		bound, _, _ := strings.Cut(rest, `"`)
		le, err := strconv.ParseFloat(bound, 64) // takes +Inf
		if err != nil {
			return nil, fmt.Errorf("metric %s: bound %q", name, bound)
		}
		value := labels[strings.LastIndex(labels, " ")+1:]
		count, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("metric %s: value %q", name, value)
		}
		counts[le] += count
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(counts) == 0 {
		return nil, fmt.Errorf("no metric %s", name)
	}
	var h histogram
	for le, count := range counts {
		h = append(h, bucket{le, count})
	}
	slices.SortFunc(h, func(a, b bucket) int { return cmp.Compare(a.le, b.le) })
	return h, nil
}

// minus is what was counted since an earlier time; nothing was counted before if that is empty.
func (h histogram) minus(earlier histogram) histogram {
	since := slices.Clone(h)
	for i := range min(len(earlier), len(since)) {
		since[i].count -= earlier[i].count
	}
	return since
}

func (h histogram) count() float64 {
	if len(h) == 0 {
		return 0
	}
	return h[len(h)-1].count
}

// quantile is the value below which a share q of all lies, evenly spread within a bucket; +Inf where
// it lies beyond the last bound.
func (h histogram) quantile(q float64) float64 {
	rank, before, lower := q*h.count(), 0.0, 0.0
	for _, b := range h {
		if b.count >= rank && b.count > before {
			if math.IsInf(b.le, 1) {
				return b.le
			}
			return lower + (b.le-lower)*(rank-before)/(b.count-before)
		}
		before, lower = b.count, b.le
	}
	return math.Inf(1)
}
