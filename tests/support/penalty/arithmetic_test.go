package penalty_test

import (
	"math"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/penalty"
)

// Cases that are worked out by hand.
func TestValueOfEdges(t *testing.T) {
	began := time.UnixMilli(1_700_000_000_000)
	second := func(n float64) time.Time { return began.Add(time.Duration(n * float64(time.Second))) }
	start := func(n float64) penalty.Edge { return penalty.Edge{Kind: penalty.Start, At: second(n)} }
	halves := penalty.Rules{Base: 1000, Floor: 100, Start: penalty.Increment{Flat: 400},
		Completion: penalty.Increment{Fraction: 0.5}, Recovery: penalty.Recovery{HalfLife: 10 * time.Second, Grace: time.Second}}
	steps := halves
	steps.Recovery = penalty.Recovery{Interval: 2 * time.Second, Step: 150}
	for name, row := range map[string]struct {
		rules penalty.Rules
		edges []penalty.Edge
		at    float64
		want  int64
	}{
		"nothing":           {halves, nil, 5, 1000},
		"before":            {halves, []penalty.Edge{start(6)}, 5, 1000},
		"at once":           {halves, []penalty.Edge{start(5)}, 5, 600},
		"in its grace":      {halves, []penalty.Edge{start(5)}, 6, 600},
		"half":              {halves, []penalty.Edge{start(5)}, 16, 800},
		"rounded":           {halves, []penalty.Edge{start(5)}, 66, 994}, // 400/64 = 6.25
		"a half, then more": {halves, []penalty.Edge{start(0), start(11)}, 11, 400},
		"at its floor":      {halves, []penalty.Edge{start(0), start(0), start(0)}, 0, 100},
		"no debt below it":  {halves, []penalty.Edge{start(0), start(0), start(0)}, 11, 550},
		"half of what is left": {halves, []penalty.Edge{start(0), {Kind: penalty.Completion, At: second(0)}}, 0,
			350}, // 400 + 0.5*(900-400)
		"nothing is left": {halves, []penalty.Edge{start(0), start(0), start(0), {Kind: penalty.Completion, At: second(0)}}, 11,
			550},
		"a step":           {steps, []penalty.Edge{start(0)}, 2, 750},
		"a step is due":    {steps, []penalty.Edge{start(0)}, 3.999, 750},
		"all steps":        {steps, []penalty.Edge{start(0)}, 6, 1000},
		"steps begin anew": {steps, []penalty.Edge{start(0), start(3)}, 4.9, 350},
	} {
		if value := row.rules.Value(row.edges, second(row.at)); value != row.want {
			t.Errorf("%s: %d, want %d", name, value, row.want)
		}
	}
	if p := halves.Penalty([]penalty.Edge{start(0)}, second(11)); math.Abs(p-200) > 1e-9 {
		t.Errorf("penalty after a half-life: %v", p)
	}
}

func TestDefaultFloor(t *testing.T) {
	for _, row := range []struct {
		base   int64
		others []int64
		want   int64
	}{
		{1000, nil, -10}, {1000, []int64{2000, 400, 1000}, 401}, {-10, nil, -10},
		{-20, nil, math.MinInt32}, {20_000, []int64{10_000}, 10_001},
	} {
		if floor := penalty.DefaultFloor(row.base, row.others...); floor != row.want {
			t.Errorf("%d of %v: %d, want %d", row.base, row.others, floor, row.want)
		}
	}
}
