package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"outrigger.dev/outrigger/tests/support/kube"
)

// crowdWay is one way in which the pods of a crowd come, and what was measured of it.
type crowdWay struct {
	beside  *mode
	grouped bool
	backlog bool // they are there before the scheduler
	seconds []float64
	inPart  []float64 // for how many seconds a gang was bound in part, at most
	efforts []effort
}

func (w *crowdWay) String() string {
	pods, come := "pods without a group", "arriving"
	if w.grouped {
		pods = "gangs"
	}
	if w.backlog {
		come = "backlog"
	}
	return fmt.Sprintf("%s, %s, %s", w.beside.name, pods, come)
}

// newCrowdWays are the ways that rows need, those without a group first, arriving ones before backlogs.
func newCrowdWays(rows chosen) (ways []*crowdWay) {
	add := func(backlog, grouped bool, modes ...*mode) {
		for _, m := range modes {
			if !slices.ContainsFunc(ways, func(w *crowdWay) bool { return w.is(m, grouped, backlog) }) {
				ways = append(ways, &crowdWay{beside: m, grouped: grouped, backlog: backlog})
			}
		}
	}
	for _, backlog := range []bool{false, true} {
		if rows.has("singles") && !backlog {
			add(backlog, false, stock)
			add(backlog, false, singleModes...)
		}
		if rows.has("gangs") {
			add(backlog, false, stock)
			add(backlog, true, gangModes...)
		}
	}
	return ways
}

func (w *crowdWay) is(m *mode, grouped, backlog bool) bool {
	return w.beside == m && w.grouped == grouped && w.backlog == backlog
}

// measure binds the crowd in each way, one after another, so that all see the same machine.
func (c crowd) measure(ctx context.Context, binary string, ways []*crowdWay) error {
	for _, way := range ways {
		got, err := c.bind(ctx, binary, way)
		if err != nil {
			return fmt.Errorf("%s: %w", way, err)
		}
		fmt.Fprintf(os.Stderr, "%d nodes, %s: %d pods in %.2f s, %.0f a second, none of a group %.2f s later than the first\n",
			c.nodes, way, c.pods(), got.took, float64(c.pods())/got.took, got.inPart)
		way.seconds = append(way.seconds, got.took)
		way.inPart = append(way.inPart, got.inPart)
		way.efforts = append(way.efforts, got.spent)
	}
	return nil
}

// crowdTimes is what one crowd took: all pods from the first that was created or the scheduler's start,
// and the group that was bound in part for longest, in s.
type crowdTimes struct {
	took, inPart float64
	spent        effort
}

func (c crowd) bind(ctx context.Context, binary string, way *crowdWay) (crowdTimes, error) {
	s, err := newStage(ctx, binary, c.nodes, way.beside)
	if err != nil {
		return crowdTimes{}, err
	}
	defer s.stop()
	if !way.backlog {
		if err := s.startScheduler(); err != nil {
			return crowdTimes{}, err
		}
		// Its caches are filled once it has placed a pod.
		if err := s.warmUp(); err != nil {
			return crowdTimes{}, err
		}
	}
	got, err := s.bindAll(c, way)
	if err != nil {
		return crowdTimes{}, err
	}
	return got, s.checkBoundOnce()
}

func (s *stage) bindAll(c crowd, way *crowdWay) (crowdTimes, error) {
	create := func() error { return s.createGangs(c.clients, c.gangs, c.size, way.grouped) }
	step := create
	if way.backlog {
		if err := create(); err != nil {
			return crowdTimes{}, err
		}
		step = s.startScheduler
	}
	before, err := s.effort()
	if err != nil {
		return crowdTimes{}, err
	}
	bound := len(s.tracker.Bindings())
	began := time.Now()
	if err := step(); err != nil {
		return crowdTimes{}, err
	}
	last, err := s.untilBound(bound + c.pods())
	if err != nil {
		return crowdTimes{}, err
	}
	after, err := s.effort()
	var gangs []string
	for g := range c.gangs {
		gangs = append(gangs, gangName(g))
	}
	inPart := kube.LongestInPart(s.tracker.Bindings(), gangs)
	return crowdTimes{last.Sub(began).Seconds(), inPart.Seconds(), after.since(before)}, err
}

// warmUp has the scheduler place a pod that asks for nothing, and deletes it.
func (s *stage) warmUp() error {
	const name = "warm-up"
	if err := s.createPod(kube.MakePod(name)); err != nil {
		return err
	}
	if _, err := s.untilBound(1); err != nil {
		return err
	}
	return s.deletePod(name)
}

func (s *stage) checkBoundOnce() error {
	seen := map[string]bool{}
	for _, binding := range s.tracker.Bindings() {
		if seen[binding.Name] {
			return fmt.Errorf("pod %s was bound twice", binding.Name)
		}
		seen[binding.Name] = true
	}
	return nil
}
