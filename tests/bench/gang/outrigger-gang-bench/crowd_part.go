package main

import (
	"context"
	"fmt"
	"slices"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// crowdPart measures rows of one crowd: singles and gangs.
type crowdPart struct {
	crowd
	rows  chosen
	ways  []*crowdWay
	count int
}

// crowdLimit is how many times as long as on stock a crowd may take.
type crowdLimit struct {
	beside  *mode
	grouped bool
	backlog bool
	atMost  float64
}

// What each row is held against.
var (
	singlesLimits = []crowdLimit{
		{beside: membersOnly, atMost: 1.15},
		{beside: allAsked, atMost: 2.1},
		{beside: alone, atMost: 1.05},
	}
	gangsLimits = []crowdLimit{
		{beside: allAsked, grouped: true, atMost: 1.3},
		{beside: membersOnlyGated, grouped: true, atMost: 1.6},
		{beside: alone, grouped: true, atMost: 1.6},
		{beside: allAsked, grouped: true, backlog: true, atMost: 1.2},
		{beside: membersOnlyGated, grouped: true, backlog: true, atMost: 1.3},
		{beside: alone, grouped: true, backlog: true, atMost: 1.3},
	}
)

func (p *crowdPart) rounds() int { return p.count }

func (p *crowdPart) measure(ctx context.Context, binary string) error {
	return p.crowd.measure(ctx, binary, p.ways)
}

// way is nil where it was not asked for.
func (p *crowdPart) way(m *mode, grouped, backlog bool) *crowdWay {
	at := slices.IndexFunc(p.ways, func(w *crowdWay) bool { return w.is(m, grouped, backlog) })
	if at < 0 {
		return nil
	}
	return p.ways[at]
}

// ratio is how many times as long one way takes as the other, by medians.
func ratio(way, to *crowdWay) (float64, bool) {
	if way == nil || to == nil || len(to.seconds) == 0 {
		return 0, false
	}
	return median(way.seconds) / median(to.seconds), true
}

func (p *crowdPart) tables() []sheet.Table {
	table := sheet.Table{
		Title:  fmt.Sprintf("%d pods on %d nodes, gangs of %d, s until all are bound", p.pods(), p.nodes, p.size),
		Header: []string{"", "s", "pods/s", "to stock", "longest in part, s"},
	}
	for _, way := range p.ways {
		took := median(way.seconds)
		toStock, _ := ratio(way, p.way(stock, false, way.backlog))
		cells := sheet.Shorts(took, float64(p.pods())/took, toStock)
		inPart := ""
		if way.grouped {
			inPart = sheet.Short(median(way.inPart))
		}
		table.Rows = append(table.Rows, slices.Concat([]string{way.String()}, cells, []string{inPart}))
	}
	return []sheet.Table{table, effortTable(p.pods(), p.ways)}
}

func (p *crowdPart) verdicts() []sheet.Verdict {
	var targets []sheet.Target[*crowdPart]
	if p.rows.has("singles") {
		targets = append(targets, p.limitTargets(singlesLimits)...)
	}
	if p.rows.has("gangs") {
		targets = append(targets, p.limitTargets(gangsLimits)...)
		targets = append(targets, p.inPartTargets()...)
	}
	return sheet.Judge(targets, p)
}

func (p *crowdPart) limitTargets(limits []crowdLimit) (targets []sheet.Target[*crowdPart]) {
	for _, limit := range limits {
		way := crowdWay{beside: limit.beside, grouped: limit.grouped, backlog: limit.backlog}
		targets = append(targets, sheet.Target[*crowdPart]{What: fmt.Sprintf("%d nodes, %v, to the same pods on stock", p.nodes, &way),
			AtMost: limit.atMost, Figure: func(p *crowdPart) (float64, bool) {
				return ratio(p.way(limit.beside, limit.grouped, limit.backlog), p.way(stock, false, limit.backlog))
			}})
	}
	return targets
}

// inPartTargets are of modes with a barrier: without an extender bindings are one by one.
func (p *crowdPart) inPartTargets() (targets []sheet.Target[*crowdPart]) {
	for _, m := range gangModes {
		if m.extender == noExtender {
			continue
		}
		// Of one round a machine that is busy for a moment decides.
		targets = append(targets, sheet.Target[*crowdPart]{
			What: fmt.Sprintf("%d nodes, %s", p.nodes, m.name) + ", s that a gang is bound in part, the longest of a round, median", AtMost: 1,
			Figure: func(p *crowdPart) (float64, bool) {
				arriving, backlog := p.way(m, true, false), p.way(m, true, true)
				return max(median(arriving.inPart), median(backlog.inPart)), len(arriving.inPart) > 0
			}})
	}
	return targets
}
