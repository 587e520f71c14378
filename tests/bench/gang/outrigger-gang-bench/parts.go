package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// part is one thing that is measured of gangs, for itself, in rounds with the others.
type part interface {
	rounds() int
	measure(ctx context.Context, binary string) error // one round more
	tables() []sheet.Table
	verdicts() []sheet.Verdict
}

// rowNames are what --rows may name; those of the crowd share what they have in common.
var rowNames = []string{"singles", "gangs", "next", "large", "waiting", "stream"}

// chosen are rows that were asked for.
type chosen []string

func (c chosen) has(name string) bool { return slices.Contains(c, name) }

// Set is that of a flag: names, separated by commas.
func (c *chosen) Set(text string) error {
	*c = strings.Split(text, ",")
	for _, name := range *c {
		if !slices.Contains(rowNames, name) {
			return fmt.Errorf("there is no row %q, there are %s", name, strings.Join(rowNames, ", "))
		}
	}
	return nil
}

func (c *chosen) String() string { return strings.Join(*c, ",") }

// parts are those of the rows that were asked for.
func (o options) parts() (parts []part) {
	add := func(name string, one part) {
		if o.rows.has(name) {
			parts = append(parts, one)
		}
	}
	for _, c := range o.crowds {
		if ways := newCrowdWays(o.rows); len(ways) > 0 {
			parts = append(parts, &crowdPart{crowd: c, rows: o.rows, ways: ways, count: o.rounds})
		}
	}
	add("next", &nextPart{next: o.next, ways: o.next.ways(), count: o.rounds})
	add("large", &besidePart{beside: o.beside, ways: o.beside.ways(), count: o.rounds})
	add("waiting", &waitingPart{queue: o.queue, count: o.rounds})
	add("stream", &streamPart{stream: o.stream, ways: newStreamWays(), count: o.rounds})
	return parts
}

// measureParts measures all of them in each round, so that all see the same machine.
func measureParts(ctx context.Context, binary string, parts []part) error {
	for round, more := 0, true; more; round++ {
		more = false
		for _, one := range parts {
			if round >= one.rounds() {
				continue
			}
			if !more {
				fmt.Fprintf(os.Stderr, "round %d\n", round+1)
			}
			more = true
			if err := one.measure(ctx, binary); err != nil {
				return err
			}
		}
	}
	return nil
}

// sectionOf is what was measured of all parts.
func sectionOf(o options, parts []part, loadBefore string) sheet.Section {
	section := sheet.Section{
		Heading: "Gangs",
		Text: fmt.Sprintf("Medians of %d rounds in turns, each on a control plane of its own (etcd, kube-apiserver, "+
			"kube-scheduler). *Stock* is kube-scheduler by its defaults, but without a limit on its calls. "+
			"*All asked* is what `scheduler-config` writes for labels alone, *members-only* with `--members-only`, *gates* with "+
			"gates in the templates, *alone* with `--gang.mode=alone`. Load: %s in the minute before, %s in its last.",
			o.rounds, loadBefore, sheet.Load()),
	}
	for _, one := range parts {
		section.Tables = append(section.Tables, one.tables()...)
		section.Targets = append(section.Targets, one.verdicts()...)
	}
	return section
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// longest is the largest value; 0 of none.
func longest(values []float64) float64 { return slices.Max(append([]float64{0}, values...)) }
