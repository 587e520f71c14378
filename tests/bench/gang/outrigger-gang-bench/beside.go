package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// beside is single pods that come one by one, alone and then beside a gang that waits: for more places than there are.
type beside struct {
	modes   []*mode
	nodes   int
	size    int           // of the gang
	singles int           // and then as many again
	each    time.Duration // one of them
}

// besideWay is one mode, and what single pods took in it.
type besideWay struct {
	mode         *mode
	alone, among []float64 // s from creation to binding, of all rounds
}

func (b beside) ways() (ways []*besideWay) {
	for _, m := range b.modes {
		ways = append(ways, &besideWay{mode: m})
	}
	return ways
}

func (b beside) measure(ctx context.Context, binary string, way *besideWay) error {
	s, err := newStage(ctx, binary, b.nodes, way.mode)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	if err := s.warmUp(); err != nil {
		return err
	}
	if err := s.bindOneByOne(b, "alone", &way.alone); err != nil {
		return err
	}
	create := func(i int) error { return s.createPod(way.mode.member("waits", i, b.size)) }
	if err := s.inParallel(20, b.size, create); err != nil {
		return err
	}
	if err := s.untilUnschedulable(way.mode.refused(1, b.size)); err != nil {
		return err
	}
	return s.bindOneByOne(b, "among", &way.among)
}

// bindOneByOne creates single pods at a steady rate, and adds what each waited.
func (s *stage) bindOneByOne(b beside, name string, waits *[]float64) error {
	bound, created := s.tracker.BindingCount(), map[string]time.Time{}
	for i := range b.singles {
		settle(s.ctx, b.each)
		created[memberName(name, i)] = time.Now()
		if err := s.createPod(single(name, i)); err != nil {
			return err
		}
	}
	if _, err := s.untilBound(bound + b.singles); err != nil {
		return err
	}
	for _, binding := range s.tracker.Bindings()[bound:] {
		*waits = append(*waits, binding.At.Sub(created[binding.Name]).Seconds())
	}
	return nil
}

// besidePart measures it in each mode.
type besidePart struct {
	beside
	ways  []*besideWay
	count int
}

func (p *besidePart) rounds() int { return p.count }

func (p *besidePart) measure(ctx context.Context, binary string) error {
	for _, way := range p.ways {
		if err := p.beside.measure(ctx, binary, way); err != nil {
			return fmt.Errorf("singles beside a gang, %s: %w", way.mode.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: singles alone %.3f s (longest %.3f), beside a gang of %d that waits %.3f s (longest %.3f)\n",
			way.mode.name, median(way.alone), longest(way.alone), p.size, median(way.among), longest(way.among))
	}
	return nil
}

func (p *besidePart) tables() []sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("%d single pods on %d nodes, one every %v, alone and beside a gang of %d that waits: "+
			"s from creation to binding", p.singles, p.nodes, p.each, p.size),
		Header: []string{"", "alone, median", "longest", "beside, median", "longest"},
	}
	for _, way := range p.ways {
		table.Rows = append(table.Rows, append([]string{way.mode.name},
			sheet.Shorts(median(way.alone), longest(way.alone), median(way.among), longest(way.among))...))
	}
	return []sheet.Table{table}
}

func (p *besidePart) verdicts() []sheet.Verdict {
	var targets []sheet.Target[*besidePart]
	for _, way := range p.ways {
		if !way.mode.gated {
			continue // each pod that ends wakes all that wait
		}
		targets = append(targets, sheet.Target[*besidePart]{
			What: fmt.Sprintf("%s, single pods beside a gang of %d that waits, longest, s", way.mode.name, p.size), AtMost: 1,
			Figure: func(*besidePart) (float64, bool) { return longest(way.among), len(way.among) > 0 }})
	}
	return sheet.Judge(targets, p)
}
