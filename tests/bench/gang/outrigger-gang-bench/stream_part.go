package main

import (
	"context"
	"fmt"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// streamPart measures how long gangs wait next to a stream of single pods.
type streamPart struct {
	stream
	ways  []*streamWay
	count int
}

func (p *streamPart) rounds() int { return p.count }

func (p *streamPart) measure(ctx context.Context, binary string) error {
	return p.stream.measure(ctx, binary, p.ways)
}

func (p *streamPart) tables() []sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("%d gangs of %d, one after another, beside a stream of single pods of %.0f s on %d places, "+
			"reserve-after %.0f s: s until a gang is whole", p.gangs, p.size, p.lasts.Seconds(), p.nodes*slots, p.reserveAfter.Seconds()),
		Header: []string{"", "median", "longest", "rounds given up", "single pods/s meanwhile"},
	}
	for _, way := range p.ways {
		table.Rows = append(table.Rows, append([]string{way.beside.name},
			sheet.Shorts(median(way.seconds), longest(way.seconds), float64(way.late), median(way.singles))...))
	}
	return []sheet.Table{table}
}

func (p *streamPart) verdicts() []sheet.Verdict {
	var targets []sheet.Target[*streamPart]
	for _, way := range p.ways {
		if !way.beside.gated {
			continue // the scheduler clears nominations of what may preempt
		}
		targets = append(targets, sheet.Target[*streamPart]{
			What: way.beside.name + ", the next gang next to a stream of single pods, longest, s", AtMost: 5,
			Figure: func(*streamPart) (float64, bool) { return longest(way.seconds), len(way.seconds) > 0 }})
	}
	return sheet.Judge(targets, p)
}
