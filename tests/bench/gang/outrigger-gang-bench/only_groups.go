package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// onlyGroups measures what pods without a group pay where the scheduler asks about all pods, and where it asks about
// members of groups alone, and what gangs wait for beside single pods.
type onlyGroups struct {
	crowd      crowd
	stream     stream
	nominating nominating
	streamOnly bool
}

// onlyGroupsReport is what was measured of it.
type onlyGroupsReport struct {
	crowds  []*crowdRow
	streams []*streamRow
	rates   []float64 // of nominations a second, by round
}

func newOnlyGroupsRows() []*crowdRow {
	return []*crowdRow{
		{what: "plain, arriving"},
		{what: "singles, arriving", beside: agent},
		{what: "singles, arriving, only groups", beside: askedAgent},
		{what: "gangs, arriving", beside: agent, grouped: true},
		{what: "gangs, arriving, only groups", beside: askedAgent, grouped: true},
	}
}

func (o onlyGroups) measure(ctx context.Context, binary string, rounds int) (*onlyGroupsReport, error) {
	report := &onlyGroupsReport{crowds: newOnlyGroupsRows(), streams: newStreamRows()}
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d\n", round+1)
		if !o.streamOnly {
			if err := o.crowd.measure(ctx, binary, report.crowds); err != nil {
				return nil, err
			}
		}
		if err := o.stream.measure(ctx, binary, report.streams); err != nil {
			return nil, err
		}
		rate, err := o.nominating.measure(ctx, binary)
		if err != nil {
			return nil, err
		}
		report.rates = append(report.rates, rate)
	}
	return report, nil
}

func (o onlyGroups) targets() []sheet.Target[*onlyGroupsReport] {
	to := func(row int) func(report *onlyGroupsReport) (float64, bool) {
		return func(report *onlyGroupsReport) (float64, bool) {
			rows := report.crowds
			return median(rows[row].seconds) / median(rows[0].seconds), len(rows[0].seconds) > 0
		}
	}
	longest := func(row int) func(report *onlyGroupsReport) (float64, bool) {
		return func(report *onlyGroupsReport) (float64, bool) {
			return slices.Max(report.streams[row].seconds), true
		}
	}
	bound := o.stream.lasts.Seconds() + o.stream.reserveAfter.Seconds() + 3
	return []sheet.Target[*onlyGroupsReport]{
		{What: "pods without a group, only groups, to the same without an extender", AtMost: 1.15, Figure: to(2)},
		{What: "gangs, only groups, to the same pods without an extender", AtMost: 1.3, Figure: to(4)},
		{What: "the next gang beside a stream of single pods, longest, s", AtMost: bound, Figure: longest(0)},
		{What: "the same, only groups", AtMost: bound, Figure: longest(1)},
		{What: "nominations a second", AtLeast: 400, Figure: func(report *onlyGroupsReport) (float64, bool) {
			return median(slices.Clone(report.rates)), true
		}},
	}
}

func (o onlyGroups) section(rounds int, report *onlyGroupsReport) sheet.Section {
	section := sheet.Section{
		Heading: "Only members are asked about",
		Text: fmt.Sprintf("Calls have no limit. Median of %d rounds. Load before: %s. Nominations of %d members: %s a second.",
			rounds, sheet.Load(), o.nominating.nodes*slots, sheet.Shorts(median(slices.Clone(report.rates)))[0]),
		Tables:  []sheet.Table{o.stream.table(report.streams)},
		Targets: sheet.Judge(o.targets(), report),
	}
	if o.streamOnly {
		return section
	}
	table := sheet.Table{
		Title:  fmt.Sprintf("%d pods on %d nodes, s until all are bound", o.crowd.pods(), o.crowd.nodes),
		Header: []string{"", "s", "pods/s", "to plain"},
	}
	for _, row := range report.crowds {
		took := median(row.seconds)
		table.Rows = append(table.Rows, append([]string{row.what},
			sheet.Shorts(took, float64(o.crowd.pods())/took, took/median(report.crowds[0].seconds))...))
	}
	section.Tables = append([]sheet.Table{table, effortTable(o.crowd.pods(), report.crowds)}, section.Tables...)
	return section
}
