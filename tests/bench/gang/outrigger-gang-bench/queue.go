package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// queueRound is what was measured of a queue in one round.
type queueRound struct {
	whole  int       // gangs
	cpu    float64   // of scheduler and agent while nothing changes, in cores
	writes int       // of the condition of one waiting pod while nothing changes, at most
	freed  []float64 // seconds until a freed place is taken by a whole gang
	own    ownRound
}

// ownRound is the same where kube-scheduler plans groups by its own gates, without the agent.
type ownRound struct {
	whole int
	cpu   float64 // of the scheduler while nothing changes, in cores
}

// measureOwn fills a cluster as measure does, and watches those that wait.
func (q queue) measureOwn(ctx context.Context, binary string, r *ownRound) error {
	s, err := newStage(ctx, binary, q.room, ownGates)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	if err := s.createGangs(8, q.gangs, slots, true); err != nil {
		return err
	}
	if _, err := s.untilBound(q.room * slots); err != nil {
		return err
	}
	settle(ctx, 10*time.Second)
	for g := range q.gangs {
		if s.bound(fmt.Sprintf("g%03d-", g)) == slots {
			r.whole++
		}
	}
	began := time.Now()
	before, err := s.effort()
	if err != nil {
		return err
	}
	settle(ctx, q.watch)
	after, err := s.effort()
	r.cpu = after.since(before).scheduler / time.Since(began).Seconds()
	return err
}

// measure fills a cluster with gangs, watches those that wait, and ends the others one by one.
func (q queue) measure(ctx context.Context, binary string, r *queueRound) error {
	s, err := newStage(ctx, binary, q.room, allAsked)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	if err := s.createGangs(8, q.gangs, slots, true); err != nil {
		return err
	}
	if _, err := s.untilBound(q.room * slots); err != nil {
		return err
	}
	settle(ctx, 10*time.Second)
	var waiting []string
	for g := range q.gangs {
		switch name := fmt.Sprintf("g%03d-", g); s.bound(name) {
		case slots:
			r.whole++
		case 0:
			waiting = append(waiting, name)
		default:
			return fmt.Errorf("gang %s is bound in part", name)
		}
	}
	failures, began := len(s.tracker.Failures()), time.Now()
	before, err := s.effort()
	if err != nil {
		return err
	}
	settle(ctx, q.watch)
	after, err := s.effort()
	if err != nil {
		return err
	}
	spent := after.since(before)
	r.cpu = (spent.scheduler + spent.agent) / time.Since(began).Seconds()
	written := map[string]int{}
	for _, failure := range s.tracker.Failures()[failures:] {
		written[failure.Name]++
		r.writes = max(r.writes, written[failure.Name])
	}
	return s.endOneByOne(q, waiting, r)
}

// endOneByOne ends gangs that have places, as often as there are gangs that wait.
func (s *stage) endOneByOne(q queue, waiting []string, r *queueRound) error {
	for g := range q.gangs {
		name := fmt.Sprintf("g%03d-", g)
		if slices.Contains(waiting, name) || len(r.freed) == len(waiting) {
			continue
		}
		bindings := len(s.tracker.Bindings())
		freed := time.Now()
		err := s.inParallel(slots, slots, func(i int) error { return s.deletePod(fmt.Sprintf("%s%03d", name, i)) })
		if err != nil {
			return err
		}
		last, err := s.untilBound(bindings + slots)
		if err != nil {
			return err
		}
		r.freed = append(r.freed, last.Sub(freed).Seconds())
		for _, gang := range waiting {
			if bound := s.bound(gang); bound != 0 && bound != slots {
				return fmt.Errorf("gang %s is bound in part", gang)
			}
		}
	}
	return nil
}

func settle(ctx context.Context, time_ time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(time_):
	}
}
