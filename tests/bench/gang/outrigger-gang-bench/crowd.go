package main

import (
	"context"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// crowdWays is in how many ways the same pods come: without an extender, beside one that does nothing, beside the
// agent without groups, in gangs.
const crowdWays = 4

// crowdRow is one way in which the pods of a crowd come, and what was measured of it.
type crowdRow struct {
	what    string
	beside  companion
	grouped bool
	backlog bool // they are there before the scheduler
	seconds []float64
	inPart  []float64 // for how many seconds a gang was bound in part, at most
	efforts []effort
}

func newCrowdRows() []*crowdRow {
	return []*crowdRow{
		{what: "plain, arriving"},
		{what: "passing, arriving", beside: doesNothing},
		{what: "singles, arriving", beside: agent},
		{what: "gangs, arriving", beside: agent, grouped: true},
		{what: "plain, backlog", backlog: true},
		{what: "passing, backlog", backlog: true, beside: doesNothing},
		{what: "singles, backlog", backlog: true, beside: agent},
		{what: "gangs, backlog", backlog: true, beside: agent, grouped: true},
	}
}

// measure binds the crowd in each way, one after another, so that all see the same machine.
func (c crowd) measure(ctx context.Context, binary string, rows []*crowdRow) error {
	for _, row := range rows {
		got, err := c.bind(ctx, binary, row)
		if err != nil {
			return fmt.Errorf("%s: %w", row.what, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d pods in %.2f s, %.0f a second, none of a group %.2f s later than the first\n",
			row.what, c.pods(), got.took, float64(c.pods())/got.took, got.inPart)
		row.seconds = append(row.seconds, got.took)
		row.inPart = append(row.inPart, got.inPart)
		row.efforts = append(row.efforts, got.spent)
	}
	return nil
}

// crowdTimes is what one crowd took: all pods from the first that was created or the scheduler's start,
// and the group that was bound in part for longest, in s.
type crowdTimes struct {
	took, inPart float64
	spent        effort
}

func (c crowd) bind(ctx context.Context, binary string, row *crowdRow) (crowdTimes, error) {
	s, err := newStage(ctx, binary, c.nodes, row.beside)
	if err != nil {
		return crowdTimes{}, err
	}
	defer s.stop()
	if !row.backlog {
		if err := s.startScheduler(); err != nil {
			return crowdTimes{}, err
		}
		// Its caches are filled once it has placed a pod.
		if err := s.warmUp(); err != nil {
			return crowdTimes{}, err
		}
	}
	got, err := s.bindAll(c, row)
	if err != nil {
		return crowdTimes{}, err
	}
	return got, s.checkBoundOnce()
}

func (s *stage) bindAll(c crowd, row *crowdRow) (crowdTimes, error) {
	create := func() error { return s.createGangs(c.clients, c.gangs, c.size, row.grouped) }
	step := create
	if row.backlog {
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
