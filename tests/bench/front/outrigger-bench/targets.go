package main

import (
	"fmt"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/sheet"
)

// target is something that a run has to reach.
type target = sheet.Target[*Report]

// memoryAllowance is what a server may need beside two bodies, in bytes.
const memoryAllowance = 32e6

// targets are all targets there are.
func targets() []target {
	all := []target{}
	for _, verb := range []replay.Verb{replay.Filter, replay.Prioritize} {
		all = append(all, fullNodeTargets(verb)...)
		all = append(all, heldTargets(verb)...)
	}
	return append(all,
		target{What: fmt.Sprintf("filter, %d names, one in %d rejected with its reason: median ms", fullRejected.Nodes, fullRejected.Every),
			AtMost: 1, Figure: func(r *Report) (float64, bool) {
				if r.Rejected == nil || r.Rejected.Nodes != fullRejected.Nodes {
					return 0, false
				}
				return r.Rejected.Filter.MedianMS, true
			}},
		target{What: "idle, percent of a core", AtMost: 0.1, Figure: func(r *Report) (float64, bool) {
			if r.Idle == nil {
				return 0, false
			}
			return r.Idle.CPUPercent, true
		}},
		target{What: "start to ready without a cluster, median ms", AtMost: 100, Figure: func(r *Report) (float64, bool) {
			if r.Startup == nil {
				return 0, false
			}
			return r.Startup.MedianMS, true
		}})
}

func fullNodeTargets(verb replay.Verb) []target {
	at := func(nodes int, figure func(Row) float64) func(*Report) (float64, bool) {
		return func(r *Report) (float64, bool) {
			row, found := r.row(nodes, bodies.FullNodes, verb)
			return figure(row), found
		}
	}
	of := func(nodes int, what string) string {
		return fmt.Sprintf("%s, %d full nodes: %s", verb, nodes, what)
	}
	return []target{
		{What: of(1000, "server time by the floor's"), AtMost: 1.5,
			Figure: at(1000, func(row Row) float64 { return row.Server.OursByFloor })},
		{What: of(1000, "times faster than Go"), AtLeast: 13,
			Figure: at(1000, func(row Row) float64 { return row.Server.GoByOurs })},
		{What: of(1000, "the floor by receive-only + parse-only"), AtMost: 1.15,
			Figure: at(1000, func(row Row) float64 { return row.Server.FloorBySum })},
		{What: of(1000, "peak memory beyond 32 MB, in bodies"), AtMost: 2, Figure: at(1000, bodiesHeld)},
		{What: of(5000, "peak memory beyond 32 MB, in bodies"), AtMost: 2, Figure: at(5000, bodiesHeld)},
		{What: of(5000, "server time by that of 1000 nodes"), AtMost: 6, Figure: func(r *Report) (float64, bool) {
			small, found := r.row(1000, bodies.FullNodes, verb)
			large, foundLarge := r.row(5000, bodies.FullNodes, verb)
			return times(large.Server.Ours.MedianMS, small.Server.Ours.MedianMS), found && foundLarge
		}},
	}
}

// bodiesHeld is our peak memory beyond the allowance, in units of the request's body: 2 is one for
// the request and one for the answer.
func bodiesHeld(row Row) float64 {
	return max(0, times(row.Server.Ours.PeakMiB*(1<<20)-memoryAllowance, float64(row.BodyBytes)))
}

func heldTargets(verb replay.Verb) []target {
	figure := func(of func(Figures) float64) func(*Report) (float64, bool) {
		return func(r *Report) (float64, bool) {
			if r.Held == nil || r.Held.Nodes != fullHeld.Nodes || r.Held.Binds != fullHeld.Binds || r.Held.Idle != fullHeld.Idle {
				return 0, false
			}
			if verb == replay.Filter {
				return of(r.Held.Busy.Filter), true
			}
			return of(r.Held.Busy.Prioritize), true
		}
	}
	what := fmt.Sprintf("%s, %d names, while %d binds wait and %d connections idle: ",
		verb, fullHeld.Nodes, fullHeld.Binds, fullHeld.Idle)
	return []target{
		{What: what + "median ms", AtMost: 1, Figure: figure(func(f Figures) float64 { return f.MedianMS })},
		{What: what + "p99 ms", AtMost: 3, Figure: figure(func(f Figures) float64 { return f.P99MS })},
	}
}

// row is the row of that case.
func (r *Report) row(nodes int, form bodies.Form, verb replay.Verb) (Row, bool) {
	for _, row := range r.Rows {
		if row.Nodes == nodes && row.Form == form && row.Verb == verb {
			return row, true
		}
	}
	return Row{}, false
}
