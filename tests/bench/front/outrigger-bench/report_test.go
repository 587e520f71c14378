package main

import (
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

func TestFiguresOfATerminalAndOfThePageAreTheSame(t *testing.T) {
	r := reaching()
	r.Machine = Machine{CPU: "A Processor", Cores: 2, Kernel: "6.1"}
	r.Targets = judge(r)
	var terminal strings.Builder
	r.Print(&terminal)
	page := r.Page()
	for _, want := range []string{"A Processor, 2 cores", "13.2", "1.49", "1.11", "0.99", "2.99", "slowest 200.0 ms", "PASS"} {
		if !strings.Contains(terminal.String(), want) || !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, never := range []string{"NaN", "Inf"} { // the whole call: nothing measured
		if strings.Contains(page, never) {
			t.Errorf("%s in\n%s", never, page)
		}
	}
	for line := range strings.Lines(page) {
		if strings.Contains(line, "\t") {
			t.Errorf("a tab in %q", line)
		}
	}
}

func TestReadParseTime(t *testing.T) {
	full := benchCase{Nodes: 1000, Form: bodies.FullNodes}
	names := benchCase{Nodes: 1000, Form: bodies.NamesOnly}
	for _, test := range []struct {
		name, answer string
		of           benchCase
		length       int
		want         time.Duration // 0: an error
	}{
		{"full nodes", `{"nodes":1000,"echoBytes":14995000,"nanoseconds":42}`, full, 15e6, 42},
		{"names", `{"nodes":1000,"echoBytes":0,"nanoseconds":42}`, names, 40_000, 42},
		{"a node short", `{"nodes":999,"echoBytes":14995000,"nanoseconds":42}`, full, 15e6, 0},
		{"nodes cut short", `{"nodes":1000,"echoBytes":14900000,"nanoseconds":42}`, full, 15e6, 0},
		{"no JSON", `broken`, full, 15e6, 0},
	} {
		got, err := readParseTime([]byte(test.answer), test.of, test.length)
		if got != test.want || (err == nil) != (test.want != 0) {
			t.Errorf("%s: got %v, %v", test.name, got, err)
		}
	}
}

func TestParseSaysWhatIsMissing(t *testing.T) {
	t.Setenv("OUTRIGGER_BIN", "")
	for _, test := range []struct {
		name string
		args []string
		want string // in the error; empty: none
	}{
		{"no binary", []string{"--floor", "f"}, "--outrigger"},
		{"no floor", []string{"--outrigger", "o"}, "--floor"},
		{"against itself, no binary", []string{"--against-self", "--floor", "f"}, ""},
		{"an argument", []string{"--outrigger", "o", "--floor", "f", "extra"}, "extra"},
		{"a page of a quick run", []string{"--outrigger", "o", "--floor", "f", "--quick", "--page", "p"}, "--page"},
	} {
		_, err := parse(test.args)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", test.name, err)
		}
	}
	t.Setenv("OUTRIGGER_BIN", "/x/outrigger")
	if o, err := parse([]string{"--quick", "--floor", "f"}); err != nil || o.outrigger != "/x/outrigger" || !o.quick {
		t.Errorf("got %+v, %v", o, err)
	}
}
