package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// report is what was measured.
type report struct {
	plain, gangs               []float64 // seconds until all are bound, pods that arrive
	plainBacklog, gangsBacklog []float64 // the same of pods that were there before the scheduler
	whole                      int       // gangs of the queue that are whole
	cpu                        float64   // of scheduler and agent while nothing changes, in cores
	writes                     int       // of conditions of waiting pods while nothing changes
	freed                      []float64 // seconds until a freed place is taken by a whole gang
}

func measure(ctx context.Context, o options) (*report, error) {
	r := &report{}
	for round := range o.rounds {
		for _, row := range []struct {
			what    string
			grouped bool
			backlog bool
			into    *[]float64
		}{
			{"plain, arriving", false, false, &r.plain},
			{"gangs, arriving", true, false, &r.gangs},
			{"plain, backlog", false, true, &r.plainBacklog},
			{"gangs, backlog", true, true, &r.gangsBacklog},
		} {
			took, err := o.crowd.bind(ctx, o.outrigger, row.grouped, row.backlog)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", row.what, err)
			}
			fmt.Fprintf(os.Stderr, "round %d, %s: %d pods in %.2f s, %.0f a second\n", round+1, row.what,
				o.crowd.pods(), took, float64(o.crowd.pods())/took)
			*row.into = append(*row.into, took)
		}
	}
	return r, o.queue.measure(ctx, o.outrigger, r)
}

// bind returns how long all pods took, from the first that was created or the scheduler's start.
func (c crowd) bind(ctx context.Context, binary string, grouped, backlog bool) (float64, error) {
	s, err := newStage(ctx, binary, c.nodes, grouped)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	if !backlog {
		if err := s.startScheduler(); err != nil {
			return 0, err
		}
		// Its caches are filled once it has placed a pod.
		if err := s.warmUp(); err != nil {
			return 0, err
		}
	}
	before := len(s.tracker.Bindings())
	began := time.Now()
	if err := s.createGangs(c.clients, c.gangs, c.size, grouped); err != nil {
		return 0, err
	}
	if backlog {
		began = time.Now()
		if err := s.startScheduler(); err != nil {
			return 0, err
		}
	}
	last, err := s.untilBound(before + c.pods())
	if err != nil {
		return 0, err
	}
	return last.Sub(began).Seconds(), s.checkBoundOnce()
}

// warmUp has the scheduler place a pod that asks for nothing, and deletes it.
func (s *stage) warmUp() error {
	const name = "warm-up"
	pod := kubePod(name)
	if _, err := s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := s.untilBound(1); err != nil {
		return err
	}
	now := int64(0)
	return s.client.CoreV1().Pods(pod.Namespace).Delete(s.ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now})
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

// measure fills a cluster with gangs, watches those that wait, and ends the others one by one.
func (q queue) measure(ctx context.Context, binary string, r *report) error {
	s, err := newStage(ctx, binary, q.room, true)
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
	before, err := s.cpu()
	if err != nil {
		return err
	}
	settle(ctx, q.watch)
	after, err := s.cpu()
	if err != nil {
		return err
	}
	r.cpu = (after - before).Seconds() / time.Since(began).Seconds()
	r.writes = len(s.tracker.Failures()) - failures
	return s.endOneByOne(q, waiting, r)
}

// endOneByOne ends gangs that have places, as often as there are gangs that wait.
func (s *stage) endOneByOne(q queue, waiting []string, r *report) error {
	for g := range q.gangs {
		name := fmt.Sprintf("g%03d-", g)
		if slices.Contains(waiting, name) || len(r.freed) == len(waiting) {
			continue
		}
		bindings := len(s.tracker.Bindings())
		freed := time.Now()
		now := int64(0)
		err := s.inParallel(slots, slots, func(i int) error {
			return s.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(s.ctx, fmt.Sprintf("%s%03d", name, i),
				metav1.DeleteOptions{GracePeriodSeconds: &now})
		})
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

// cpu is what scheduler and agent have used so far.
func (s *stage) cpu() (time.Duration, error) {
	sum := time.Duration(0)
	for _, pid := range []int{s.scheduler.Pid(), s.agent.Pid()} {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, err
		}
		// Behind the name, which may have blanks; utime and stime in ticks of 10 ms.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, field := range fields[11:13] {
			ticks, err := strconv.Atoi(field)
			if err != nil {
				return 0, errors.New("a line of /proc that is none")
			}
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum, nil
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func (r *report) targets(o options) []sheet.Target[*report] {
	ratio := func(a, b func(*report) []float64) func(*report) (float64, bool) {
		return func(r *report) (float64, bool) { return median(a(r)) / median(b(r)), len(b(r)) > 0 }
	}
	return []sheet.Target[*report]{
		{What: "gangs that arrive, to the plain scheduler", AtMost: 1.6,
			Figure: ratio(func(r *report) []float64 { return r.gangs }, func(r *report) []float64 { return r.plain })},
		{What: "gangs in a backlog, to the plain scheduler", AtMost: 1.6,
			Figure: ratio(func(r *report) []float64 { return r.gangsBacklog }, func(r *report) []float64 { return r.plainBacklog })},
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
	for _, row := range []struct {
		what         string
		plain, gangs []float64
	}{{"arriving", r.plain, r.gangs}, {"backlog", r.plainBacklog, r.gangsBacklog}} {
		plain, gangs := median(row.plain), median(row.gangs)
		table.Rows = append(table.Rows, append([]string{row.what},
			sheet.Shorts(plain, gangs, gangs/plain, float64(o.crowd.pods())/gangs)...))
	}
	return sheet.Section{
		Heading: "Gangs",
		Text:    fmt.Sprintf("Median of %d rounds in turns, each on a control plane of its own. Load before: %s.", o.rounds, sheet.Load()),
		Tables:  []sheet.Table{table},
		Targets: sheet.Judge(r.targets(o), r),
	}
}
