package main

import (
	"context"
	"fmt"
	"os"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// waitingPart measures what it costs that gangs wait.
type waitingPart struct {
	queue
	done  []queueRound
	count int
}

func (p *waitingPart) rounds() int { return p.count }

func (p *waitingPart) measure(ctx context.Context, binary string) error {
	var round queueRound
	if err := p.queue.measure(ctx, binary, &round); err != nil {
		return err
	}
	if err := p.queue.measureOwn(ctx, binary, &round.own); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "gangs that wait by kube-scheduler's own gates: %d whole, %.4f cores of the scheduler\n",
		round.own.whole, round.own.cpu)
	fmt.Fprintf(os.Stderr, "gangs that wait: %d whole, %.4f cores, condition of a pod written %d times, "+
		"freed places taken after %.2f s, %.2f s at most\n", round.whole, round.cpu, round.writes,
		median(round.freed), longest(round.freed))
	p.done = append(p.done, round)
	return nil
}

// each is one figure of all rounds.
func (p *waitingPart) each(of func(queueRound) float64) (all []float64) {
	for _, round := range p.done {
		all = append(all, of(round))
	}
	return all
}

// freed are the figures of all rounds.
func (p *waitingPart) freed() (all []float64) {
	for _, round := range p.done {
		all = append(all, round.freed...)
	}
	return all
}

// tables compare what it costs with kube-scheduler's own way.
func (p *waitingPart) tables() []sheet.Table {
	column := func(of func(queueRound) float64) float64 { return median(p.each(of)) }
	freed := p.freed()
	return []sheet.Table{{
		Title: fmt.Sprintf("%d gangs of %d where there is room for %d, on %d nodes, watched for %v", p.gangs, slots, p.room, p.room,
			p.watch),
		Header: []string{"", "whole", "cores", "a freed place is taken after, s", "longest"},
		Rows: [][]string{
			append([]string{"all pods asked about, scheduler and agent"}, sheet.Shorts(
				column(func(q queueRound) float64 { return float64(q.whole) }),
				column(func(q queueRound) float64 { return q.cpu }), median(freed), longest(freed))...),
			append(append([]string{"kube-scheduler by its own gates"}, sheet.Shorts(
				column(func(q queueRound) float64 { return float64(q.own.whole) }),
				column(func(q queueRound) float64 { return q.own.cpu }))...), "", ""),
		},
	}}
}

func (p *waitingPart) verdicts() []sheet.Verdict {
	worst := func(of func(queueRound) float64) func(*waitingPart) (float64, bool) {
		return func(p *waitingPart) (float64, bool) { return longest(p.each(of)), len(p.done) > 0 }
	}
	return sheet.Judge([]sheet.Target[*waitingPart]{
		{What: "gangs that are whole, of those that there is room for, worst round", AtLeast: 1, AtMost: 1,
			Figure: func(p *waitingPart) (float64, bool) {
				short := longest(p.each(func(q queueRound) float64 { return float64(p.room - q.whole) }))
				return 1 - short/float64(p.room), len(p.done) > 0
			}},
		{What: "cores of scheduler and agent while gangs wait, worst round", AtMost: 0.02,
			Figure: worst(func(q queueRound) float64 { return q.cpu })},
		{What: "writes of a waiting pod's condition while nothing changes, of any", AtMost: 2,
			Figure: worst(func(q queueRound) float64 { return float64(q.writes) })},
		{What: "s until a freed place is taken, median of all", AtMost: 1,
			Figure: func(p *waitingPart) (float64, bool) { return median(p.freed()), len(p.freed()) > 0 }},
		{What: "s until a freed place is taken, longest of all", AtMost: 3,
			Figure: func(p *waitingPart) (float64, bool) { return longest(p.freed()), len(p.freed()) > 0 }},
	}, p)
}
