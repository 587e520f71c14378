package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/kube"
)

// freeing is a full cluster in which pods wait, each of a groupPriority of its own, and places become free one by
// one.
type freeing struct {
	nodes   int // with slots each, all of them taken
	waiting int // no more than there are places
}

// freed is what was measured of it, of all rounds.
type freed struct {
	seconds []float64 // from the delete of a running pod to the binding of another one
	first   int       // of these: it was the first of the queue
	cycles  []float64 // filter calls for each pod that was bound, by round
}

func (f *freed) share() float64 { return float64(f.first) / float64(len(f.seconds)) }

func (f *freed) last(beside *mode) string {
	return fmt.Sprintf("%s: freed places taken after %.3f s, %.1f filter calls for each", beside.name, median(f.seconds),
		f.cycles[len(f.cycles)-1])
}

// measure fills a cluster, has pods wait, and ends running pods until all of those have places.
func (f freeing) measure(ctx context.Context, binary string, beside *mode, r *freed) error {
	s, err := newStage(ctx, binary, f.nodes, beside)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	running := f.nodes * slots
	if err := s.createSingles("runs", running, make([]int, running)); err != nil {
		return err
	}
	if _, err := s.untilBound(running); err != nil {
		return err
	}
	// In no order: neither arrival nor name says which is first.
	order := rand.New(rand.NewPCG(1, 2)).Perm(f.waiting)
	if err := s.createSingles("waits", f.waiting, order); err != nil {
		return err
	}
	if err := s.untilUnschedulable(f.waiting); err != nil {
		return err
	}
	settle(ctx, 3*time.Second) // until the last that was refused no longer backs off
	return s.freeOneByOne(order, r)
}

// createSingles creates pods of no group, each with a groupPriority.
func (s *stage) createSingles(name string, count int, priorities []int) error {
	return s.inParallel(8, count, func(i int) error {
		return s.createPod(kube.MakePod(singleName(name, i)).Request(corev1.ResourceCPU, "1").
			Label("groupPriority", fmt.Sprint(priorities[i])))
	})
}

func singleName(name string, number int) string { return fmt.Sprintf("%s-%04d", name, number) }

// freeOneByOne ends a running pod as soon as the place of the one before is taken.
func (s *stage) freeOneByOne(priorities []int, r *freed) error {
	before, err := s.effort()
	if err != nil {
		return err
	}
	for i := range priorities {
		bindings := len(s.tracker.Bindings())
		began := time.Now()
		if err := s.deletePod(singleName("runs", i)); err != nil {
			return err
		}
		last, err := s.untilBound(bindings + 1)
		if err != nil {
			return err
		}
		r.seconds = append(r.seconds, last.Sub(began).Seconds())
		first := singleName("waits", slices.Index(priorities, len(priorities)-1-i))
		if s.tracker.Bindings()[bindings].Name == first {
			r.first++
		}
	}
	after, err := s.effort()
	r.cycles = append(r.cycles, after.since(before).filters/float64(len(priorities)))
	return err
}

func (f freeing) table(ways []freedWay) sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("%d pods wait, %d places become free one by one: s from a freed place to the next binding", f.waiting,
			f.waiting),
		Header: []string{"", "median", "90 %", "longest", "filter calls a pod", "the first got it"},
	}
	for _, way := range ways {
		sorted := slices.Sorted(slices.Values(way.to.seconds))
		table.Rows = append(table.Rows, append([]string{way.beside.name}, sheet.Shorts(median(sorted), sorted[len(sorted)*9/10],
			sorted[len(sorted)-1], median(way.to.cycles), way.to.share())...))
	}
	return table
}
