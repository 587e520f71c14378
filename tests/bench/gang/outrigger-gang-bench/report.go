package main

import (
	"context"
	"fmt"
	"slices"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// report is what was measured.
type report struct {
	crowd  []*crowdRow
	whole  int       // gangs of the queue that are whole
	cpu    float64   // of scheduler and agent while nothing changes, in cores
	writes int       // of conditions of waiting pods while nothing changes
	freed  []float64 // seconds until a freed place is taken by a whole gang
}

func measure(ctx context.Context, o options) (*report, error) {
	r := &report{crowd: newCrowdRows()}
	if err := o.crowd.measure(ctx, o.outrigger, o.rounds, r.crowd); err != nil {
		return nil, err
	}
	return r, o.queue.measure(ctx, o.outrigger, r)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func (r *report) targets(o options) []sheet.Target[*report] {
	ratio := func(row int) func(*report) (float64, bool) {
		return func(r *report) (float64, bool) {
			plain, gangs := r.crowd[row].seconds, r.crowd[row+1].seconds
			return median(gangs) / median(plain), len(plain) > 0
		}
	}
	return []sheet.Target[*report]{
		{What: "gangs that arrive, to the plain scheduler", AtMost: 1.6,
			Figure: ratio(0)},
		{What: "gangs in a backlog, to the plain scheduler", AtMost: 1.6,
			Figure: ratio(2)},
		{What: "gangs that are whole, of those that there is room for", AtLeast: 1, AtMost: 1,
			Figure: func(r *report) (float64, bool) { return float64(r.whole) / float64(o.queue.room), true }},
		{What: "cores of scheduler and agent while gangs wait", AtMost: 0.02,
			Figure: func(r *report) (float64, bool) { return r.cpu, true }},
		{What: "writes of conditions while nothing changes, a waiting pod", AtMost: 2,
			Figure: func(r *report) (float64, bool) {
				return float64(r.writes) / float64(slots*(o.queue.gangs-o.queue.room)), true
			}},
		{What: "s until a freed place is taken, median", AtMost: 1,
			Figure: func(r *report) (float64, bool) { return median(r.freed), len(r.freed) > 0 }},
		{What: "s until a freed place is taken, longest", AtMost: 3,
			Figure: func(r *report) (float64, bool) { return slices.Max(append(r.freed, 0)), len(r.freed) > 0 }},
	}
}

func (r *report) section(o options) sheet.Section {
	table := sheet.Table{
		Title:  fmt.Sprintf("%d pods in %d gangs on %d nodes, seconds until all are bound", o.crowd.pods(), o.crowd.gangs, o.crowd.nodes),
		Header: []string{"", "plain", "gangs", "ratio", "gangs, pods/s"},
	}
	for i, what := range []string{"arriving", "backlog"} {
		plain, gangs := median(r.crowd[2*i].seconds), median(r.crowd[2*i+1].seconds)
		table.Rows = append(table.Rows, append([]string{what},
			sheet.Shorts(plain, gangs, gangs/plain, float64(o.crowd.pods())/gangs)...))
	}
	return sheet.Section{
		Heading: "Gangs",
		Text:    fmt.Sprintf("Median of %d rounds in turns, each on a control plane of its own. Load before: %s.", o.rounds, sheet.Load()),
		Tables:  []sheet.Table{table, effortTable(o.crowd.pods(), r.crowd)},
		Targets: sheet.Judge(r.targets(o), r),
	}
}
