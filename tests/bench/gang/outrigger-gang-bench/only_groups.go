package main

import (
	"context"
	"fmt"
	"os"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// onlyGroups measures what pods without a group pay where the scheduler asks about all pods, and where it asks about
// members of groups alone.
type onlyGroups struct{ crowd crowd }

func newOnlyGroupsRows() []*crowdRow {
	return []*crowdRow{
		{what: "plain, arriving"},
		{what: "singles, arriving", beside: agent},
		{what: "singles, arriving, only groups", beside: askedAgent},
		{what: "gangs, arriving", beside: agent, grouped: true},
		{what: "gangs, arriving, only groups", beside: askedAgent, grouped: true},
	}
}

func (o onlyGroups) measure(ctx context.Context, binary string, rounds int) ([]*crowdRow, error) {
	rows := newOnlyGroupsRows()
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "round %d\n", round+1)
		if err := o.crowd.measure(ctx, binary, rows); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (o onlyGroups) targets() []sheet.Target[[]*crowdRow] {
	to := func(row int) func(rows []*crowdRow) (float64, bool) {
		return func(rows []*crowdRow) (float64, bool) {
			return median(rows[row].seconds) / median(rows[0].seconds), len(rows[0].seconds) > 0
		}
	}
	return []sheet.Target[[]*crowdRow]{
		{What: "pods without a group, only groups, to the same without an extender", AtMost: 1.15, Figure: to(2)},
		{What: "gangs, only groups, to the same pods without an extender", AtMost: 1.3, Figure: to(4)},
	}
}

func (o onlyGroups) section(rounds int, rows []*crowdRow) sheet.Section {
	table := sheet.Table{
		Title:  fmt.Sprintf("%d pods on %d nodes, s until all are bound", o.crowd.pods(), o.crowd.nodes),
		Header: []string{"", "s", "pods/s", "to plain"},
	}
	for _, row := range rows {
		took := median(row.seconds)
		table.Rows = append(table.Rows, append([]string{row.what},
			sheet.Shorts(took, float64(o.crowd.pods())/took, took/median(rows[0].seconds))...))
	}
	return sheet.Section{
		Heading: "Only members are asked about",
		Text:    fmt.Sprintf("Calls have no limit. Median of %d rounds. Load before: %s.", rounds, sheet.Load()),
		Tables:  []sheet.Table{table, effortTable(o.crowd.pods(), rows)},
		Targets: sheet.Judge(o.targets(), rows),
	}
}
