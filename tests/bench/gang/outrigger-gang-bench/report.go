package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// report is what was measured.
type report struct {
	crowd  []*crowdRow
	queues []queueRound
}

func measure(ctx context.Context, o options) (*report, error) {
	r := &report{crowd: newCrowdRows()}
	for round := range o.rounds {
		fmt.Fprintf(os.Stderr, "round %d\n", round+1)
		if !o.waitingOnly {
			if err := o.crowd.measure(ctx, o.outrigger, r.crowd); err != nil {
				return nil, err
			}
		}
		var queue queueRound
		if err := o.queue.measure(ctx, o.outrigger, &queue); err != nil {
			return nil, err
		}
		if err := o.queue.measureOwn(ctx, o.outrigger, &queue.own); err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "gangs that wait by kube-scheduler's own gates: %d whole, %.4f cores of the scheduler\n",
			queue.own.whole, queue.own.cpu)
		fmt.Fprintf(os.Stderr, "gangs that wait: %d whole, %.4f cores, condition of a pod written %d times, "+
			"freed places taken after %.2f s, %.2f s at most\n", queue.whole, queue.cpu, queue.writes,
			median(queue.freed), slices.Max(append(queue.freed, 0)))
		r.queues = append(r.queues, queue)
	}
	return r, nil
}

// worst is the largest figure of all rounds of the queue.
func (r *report) worst(of func(queueRound) float64) (float64, bool) {
	var all []float64
	for _, queue := range r.queues {
		all = append(all, of(queue))
	}
	if len(all) == 0 {
		return 0, false
	}
	return slices.Max(all), true
}

// freed are the figures of all rounds.
func (r *report) freed() (all []float64) {
	for _, queue := range r.queues {
		all = append(all, queue.freed...)
	}
	return all
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

func (r *report) targets(o options) []sheet.Target[*report] {
	ratio := func(row int) func(*report) (float64, bool) {
		return func(r *report) (float64, bool) {
			plain, gangs := r.crowd[row].seconds, r.crowd[row+crowdWays-1].seconds
			return median(gangs) / median(plain), len(plain) > 0
		}
	}
	toPassing := func(row int) func(*report) (float64, bool) {
		return func(r *report) (float64, bool) {
			passing, singles := r.crowd[row+1].seconds, r.crowd[row+2].seconds
			return median(singles) / median(passing), len(passing) > 0
		}
	}
	return []sheet.Target[*report]{
		{What: "gangs that arrive, to the plain scheduler", AtMost: 1.6,
			Figure: ratio(0)},
		{What: "gangs in a backlog, to the plain scheduler", AtMost: 1.6,
			Figure: ratio(crowdWays)},
		{What: "pods of no group that arrive, to an extender that does nothing", AtMost: 1.15,
			Figure: toPassing(0)},
		{What: "pods of no group in a backlog, to an extender that does nothing", AtMost: 1.15,
			Figure: toPassing(crowdWays)},
		// Of one round a machine that is busy for a moment decides.
		{What: "s that a gang is bound in part, the longest of a round, median", AtMost: 1,
			Figure: func(r *report) (float64, bool) {
				arriving, backlog := r.crowd[crowdWays-1].inPart, r.crowd[2*crowdWays-1].inPart
				return max(median(arriving), median(backlog)), len(arriving) > 0
			}},
		{What: "gangs that are whole, of those that there is room for, worst round", AtLeast: 1, AtMost: 1,
			Figure: func(r *report) (float64, bool) {
				short, measured := r.worst(func(q queueRound) float64 { return float64(o.queue.room - q.whole) })
				return 1 - short/float64(o.queue.room), measured
			}},
		{What: "cores of scheduler and agent while gangs wait, worst round", AtMost: 0.02,
			Figure: func(r *report) (float64, bool) { return r.worst(func(q queueRound) float64 { return q.cpu }) }},
		{What: "writes of a waiting pod's condition while nothing changes, of any", AtMost: 2,
			Figure: func(r *report) (float64, bool) {
				return r.worst(func(q queueRound) float64 { return float64(q.writes) })
			}},
		{What: "s until a freed place is taken, median of all", AtMost: 1,
			Figure: func(r *report) (float64, bool) { return median(r.freed()), len(r.freed()) > 0 }},
		{What: "s until a freed place is taken, longest of all", AtMost: 3,
			Figure: func(r *report) (float64, bool) {
				return slices.Max(append(r.freed(), 0)), len(r.freed()) > 0
			}},
	}
}

// waitingTable compares what it costs that gangs wait.
func (r *report) waitingTable(q queue) sheet.Table {
	column := func(of func(queueRound) float64) float64 {
		var values []float64
		for _, round := range r.queues {
			values = append(values, of(round))
		}
		return median(values)
	}
	return sheet.Table{
		Title:  fmt.Sprintf("%d gangs where there is room for %d, watched for %v", q.gangs, q.room, q.watch),
		Header: []string{"", "whole", "cores"},
		Rows: [][]string{
			append([]string{"scheduler and agent"}, sheet.Shorts(
				column(func(q queueRound) float64 { return float64(q.whole) }),
				column(func(q queueRound) float64 { return q.cpu }))...),
			append([]string{"kube-scheduler by its own gates"}, sheet.Shorts(
				column(func(q queueRound) float64 { return float64(q.own.whole) }),
				column(func(q queueRound) float64 { return q.own.cpu }))...),
		},
	}
}

func (r *report) section(o options) sheet.Section {
	table := sheet.Table{
		Title:  fmt.Sprintf("%d pods in %d gangs on %d nodes, seconds until all are bound", o.crowd.pods(), o.crowd.gangs, o.crowd.nodes),
		Header: []string{"", "plain", "passing", "singles", "to passing", "gangs", "to plain", "gangs, pods/s"},
	}
	for i, what := range []string{"arriving", "backlog"} {
		of := func(way int) float64 { return median(r.crowd[crowdWays*i+way].seconds) }
		plain, passing, singles, gangs := of(0), of(1), of(2), of(3)
		table.Rows = append(table.Rows, append([]string{what},
			sheet.Shorts(plain, passing, singles, singles/passing, gangs, gangs/plain, float64(o.crowd.pods())/gangs)...))
	}
	tables := []sheet.Table{r.waitingTable(o.queue)}
	if !o.waitingOnly {
		tables = append([]sheet.Table{table, effortTable(o.crowd.pods(), r.crowd)}, tables...)
	}
	return sheet.Section{
		Heading: "Gangs",
		Text: fmt.Sprintf("Median of %d rounds in turns, each on a control plane of its own. Plain is without an extender, "+
			"passing beside one that does nothing, singles are the same pods beside the agent. Load before: %s.", o.rounds, sheet.Load()),
		Tables:  tables,
		Targets: sheet.Judge(r.targets(o), r),
	}
}
