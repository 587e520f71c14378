package main

import (
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

func TestWhatIsJudged(t *testing.T) {
	for _, row := range []struct {
		args    string
		partial bool
	}{
		{"", false},
		{"--rows singles,next", false},
		{"--rounds 5", false},
		{"--rounds 2", true},
		{"--quick", true},
		{"--quick --rows next --rounds 5", true},
		{"--queue --rounds 5", false},
		{"--queue --rounds 3", true},
		{"--lab", false},
	} {
		o, err := parse(append(strings.Fields(row.args), "--outrigger", "o"))
		if err != nil {
			t.Errorf("%s: %v", row.args, err)
		} else if o.partial() != row.partial {
			t.Errorf("%s: partial is %t", row.args, o.partial())
		}
	}
}

func TestRowsThatAreNotThereAreRefused(t *testing.T) {
	for _, args := range []string{"--rows nothing", "--rows singles,", "--queue --lab"} {
		if _, err := parse(append(strings.Fields(args), "--outrigger", "o")); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// A ratio needs what it is to, and what two rows need is measured once.
func TestWaysOfTheCrowd(t *testing.T) {
	for _, row := range []struct {
		rows chosen
		ways int
	}{
		{chosen{"next"}, 0},
		{chosen{"singles"}, 4},
		{chosen{"gangs"}, 8},
		{rowNames, 11},
	} {
		ways := newCrowdWays(row.rows)
		if len(ways) != row.ways {
			t.Errorf("%s: %d ways, want %d: %v", row.rows.String(), len(ways), row.ways, ways)
		}
		for _, way := range ways {
			way.seconds, way.inPart = []float64{1}, []float64{0}
		}
		part := &crowdPart{rows: row.rows, ways: ways}
		for _, verdict := range part.verdicts() {
			if !verdict.Measured {
				t.Errorf("%s: %s", row.rows.String(), verdict)
			}
		}
	}
}

func TestACrowdIsHeldAgainstTheSamePodsOnStock(t *testing.T) {
	ways := newCrowdWays(chosen{"singles"})
	for _, way := range ways {
		way.seconds = []float64{10}
	}
	part := &crowdPart{rows: chosen{"singles"}, ways: ways}
	if verdicts := part.verdicts(); sheet.Missed(verdicts) {
		t.Errorf("as long as on stock: %v", verdicts)
	}
	part.way(membersOnly, false, false).seconds = []float64{11, 12, 11.4}
	part.way(alone, false, false).seconds = []float64{10.6}
	verdicts := part.verdicts()
	if !verdicts[0].Passed || verdicts[2].Passed {
		t.Errorf("1.14 and 1.06 times as long: %v", verdicts)
	}
}

func TestTakenIsCountedFromTheFirstDelete(t *testing.T) {
	way := nextWay{beside: membersOnlyGated, atMost: 0.5, taken: []taken{{whole: 0.4}, {whole: 0.6}, {whole: 0.7}}}
	part := nextPart{next: full.next, ways: []*nextWay{&way}}
	if verdicts := part.verdicts(); !sheet.Missed(verdicts) || verdicts[0].Figure != 0.6 {
		t.Errorf("median .6 of at most .5: %v", verdicts)
	}
}
