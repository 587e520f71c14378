package main

import (
	"fmt"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// target is something that one row of the table has to reach.
type target struct {
	Nodes   int
	Form    bodies.Form
	Verb    replay.Verb
	What    string                // as people read it
	Figure  func(row Row) float64 // of a row with figures for both servers
	AtLeast float64               // 0: no lower limit
	AtMost  float64               // 0: no upper limit
}

// targets are all targets there are.
var targets = []target{
	{Nodes: 1000, Form: bodies.FullNodes, Verb: replay.Filter,
		What: "server time, times faster than Go", Figure: serverRatio, AtLeast: 8},
	{Nodes: 1000, Form: bodies.FullNodes, Verb: replay.Prioritize,
		What: "server time, times faster than Go", Figure: serverRatio, AtLeast: 8},
}

// serverRatio is how many times faster than Go our server answers the raw client.
func serverRatio(row Row) float64 { return row.Server.Ratio }

// Verdict is what became of one target.
type Verdict struct {
	Target   string  `json:"target"`
	Figure   float64 `json:"figure"`
	AtLeast  float64 `json:"atLeast,omitempty"`
	AtMost   float64 `json:"atMost,omitempty"`
	Measured bool    `json:"measured"`
	Passed   bool    `json:"passed"`
}

// judge holds rows against the targets. A target whose row is missing is neither met nor missed.
func judge(rows []Row) []Verdict {
	verdicts := make([]Verdict, 0, len(targets))
	for _, t := range targets {
		v := Verdict{
			Target:  fmt.Sprintf("%s, %d nodes, %s: %s", t.Verb, t.Nodes, t.Form, t.What),
			AtLeast: t.AtLeast, AtMost: t.AtMost,
		}
		for _, row := range rows {
			if row.Nodes == t.Nodes && row.Form == t.Form && row.Verb == t.Verb {
				v.Measured = true
				v.Figure = t.Figure(row)
				v.Passed = v.Figure >= t.AtLeast && (t.AtMost == 0 || v.Figure <= t.AtMost)
			}
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// missed says whether a target was measured and not reached, or not measured at all.
func missed(verdicts []Verdict) bool {
	for _, v := range verdicts {
		if !v.Passed {
			return true
		}
	}
	return false
}
