package main

import (
	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// benchCase is one request and how often it is asked. The servers take turns: each round asks one
// of them, then the next, so that what the machine does meanwhile hits all.
type benchCase struct {
	Nodes  int
	Form   bodies.Form
	Verb   replay.Verb
	Raw    effort // the raw client
	Caller effort // the scheduler's own client
}

// effort is Rounds turns of Calls calls for each server; Go, whose calls take many times as long,
// is asked GoCalls times a turn.
type effort struct{ Rounds, Calls, GoCalls int }

// fullCases are every case, in the order of the table.
var fullCases = bothVerbs(
	benchCase{Nodes: 100, Form: bodies.FullNodes, Raw: effort{20, 10, 3}, Caller: effort{10, 3, 2}},
	benchCase{Nodes: 500, Form: bodies.FullNodes, Raw: effort{25, 4, 1}, Caller: effort{5, 2, 1}},
	benchCase{Nodes: 1000, Form: bodies.FullNodes, Raw: effort{25, 4, 1}, Caller: effort{5, 2, 1}},
	benchCase{Nodes: 5000, Form: bodies.FullNodes, Raw: effort{8, 4, 1}, Caller: effort{2, 1, 1}},
	benchCase{Nodes: 100, Form: bodies.NamesOnly, Raw: effort{20, 50, 20}, Caller: effort{10, 20, 20}},
	benchCase{Nodes: 500, Form: bodies.NamesOnly, Raw: effort{20, 50, 20}, Caller: effort{10, 20, 20}},
	benchCase{Nodes: 1000, Form: bodies.NamesOnly, Raw: effort{20, 50, 20}, Caller: effort{10, 20, 20}},
	benchCase{Nodes: 5000, Form: bodies.NamesOnly, Raw: effort{20, 50, 10}, Caller: effort{10, 10, 5}},
)

// quickCases show in seconds that everything still works together.
var quickCases = bothVerbs(
	benchCase{Nodes: 100, Form: bodies.FullNodes, Raw: effort{2, 3, 3}, Caller: effort{1, 2, 2}},
	benchCase{Nodes: 1000, Form: bodies.FullNodes, Raw: effort{1, 3, 2}, Caller: effort{1, 1, 1}},
	benchCase{Nodes: 100, Form: bodies.NamesOnly, Raw: effort{2, 5, 5}, Caller: effort{1, 5, 5}},
)

func bothVerbs(cases ...benchCase) (all []benchCase) {
	for _, c := range cases {
		for _, verb := range []replay.Verb{replay.Filter, replay.Prioritize} {
			c.Verb = verb
			all = append(all, c)
		}
	}
	return all
}
