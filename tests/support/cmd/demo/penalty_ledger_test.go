package main

import (
	"slices"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/penalty"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func change(class string, second int, before, after int64) penalty.ChangeRow {
	return penalty.ChangeRow{Class: class, At: noon.Add(time.Duration(second) * time.Second), Before: before, After: after}
}

func TestLedgerReturnsEachChangeOnceInTheOrderOfTimes(t *testing.T) {
	ledger := newPenaltyLedger()
	first, second, other := change("gold", 1, 1000, 880), change("gold", 2, 880, 760), change("silver", 1, 500, 380)
	if news := ledger.add([]penalty.ChangeRow{second, first}); !slices.Equal(news, []penalty.ChangeRow{first, second}) {
		t.Errorf("new are %v", news)
	}
	if news := ledger.add([]penalty.ChangeRow{second, first, other}); !slices.Equal(news, []penalty.ChangeRow{other}) {
		t.Errorf("then new are %v", news)
	}
	if gold := ledger.changesOf("gold"); !slices.Equal(gold, []penalty.ChangeRow{first, second}) {
		t.Errorf("gold has %v", gold)
	}
}

func TestLedgerHasTheValuesOfASpan(t *testing.T) {
	ledger := newPenaltyLedger()
	ledger.add([]penalty.ChangeRow{change("gold", 1, 1000, 880), change("silver", 2, 500, 380), change("gold", 3, 880, 760)})
	for _, row := range []struct {
		name     string
		from, to int
		want     []int64
	}{
		{"BeforeAll", -1, 0, []int64{1000}},
		{"OverTheFirst", 0, 2, []int64{1000, 880}},
		{"BetweenTwo", 1, 2, []int64{880}},
		{"OverBoth", 0, 3, []int64{1000, 880, 760}},
		{"AfterAll", 3, 9, []int64{760}},
	} {
		t.Run(row.name, func(t *testing.T) {
			at := func(second int) time.Time { return noon.Add(time.Duration(second) * time.Second) }
			if values := ledger.values(goldClass, at(row.from), at(row.to)); !slices.Equal(values, row.want) {
				t.Errorf("values() = %v, want %v", values, row.want)
			}
		})
	}
}

func TestShortTablesLeavesOutChangesAndTimes(t *testing.T) {
	text := "Classes:\nCLASS  VALUE  CHANGED-AT  GAP\ngold     880  noon          1\nx\n\n" +
		"Changes:\nCLASS  AT\ngold   noon\n\nGroups: none\n"
	want := "Classes:\nCLASS  VALUE  \ngold     880  \nx\n\nGroups: none\n"
	if got := shortTables(text); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
