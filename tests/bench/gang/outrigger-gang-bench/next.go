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

// nextWay is one mode, and the s from the first delete of a running gang's pods until the next gang is whole.
type nextWay struct {
	beside  *mode
	atMost  float64 // the median; 0: it is not judged
	seconds []float64
	cpu     []float64 // s of the scheduler for each gang that ended, by round
}

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
	if err := s.untilUnschedulable(n.refused(way.beside)); err != nil {
		return err
	}
	settle(ctx, n.pause)
	before, err := s.effort()
	if err != nil {
		return err
	}
	for g := range n.ends {
		took, err := s.endGang(gangName(g), n.size)
		if err != nil {
			return err
		}
		way.seconds = append(way.seconds, took)
		settle(ctx, n.pause)
	}
	after, err := s.effort()
	way.cpu = append(way.cpu, after.since(before).scheduler/float64(n.ends))
	return err
}

// refused is how many pods kube-scheduler refuses: all that wait, or with gates those of the gang that is let go ahead.
func (n next) refused(m *mode) int {
	if m.gated {
		return n.size
	}
	return n.waiting * n.size
}

// endGang ends a running gang, and returns after how many s another one is whole.
func (s *stage) endGang(gang string, size int) (float64, error) {
	bound, began := s.tracker.BindingCount(), time.Now()
	if err := s.inParallel(20, size, func(i int) error { return s.deletePod(memberName(gang, i)) }); err != nil {
		return 0, err
	}
	last, err := s.untilBound(bound + size)
	if err != nil {
		return 0, err
	}
	taken := map[string]int{}
	for _, binding := range s.tracker.Bindings()[bound:] {
		taken[gangOfMember(binding.Name)]++
	}
	if len(taken) != 1 {
		return 0, fmt.Errorf("places of one gang are taken by %v", taken)
	}
	return last.Sub(began).Seconds(), nil
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
		of := way.seconds[len(way.seconds)-p.ends:]
		fmt.Fprintf(os.Stderr, "%s: next gangs of %d whole after %.2f s (median %.2f)\n", way.beside.name, p.size, of, median(of))
	}
	return nil
}

func (p *nextPart) tables() []sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("Gangs of %d fill %d nodes, %d pods wait in %d of them; one ends: s until the next is whole",
			p.size, p.nodes, p.waiting*p.size, p.waiting),
		Header: []string{"", "median", "longest", "scheduler's processor time, s"},
	}
	for _, way := range p.ways {
		table.Rows = append(table.Rows, append([]string{way.beside.name},
			sheet.Shorts(median(way.seconds), longest(way.seconds), median(way.cpu))...))
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
			Figure: func(*nextPart) (float64, bool) { return median(way.seconds), len(way.seconds) > 0 },
		})
	}
	return sheet.Judge(targets, p)
}
