package main

import (
	"context"
	"fmt"
	"os"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// held is what is measured of the queue: single pods that the agents gang and qos hold until it is their turn.
type held struct {
	crowd   crowd
	freeing freeing
	// short leaves out the backlog, and freed places next to an extender that does nothing.
	short bool
}

// heldReport is what was measured of it.
type heldReport struct {
	crowd   []*crowdWay
	passing freed
	held    freed
}

func newHeldWays(short bool) []*crowdWay {
	ways := []*crowdWay{
		{beside: nothingBeside},
		{beside: queueAgents},
		{beside: nothingBeside, backlog: true},
		{beside: queueAgents, backlog: true},
	}
	if short {
		return ways[:2]
	}
	return ways
}

// freedWay is next to what places become free.
type freedWay struct {
	beside *mode
	to     *freed
}

func (h held) freedWays(r *heldReport) []freedWay {
	ways := []freedWay{{queueAgents, &r.held}, {nothingBeside, &r.passing}}
	if h.short {
		return ways[:1]
	}
	return ways
}

// measure does all of it so many times, each way in turn.
func (h held) measure(ctx context.Context, binary string, rounds int) (*heldReport, error) {
	r := &heldReport{crowd: newHeldWays(h.short)}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d\n", round+1)
		if err := h.crowd.measure(ctx, binary, r.crowd); err != nil {
			return nil, err
		}
		for _, way := range h.freedWays(r) {
			if err := h.freeing.measure(ctx, binary, way.beside, way.to); err != nil {
				return nil, err
			}
			fmt.Fprintln(os.Stderr, way.to.last(way.beside))
		}
	}
	return r, nil
}

// toPassing is how many times as long as next to an extender that does nothing, by medians.
func (r *heldReport) toPassing(row int) float64 {
	return median(r.crowd[row+1].seconds) / median(r.crowd[row].seconds)
}

func (h held) targets() []sheet.Target[*heldReport] {
	toPassing := func(row int) func(*heldReport) (float64, bool) {
		return func(r *heldReport) (float64, bool) {
			if row >= len(r.crowd) {
				return 0, false
			}
			return r.toPassing(row), true
		}
	}
	return []sheet.Target[*heldReport]{
		{What: "pods of the queue that arrive, to an extender that does nothing", AtMost: 1.3, Figure: toPassing(0)},
		{What: "pods of the queue in a backlog, to an extender that does nothing", AtMost: 1.3, Figure: toPassing(2)},
		{What: "freed places that the first of the queue got, of all", AtLeast: 1, AtMost: 1,
			Figure: func(r *heldReport) (float64, bool) { return r.held.share(), len(r.held.seconds) > 0 }},
	}
}

func (h held) section(o options, r *heldReport) sheet.Section {
	table := sheet.Table{
		Title:  fmt.Sprintf("%d single pods on %d nodes, seconds until all are bound", h.crowd.pods(), h.crowd.nodes),
		Header: []string{"", "passing", "held", "to passing", "held, pods/s"},
	}
	for row := 0; row < len(r.crowd); row += 2 {
		what := []string{"arriving", "backlog"}[row/2]
		passing, held := median(r.crowd[row].seconds), median(r.crowd[row+1].seconds)
		table.Rows = append(table.Rows, append([]string{what},
			sheet.Shorts(passing, held, r.toPassing(row), float64(h.crowd.pods())/held)...))
	}
	return sheet.Section{
		Heading: "The queue",
		Text: fmt.Sprintf("Median of %d rounds in turns, each on a control plane of its own. Held is next to gang and qos in one "+
			"process, passing next to an extender that does nothing. Load before: %s.", o.rounds, sheet.Load()),
		Tables:  []sheet.Table{table, effortTable(h.crowd.pods(), r.crowd), h.freeing.table(h.freedWays(r))},
		Targets: sheet.Judge(h.targets(), r),
	}
}
