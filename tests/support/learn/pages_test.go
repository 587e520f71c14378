package learn

import (
	"strings"
	"testing"
)

// lines puts three backquotes in the place of three quotes: a Go string of lines cannot have the former.
func lines(text string) string { return strings.ReplaceAll(text, "'''", "```") }

var pageText = lines(`Before.
<!-- scenario: mine.go -->
'''go
func scenario() {
	say("hello")
}
'''
<!-- output: make start STEP=3 SEED=1 SCENARIO=mine.go -->
'''
$ make start STEP=3 SEED=1 SCENARIO=mine.go
scenario: hello
'''
<!-- output: make start -->
'''
'''
After.`)

func TestOutputsOfAPage(t *testing.T) {
	outputs, err := Outputs(pageText)
	if err != nil || len(outputs) != 2 {
		t.Fatalf("%d outputs, %v", len(outputs), err)
	}
	first, second := outputs[0], outputs[1]
	if first.Step != "3" || first.Seed != "1" || first.Text != "scenario: hello" {
		t.Errorf("the first is %+v", first)
	}
	if first.Scenario != "func scenario() {\n\tsay(\"hello\")\n}" {
		t.Errorf("its scenario is %q", first.Scenario)
	}
	if second.Step != "7" || second.Seed != "" || second.Scenario != "" || second.Text != "" {
		t.Errorf("the second is %+v", second)
	}
}

func TestRewriteChangesBlocksAlone(t *testing.T) {
	outputs, err := Outputs(pageText)
	if err != nil {
		t.Fatal(err)
	}
	page := Rewrite(pageText, outputs, []string{"one\ntwo", "three"})
	want := strings.Replace(pageText, "scenario: hello", "one\ntwo", 1)
	want = strings.Replace(want, lines("start -->\n'''\n"), lines("start -->\n'''\n$ make start\nthree\n"), 1)
	if page != want {
		t.Errorf("the page is\n%s\nnot\n%s", page, want)
	}
	again, err := Outputs(page)
	if err != nil || len(again) != 2 || again[0].Text != "one\ntwo" || again[1].Text != "three" {
		t.Errorf("read again: %+v, %v", again, err)
	}
}

func TestMarkersThatCannotBeFollowed(t *testing.T) {
	for name, row := range map[string]struct{ page, want string }{
		"other command":    {"<!-- output: make test -->\n'''\n'''", "line 1: <!-- output: make test --> is no marker"},
		"unknown scenario": {"<!-- output: make start SCENARIO=x.go -->\n'''\n'''", "no scenario x.go before"},
		"unknown variable": {"<!-- output: make start X=1 -->\n'''\n'''", "make start knows no X"},
		"no block":         {"text\n<!-- output: make start -->\ntext", "line 2: no block"},
		"no end":           {"<!-- output: make start -->\n'''\ntext", "the block has no end"},
		"no function":      {"<!-- scenario: x.go -->\n'''go\nfunc main() {}\n'''", "does not begin with"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Outputs(lines(row.page))
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, not %q", err, row.want)
			}
		})
	}
}

func TestSameLooksAtEachWriterByItself(t *testing.T) {
	const page = "scenario: one\ndefault/pod1, attempt 1\n  -> node1\n\nscenario: two\nscenario: after 4 s: pod1"
	for _, row := range []struct {
		name, run string
		want      bool
	}{
		{"the same", page, true},
		{"written at another moment", "default/pod1, attempt 1\n  -> node1\n\nscenario: one\nscenario: two\nscenario: after 4 s: pod1", true},
		{"another node", strings.Replace(page, "node1", "node2", 1), false},
		{"the scenario's lines in another order", "scenario: two\ndefault/pod1, attempt 1\n  -> node1\n\nscenario: one\nscenario: after 4 s: pod1", false},
		{"a second earlier", strings.Replace(page, "after 4 s", "after 3 s", 1), true},
		{"two seconds earlier", strings.Replace(page, "after 4 s", "after 2 s", 1), false},
		{"on a slow machine", strings.Replace(page, "after 4 s", "after 9 s", 1), true},
		{"too late for any machine", strings.Replace(page, "after 4 s", "after 10 s", 1), false},
		{"another pod", strings.Replace(page, "s: pod1", "s: pod2", 1), false},
		{"one line less", "scenario: one\ndefault/pod1, attempt 1\n\nscenario: two\nscenario: after 4 s: pod1", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := Same(row.run, page); got != row.want {
				t.Errorf("Same is %v", got)
			}
		})
	}
}

func TestWithScenarios(t *testing.T) {
	const source = "package main\n\nfunc scenario() {\n\tsay(\"own\")\n}\n\nfunc main() { scenario() }\n"
	text, err := withScenarios(source, []string{"", "func scenario() {\n\tsay(\"page\")\n}"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\tcase \"1\":\n\t\tscenario1()\n", "func scenario0() {\n\tsay(\"own\")\n}",
		"func scenario1() {\n\tsay(\"page\")\n}", "func main() { scenario() }"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := withScenarios("package main\n", nil); err == nil {
		t.Error("a file without scenario() is accepted")
	}
}
