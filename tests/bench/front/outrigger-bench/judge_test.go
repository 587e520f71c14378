package main

import (
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// row is a case in which our server is ratio times faster than Go.
func row(nodes int, verb replay.Verb, ratio float64) Row {
	golang, ours := Figures{MedianMS: 100 * ratio}, Figures{MedianMS: 100}
	return Row{Nodes: nodes, Form: bodies.FullNodes, Verb: verb, Server: compare(golang, ours)}
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name   string
		rows   []Row
		missed bool
		lines  []string // how the verdicts begin
	}{
		{"both reached", []Row{row(1000, replay.Filter, 8), row(1000, replay.Prioritize, 20)}, false, []string{"PASS", "PASS"}},
		{"one too slow", []Row{row(1000, replay.Filter, 7.99), row(1000, replay.Prioritize, 20)}, true, []string{"MISS", "PASS"}},
		{"one not measured", []Row{row(100, replay.Filter, 9), row(1000, replay.Prioritize, 20)}, true, []string{"----", "PASS"}},
		{"another form", []Row{{Nodes: 1000, Form: bodies.NamesOnly, Verb: replay.Filter}}, true, []string{"----", "----"}},
	} {
		verdicts := judge(test.rows)
		if missed(verdicts) != test.missed {
			t.Errorf("%s: missed is %t", test.name, !test.missed)
		}
		for i, begin := range test.lines {
			if !strings.HasPrefix(verdicts[i].String(), begin) {
				t.Errorf("%s: got %q, want %s", test.name, verdicts[i], begin)
			}
		}
	}
}

func TestEveryTargetIsMeasuredByAFullRun(t *testing.T) {
	for _, target := range targets {
		found := false
		for _, c := range fullCases {
			found = found || c.Nodes == target.Nodes && c.Form == target.Form && c.Verb == target.Verb
		}
		if !found {
			t.Errorf("no case measures %s %d %s", target.Verb, target.Nodes, target.Form)
		}
	}
}

func TestPrintShowsTheRatio(t *testing.T) {
	report := Report{Rows: []Row{{Nodes: 5, Form: bodies.NamesOnly, Verb: replay.Filter,
		Server: compare(Figures{MedianMS: 30}, Figures{MedianMS: 20})}}} // the whole call: nothing measured
	var out strings.Builder
	report.Print(&out)
	if !strings.Contains(out.String(), "1.50") || strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("got\n%s", &out)
	}
}

func TestParseWantsABinary(t *testing.T) {
	t.Setenv("OUTRIGGER_BIN", "")
	if _, err := parse(nil); err == nil {
		t.Error("no error without a binary")
	}
	if _, err := parse([]string{"--against-self"}); err != nil {
		t.Error(err)
	}
	t.Setenv("OUTRIGGER_BIN", "/x/outrigger")
	if o, err := parse([]string{"--quick"}); err != nil || o.outrigger != "/x/outrigger" || !o.quick {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := parse([]string{"extra"}); err == nil {
		t.Error("no error for an argument")
	}
}
