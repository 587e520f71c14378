package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// nominating is one gang whose members are nominated before the scheduler runs.
type nominating struct{ nodes int }

// nominated is how fast that went, and the processor time that it took.
type nominated struct {
	rate              float64 // members in a second
	apiServer, agents float64 // ms for each member
}

func (n nominating) measure(ctx context.Context, binary string) (got nominated, err error) {
	s, err := newStage(ctx, binary, n.nodes, onlyGroups)
	if err != nil {
		return got, err
	}
	defer s.stop()
	size := n.nodes * slots
	// The last member is what the gang lacks until all others are known.
	if err := s.createPods("g", 0, size-1, size, true); err != nil {
		return got, err
	}
	settle(ctx, time.Second)
	before, err := s.effort()
	if err != nil {
		return got, err
	}
	began := time.Now()
	if err := s.createPods("g", size-1, size, size, true); err != nil {
		return got, err
	}
	if err := s.untilSome(func() bool { return s.nominated() == size }); err != nil {
		return got, err
	}
	got.rate = float64(size) / time.Since(began).Seconds()
	after, err := s.effort()
	spent := after.since(before)
	got.apiServer, got.agents = 1000*spent.apiServer/float64(size), 1000*spent.agent/float64(size)
	fmt.Fprintf(os.Stderr, "%d members nominated, %.0f a second; %.2f ms of the API server and %.2f of the agent for each\n",
		size, got.rate, got.apiServer, got.agents)
	return got, err
}

func (s *stage) nominated() int {
	count := 0
	for _, pod := range s.tracker.Pods() {
		if pod.Status.NominatedNodeName != "" {
			count++
		}
	}
	return count
}

// nominatingPart measures it.
type nominatingPart struct {
	nominating
	done  []nominated // by round
	count int
}

func (p *nominatingPart) rounds() int { return p.count }

func (p *nominatingPart) measure(ctx context.Context, binary string) error {
	got, err := p.nominating.measure(ctx, binary)
	if err == nil {
		p.done = append(p.done, got)
	}
	return err
}

// median is that of one figure of all rounds.
func (p *nominatingPart) median(figure func(n nominated) float64) float64 {
	var all []float64
	for _, round := range p.done {
		all = append(all, figure(round))
	}
	return median(all)
}

func rateOf(n nominated) float64 { return n.rate }

func (p *nominatingPart) tables() []sheet.Table {
	return []sheet.Table{{
		Title:  fmt.Sprintf("%d members of one gang are nominated ahead", p.nodes*slots),
		Header: []string{"", "a second", "API server, ms each", "agent, ms each"},
		Rows: [][]string{append([]string{"nominations"}, sheet.Shorts(p.median(rateOf),
			p.median(func(n nominated) float64 { return n.apiServer }),
			p.median(func(n nominated) float64 { return n.agents }))...)},
	}}
}

func (p *nominatingPart) verdicts() []sheet.Verdict {
	return sheet.Judge([]sheet.Target[*nominatingPart]{{What: "nominations a second", AtLeast: 400,
		Figure: func(p *nominatingPart) (float64, bool) { return p.median(rateOf), len(p.done) > 0 }}}, p)
}
