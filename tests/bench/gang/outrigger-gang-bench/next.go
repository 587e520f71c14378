package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/kube"
)

// next is a cluster that gangs fill, of which others wait; running gangs end one by one.
type next struct {
	modes       []*mode
	nodes, size int
	waiting     int           // gangs
	ends        int           // of running ones
	pause       time.Duration // after each, until none that was refused backs off
}

// nextWay is one mode, and what was measured of it.
type nextWay struct {
	beside *mode
	atMost float64 // s until the next gang is whole, the median; 0: it is not judged
	taken  []taken
	cpu    []float64 // s of the scheduler for each gang that ended, by round
}

// taken is when the places of a gang that ends were those of the next one: s from the first delete.
type taken struct {
	deleted   float64 // the last delete was answered
	nominated float64 // all of the next gang were; less than 0: they had been before
	released  float64 // the last gate was gone; 0: without gates
	whole     float64 // the last was bound
}

func (w *nextWay) each(of func(taken) float64) (all []float64) {
	for _, one := range w.taken {
		all = append(all, of(one))
	}
	return all
}

func wholeOf(t taken) float64 { return t.whole }

func (n next) ways() (ways []*nextWay) {
	for _, m := range n.modes {
		way := &nextWay{beside: m}
		// Without gates each pod that ends wakes all pods that wait.
		if m.gated {
			way.atMost = 0.5
		}
		ways = append(ways, way)
	}
	return ways
}

func (n next) measure(ctx context.Context, binary string, way *nextWay) error {
	s, err := newStage(ctx, binary, n.nodes, way.beside)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	running := n.nodes * slots / n.size
	if err := s.createGangs(20, running, n.size, true); err != nil {
		return err
	}
	if _, err := s.untilBound(running * n.size); err != nil {
		return err
	}
	if err := s.createGangsFrom(running, 20, n.waiting, n.size, true); err != nil {
		return err
	}
	if err := s.untilUnschedulable(way.beside.refused(n.waiting, n.size)); err != nil {
		return err
	}
	settle(ctx, n.pause)
	before, err := s.effort()
	if err != nil {
		return err
	}
	for g := range n.ends {
		one, err := s.endGang(gangName(g), n.size)
		if err != nil {
			return err
		}
		way.taken = append(way.taken, one)
		settle(ctx, n.pause)
	}
	after, err := s.effort()
	way.cpu = append(way.cpu, after.since(before).scheduler/float64(n.ends))
	return err
}

// endGang ends a running gang, and returns when another one had its places.
func (s *stage) endGang(gang string, size int) (one taken, err error) {
	bound, began := s.tracker.BindingCount(), time.Now()
	if err := s.inParallel(20, size, func(i int) error { return s.deletePod(memberName(gang, i)) }); err != nil {
		return one, err
	}
	one.deleted = time.Since(began).Seconds()
	last, err := s.untilBound(bound + size)
	if err != nil {
		return one, err
	}
	one.whole = last.Sub(began).Seconds()
	gangs := map[string]int{}
	var nominated, released time.Time
	for _, binding := range s.tracker.Bindings()[bound:] {
		gangs[gangOfMember(binding.Name)]++
		steps := s.tracker.Steps(binding.UID)
		nominated, released = later(nominated, steps.Nominated), later(released, steps.Released)
	}
	if len(gangs) != 1 {
		return one, fmt.Errorf("places of one gang are taken by %v", gangs)
	}
	one.nominated, one.released = since(began, nominated), since(began, released)
	return one, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// since is 0 for what has not been.
func since(began, at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return at.Sub(began).Seconds()
}

func (s *stage) untilUnschedulable(count int) error {
	return s.untilSome(func() bool {
		refused := 0
		for _, pod := range s.tracker.Pods() {
			if kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable {
				refused++
			}
		}
		return refused >= count
	})
}

// nextPart measures it in each mode.
type nextPart struct {
	next
	ways  []*nextWay
	count int
}

func (p *nextPart) rounds() int { return p.count }

func (p *nextPart) measure(ctx context.Context, binary string) error {
	for _, way := range p.ways {
		if err := p.next.measure(ctx, binary, way); err != nil {
			return fmt.Errorf("next gang, %s: %w", way.beside.name, err)
		}
		of := way.taken[len(way.taken)-p.ends:]
		fmt.Fprintf(os.Stderr, "%s: next gangs of %d {deleted, nominated, released, whole} after %.2f s\n", way.beside.name, p.size, of)
	}
	return nil
}

func (p *nextPart) tables() []sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("Gangs of %d fill %d nodes, %d pods wait in %d of them; one ends: s until the next is whole",
			p.size, p.nodes, p.waiting*p.size, p.waiting),
		Header: []string{"", "median", "longest", "deleted after", "nominated", "released", "scheduler's processor time, s"},
	}
	for _, way := range p.ways {
		table.Rows = append(table.Rows, append([]string{way.beside.name},
			sheet.Shorts(median(way.each(wholeOf)), longest(way.each(wholeOf)),
				median(way.each(func(t taken) float64 { return t.deleted })),
				median(way.each(func(t taken) float64 { return t.nominated })),
				median(way.each(func(t taken) float64 { return t.released })), median(way.cpu))...))
	}
	return []sheet.Table{table}
}

func (p *nextPart) verdicts() []sheet.Verdict {
	var targets []sheet.Target[*nextPart]
	for _, way := range p.ways {
		if way.atMost == 0 {
			continue
		}
		targets = append(targets, sheet.Target[*nextPart]{
			What:   fmt.Sprintf("%s, next gang of %d whole while %d pods wait, s, median", way.beside.name, p.size, p.waiting*p.size),
			AtMost: way.atMost,
			Figure: func(*nextPart) (float64, bool) { return median(way.each(wholeOf)), len(way.taken) > 0 },
		})
	}
	return sheet.Judge(targets, p)
}
