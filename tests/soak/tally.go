package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// kindOf is a row of the table.
type kindOf struct{ target, name string }

// row counts one kind of traffic.
type row struct {
	calls, lost int
	times       []time.Duration // empty for traffic whose time means nothing
}

// tally counts everything and keeps what must not be. Safe for concurrent use.
type tally struct {
	mutex      sync.Mutex
	rows       map[kindOf]*row
	violations map[string]int
	first      []string // violations, in order of appearance
	kept       []*conn  // see keep
}

func newTally() *tally {
	return &tally{rows: map[kindOf]*row{}, violations: map[string]int{}}
}

// violation keeps what must not be.
func (t *tally) violation(format string, args ...any) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	text := fmt.Sprintf(format, args...)
	if t.violations[text]++; t.violations[text] == 1 {
		t.first = append(t.first, text)
	}
}

// count books one exchange: took 0 for one whose time means nothing.
func (t *tally) count(target *target, kind string, took time.Duration, err error) {
	t.mutex.Lock()
	r := t.rows[kindOf{target.name, kind}]
	if r == nil {
		r = &row{}
		t.rows[kindOf{target.name, kind}] = r
	}
	lost := errors.Is(err, errLost)
	if lost {
		r.lost++
	} else {
		r.calls++
	}
	if err == nil && took > 0 {
		r.times = append(r.times, took)
	}
	t.mutex.Unlock()
	if err != nil && !lost {
		t.violation("%s, %s: %v", target.name, kind, err)
	}
}

// quantile is nearest rank in a copy, 0 of none.
func quantile(times []time.Duration, percent int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[max((len(sorted)*percent+99)/100-1, 0)]
}

// timesOf are the times of all rows whose name is one of names.
func (t *tally) timesOf(names ...string) (all []time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for kind, r := range t.rows {
		if slices.Contains(names, kind.name) {
			all = append(all, r.times...)
		}
	}
	return all
}

func (t *tally) print(out io.Writer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	kinds := make([]kindOf, 0, len(t.rows))
	for kind := range t.rows {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b kindOf) int {
		switch {
		case a.target+a.name < b.target+b.name:
			return -1
		default:
			return 1
		}
	})
	fmt.Fprintf(out, "%-6s %-34s %8s %6s %9s %9s\n", "server", "traffic", "count", "lost", "p50 ms", "p99 ms")
	for _, kind := range kinds {
		r := t.rows[kind]
		fmt.Fprintf(out, "%-6s %-34s %8d %6d %9s %9s\n", kind.target, kind.name, r.calls, r.lost,
			milliseconds(quantile(r.times, 50)), milliseconds(quantile(r.times, 99)))
	}
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000)
}

// keep keeps connections from the garbage collector, which would close them.
func (t *tally) keep(open []*conn) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.kept = append(t.kept, open...)
}
