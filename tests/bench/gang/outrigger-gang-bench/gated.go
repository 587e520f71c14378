package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// gated is single pods that arrive, alone and then beside members that wait with the gate: for a pool of nodes that one
// gang fills.
type gated struct {
	modes                   []*mode
	nodes, singles, clients int
	pool                    int           // nodes of the pool, as many as one gang needs
	waiting                 int           // gangs
	pause                   time.Duration // before each crowd of singles
	few                     int           // singles that come one by one, then
	each                    time.Duration // one of them
}

const poolName = "taken"

// size is that of a gang.
func (g gated) size() int { return g.pool * slots }

// gatedWay is one mode, and what single pods took in it.
type gatedWay struct {
	beside       *mode
	alone, among burst
}

// burst is what the same single pods took, by round.
type burst struct {
	seconds   []float64 // from the first creation to the last binding
	scheduler []float64 // ms of processor time for each bound pod
	agent     []float64 // likewise
	waits     []float64 // of single pods that come one by one: s from creation to binding
}

func (g gated) ways() (ways []*gatedWay) {
	for _, m := range g.modes {
		ways = append(ways, &gatedWay{beside: m})
	}
	return ways
}

func (g gated) measure(ctx context.Context, binary string, way *gatedWay) error {
	s, err := newStage(ctx, binary, g.nodes, way.beside)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.createNodes("pool", g.pool, poolName); err != nil {
		return err
	}
	if err := s.startScheduler(); err != nil {
		return err
	}
	if err := s.createPoolGangs(g, 0, 1); err != nil {
		return err
	}
	if _, err := s.untilBound(g.size()); err != nil {
		return err
	}
	// Neither of those that count is the first.
	if err := s.bindBurst(g, "first", &burst{}); err != nil {
		return err
	}
	if err := s.bindBurst(g, "alone", &way.alone); err != nil {
		return err
	}
	if err := s.createPoolGangs(g, 1, g.waiting); err != nil {
		return err
	}
	if err := s.untilUnschedulable(way.beside.refused(g.waiting, g.size())); err != nil {
		return err
	}
	return s.bindBurst(g, "among", &way.among)
}

// createPoolGangs creates gangs that want the pool, from a number on.
func (s *stage) createPoolGangs(g gated, first, count int) error {
	return s.inParallel(20, count*g.size(), func(i int) error {
		gang := gangName(first + i/g.size())
		return s.createPod(s.beside.member(gang, i%g.size(), g.size()).NodeSelector(poolLabel, poolName))
	})
}

// bindBurst creates single pods, waits until they are bound, and deletes them.
func (s *stage) bindBurst(g gated, name string, to *burst) error {
	settle(s.ctx, g.pause)
	before, err := s.effort()
	if err != nil {
		return err
	}
	bound, began := s.tracker.BindingCount(), time.Now()
	err = s.inParallel(g.clients, g.singles, func(i int) error { return s.createPod(single(name, i)) })
	if err != nil {
		return err
	}
	last, err := s.untilBound(bound + g.singles)
	if err != nil {
		return err
	}
	after, err := s.effort()
	if err != nil {
		return err
	}
	spent, pods := after.since(before), float64(g.singles)
	to.seconds = append(to.seconds, last.Sub(began).Seconds())
	to.scheduler = append(to.scheduler, 1000*spent.scheduler/pods)
	to.agent = append(to.agent, 1000*spent.agent/pods)
	if err := s.bindOneByOne(g, name+"-few", to); err != nil {
		return err
	}
	return s.inParallel(g.clients, g.singles, func(i int) error { return s.deletePod(memberName(name, i)) })
}

// bindOneByOne creates single pods at a steady rate, and deletes them once all are bound.
func (s *stage) bindOneByOne(g gated, name string, to *burst) error {
	bound, created := s.tracker.BindingCount(), map[string]time.Time{}
	for i := range g.few {
		settle(s.ctx, g.each)
		created[memberName(name, i)] = time.Now()
		if err := s.createPod(single(name, i)); err != nil {
			return err
		}
	}
	if _, err := s.untilBound(bound + g.few); err != nil {
		return err
	}
	for _, binding := range s.tracker.Bindings()[bound:] {
		to.waits = append(to.waits, binding.At.Sub(created[binding.Name]).Seconds())
	}
	return s.inParallel(g.clients, g.few, func(i int) error { return s.deletePod(memberName(name, i)) })
}

// gatedPart measures it in each mode with gates.
type gatedPart struct {
	gated
	ways  []*gatedWay
	count int
}

func (p *gatedPart) rounds() int { return p.count }

func (p *gatedPart) measure(ctx context.Context, binary string) error {
	for _, way := range p.ways {
		if err := p.gated.measure(ctx, binary, way); err != nil {
			return fmt.Errorf("singles beside gated members, %s: %w", way.beside.name, err)
		}
		at := len(way.alone.seconds) - 1
		fmt.Fprintf(os.Stderr, "%s: %d singles in %.2f s alone, %.2f s beside %d gated members; scheduler %.2f and %.2f ms each, "+
			"one by one %.3f and %.3f s\n",
			way.beside.name, p.singles, way.alone.seconds[at], way.among.seconds[at], p.waiting*p.size(),
			way.alone.scheduler[at], way.among.scheduler[at], median(way.alone.waits), median(way.among.waits))
	}
	return nil
}

func (p *gatedPart) tables() []sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("%d single pods on %d nodes, alone and beside %d gated members: s until all are bound; processor time "+
			"in ms for each; and s from creation to binding of %d that come every %v", p.singles, p.nodes, p.waiting*p.size(), p.few,
			p.each),
		Header: []string{"", "alone", "beside", "to alone", "scheduler alone", "beside", "agent alone", "beside", "one by one alone",
			"beside", "to alone"},
	}
	for _, way := range p.ways {
		alone, among := median(way.alone.seconds), median(way.among.seconds)
		wait, waitAmong := median(way.alone.waits), median(way.among.waits)
		table.Rows = append(table.Rows, append([]string{way.beside.name}, sheet.Shorts(alone, among, among/alone,
			median(way.alone.scheduler), median(way.among.scheduler), median(way.alone.agent), median(way.among.agent),
			wait, waitAmong, waitAmong/wait)...))
	}
	return []sheet.Table{table}
}

func (p *gatedPart) verdicts() []sheet.Verdict {
	var targets []sheet.Target[*gatedPart]
	for _, way := range p.ways {
		targets = append(targets, sheet.Target[*gatedPart]{
			What: fmt.Sprintf("%s, single pods at once beside %d gated members, to the same alone", way.beside.name,
				p.waiting*p.size()), AtMost: 1.2,
			Figure: func(*gatedPart) (float64, bool) {
				return median(way.among.seconds) / median(way.alone.seconds), len(way.among.seconds) > 0
			}}, sheet.Target[*gatedPart]{
			What: fmt.Sprintf("%s, single pods one by one beside %d gated members, to the same alone", way.beside.name,
				p.waiting*p.size()), AtMost: 1.2,
			Figure: func(*gatedPart) (float64, bool) {
				return median(way.among.waits) / median(way.alone.waits), len(way.among.waits) > 0
			}})
	}
	return sheet.Judge(targets, p)
}
