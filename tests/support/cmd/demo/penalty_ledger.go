package main

import (
	"slices"
	"strings"
	"time"

	"outrigger.dev/outrigger/tests/support/penalty"
)

// penaltyLedger is what the demo has seen of its classes: what was counted when, and each change of a value.
type penaltyLedger struct {
	edges   map[string][]penalty.Edge // by class
	changes []penalty.ChangeRow
}

func newPenaltyLedger() penaltyLedger { return penaltyLedger{edges: map[string][]penalty.Edge{}} }

// add takes in the agent's page of changes, and returns those that it did not have, in the order of their times.
func (l *penaltyLedger) add(page []penalty.ChangeRow) (news []penalty.ChangeRow) {
	for _, row := range page {
		known := slices.ContainsFunc(l.changes, func(change penalty.ChangeRow) bool {
			return change.Class == row.Class && change.At.Equal(row.At) && change.After == row.After
		})
		if !known {
			news = append(news, row)
		}
	}
	slices.SortStableFunc(news, func(a, b penalty.ChangeRow) int { return a.At.Compare(b.At) })
	l.changes = append(l.changes, news...)
	return news
}

// changesOf has the changes of one class.
func (l *penaltyLedger) changesOf(class string) (changes []penalty.ChangeRow) {
	for _, change := range l.changes {
		if change.Class == class {
			changes = append(changes, change)
		}
	}
	return changes
}

// counted is how often a kind was counted for a class.
func (l *penaltyLedger) counted(class string, kind penalty.Kind) (count int64) {
	for _, edge := range l.edges[class] {
		if edge.Kind == kind {
			count++
		}
	}
	return count
}

// values are those that a class had at some time of a span.
func (l *penaltyLedger) values(class penalised, from, to time.Time) []int64 {
	values := []int64{class.rules.Base}
	for _, change := range l.changesOf(class.name) {
		switch {
		case change.At.After(to):
		case change.At.After(from):
			values = append(values, change.After)
		default:
			values = []int64{change.After}
		}
	}
	return values
}

// shortTables leaves out of what `explain penalty` prints the table of changes, and the columns of next values,
// times and gaps.
// Tables are apart by empty lines; the first line of each is its title.
func shortTables(text string) string {
	var tables []string
	for table := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(table, "\n")
		if strings.HasPrefix(lines[0], "Changes") {
			continue
		}
		if len(lines) > 1 {
			for _, first := range []string{"CHANGED-AT", "NEXT-VALUE"} {
				width := strings.Index(lines[1], first)
				for i := range lines {
					if width > 0 {
						lines[i] = lines[i][:min(width, len(lines[i]))]
					}
				}
			}
		}
		tables = append(tables, strings.Join(lines, "\n"))
	}
	return strings.Join(tables, "\n\n")
}
