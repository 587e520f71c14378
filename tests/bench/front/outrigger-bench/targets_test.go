package main

import (
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// reaching is a run that reaches every target by a little.
func reaching() *Report {
	r := &Report{
		Held: &Held{Nodes: 5000, Binds: 500, Idle: 32, Busy: HeldFigures{
			Filter: Figures{MedianMS: 0.99, P99MS: 2.99}, Prioritize: Figures{MedianMS: 0.99, P99MS: 2.99}}},
		Rejected: &Rejected{Nodes: 5000, Filter: Figures{MedianMS: 0.98}},
		Idle:     &Idle{CPUPercent: 0.09},
		Startup:  &Startup{MedianMS: 99, SlowestMS: 200},
	}
	for _, verb := range []replay.Verb{replay.Filter, replay.Prioritize} {
		// 10 ms of the floor at 1000 nodes; bodies of 10 and 50 million bytes.
		small := row(1000, verb, 10e6, ServerFigures{Go: Figures{MedianMS: 196}, Ours: Figures{MedianMS: 14.9, PeakMiB: 49},
			Floor: Figures{MedianMS: 10}, ReceiveOnlyMS: 5, ParseOnlyMS: 4})
		large := row(5000, verb, 50e6, ServerFigures{Ours: Figures{MedianMS: 89, PeakMiB: 125}})
		r.Rows = append(r.Rows, small, large)
	}
	return r
}

func row(nodes int, verb replay.Verb, body int, s ServerFigures) Row {
	s.compare()
	return Row{Nodes: nodes, Form: bodies.FullNodes, Verb: verb, BodyBytes: body, Server: s}
}

func TestARunThatReachesEverythingPasses(t *testing.T) {
	for _, v := range judge(reaching()) {
		if !v.Passed || !strings.HasPrefix(v.String(), "PASS") {
			t.Error(v)
		}
	}
}

func TestOneFigureBeyondItsLimitIsOneMiss(t *testing.T) {
	server := func(change func(*ServerFigures)) func(*Report) {
		return func(r *Report) {
			change(&r.Rows[0].Server)
			r.Rows[0].Server.compare()
		}
	}
	for _, test := range []struct {
		name, target string
		spoil        func(*Report)
	}{
		{"more than 1.5 times the floor", "filter, 1000 full nodes: server time by the floor's",
			server(func(s *ServerFigures) { s.Floor.MedianMS = 9.9 })},
		{"less than 13 times faster than Go", "filter, 1000 full nodes: times faster than Go",
			server(func(s *ServerFigures) { s.Go.MedianMS = 193 })},
		{"a floor that is none", "filter, 1000 full nodes: the floor by receive-only + parse-only",
			server(func(s *ServerFigures) { s.ReceiveOnlyMS = 4.6 })},
		{"more than two bodies and 32 MB", "filter, 1000 full nodes: peak memory",
			server(func(s *ServerFigures) { s.Ours.PeakMiB = 50 })},
		{"the same for prioritize at 5000", "prioritize, 5000 full nodes: peak memory",
			func(r *Report) { r.Rows[3].Server.Ours.PeakMiB = 126 }},
		{"worse than linear", "filter, 5000 full nodes: server time by that of 1000",
			func(r *Report) { r.Rows[1].Server.Ours.MedianMS = 89.5 }},
		{"slow beside binds", "filter, 5000 names, while 500 binds wait and 32 connections idle: median",
			func(r *Report) { r.Held.Busy.Filter.MedianMS = 1.01 }},
		{"slow at times beside binds", "prioritize, 5000 names, while 500 binds wait and 32 connections idle: p99",
			func(r *Report) { r.Held.Busy.Prioritize.P99MS = 3.01 }},
		{"slow where it rejects", "filter, 5000 names, one in 3 rejected",
			func(r *Report) { r.Rejected.Filter.MedianMS = 1.01 }},
		{"not idle", "idle", func(r *Report) { r.Idle.CPUPercent = 0.11 }},
		{"slow to start", "start to ready", func(r *Report) { r.Startup.MedianMS = 101 }},
	} {
		r := reaching()
		test.spoil(r)
		verdicts := judge(r)
		if !missed(verdicts) {
			t.Errorf("%s: nothing missed", test.name)
		}
		for _, v := range verdicts {
			if hit := strings.HasPrefix(v.Target, test.target); hit == v.Passed || hit && v.Word() != "MISS" {
				t.Errorf("%s: %s", test.name, v)
			}
		}
	}
}

func TestWhatWasNotMeasuredHasNotPassed(t *testing.T) {
	for _, test := range []struct {
		name string
		take func(*Report)
		want int // verdicts without a figure
	}{
		{"an empty run", func(r *Report) { *r = Report{} }, len(targets())},
		{"names in place of full nodes", func(r *Report) { r.Rows[0].Form = bodies.NamesOnly }, 5},
		{"fewer nodes to reject", func(r *Report) { r.Rejected.Nodes = 100 }, 1},
		{"fewer binds than asked", func(r *Report) { r.Held.Binds = 499 }, 4},
		{"fewer idle connections than asked", func(r *Report) { r.Held.Idle = 31 }, 4},
	} {
		r := reaching()
		test.take(r)
		verdicts, open := judge(r), 0
		for _, v := range verdicts {
			if v.Word() == "----" {
				open++
			}
		}
		if open != test.want || !missed(verdicts) {
			t.Errorf("%s: %d not measured, want %d; missed: %t", test.name, open, test.want, missed(verdicts))
		}
	}
}

func TestAFullRunMeasuresEveryTarget(t *testing.T) {
	r := &Report{Held: &Held{Nodes: fullHeld.Nodes, Binds: fullHeld.Binds, Idle: fullHeld.Idle},
		Rejected: &Rejected{Nodes: fullRejected.Nodes}, Idle: &Idle{}, Startup: &Startup{}}
	for _, c := range fullCases {
		r.Rows = append(r.Rows, Row{Nodes: c.Nodes, Form: c.Form, Verb: c.Verb})
	}
	for _, v := range judge(r) {
		if !v.Measured {
			t.Error(v)
		}
	}
}
