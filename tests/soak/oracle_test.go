package main

import (
	"math"
	"testing"
	"time"
)

func TestRegularizedBetaHasItsKnownValues(t *testing.T) {
	for _, row := range []struct{ a, b, x, want float64 }{
		{1, 1, 0.3, 0.3},
		{2, 1, 0.3, 0.09},
		{1, 3, 0.2, 1 - math.Pow(0.8, 3)},
		{5, 5, 0.5, 0.5},
		{200, 200, 0.5, 0.5},
	} {
		if got := regularizedBeta(row.a, row.b, row.x); math.Abs(got-row.want) > 1e-12 {
			t.Errorf("I_%v(%v, %v) = %v, want %v", row.x, row.a, row.b, got, row.want)
		}
	}
}

func TestQuestionsAskForEveryKindOfAnswer(t *testing.T) {
	begin := time.Now()
	all, err := makeQuestions(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("made in %v", time.Since(begin))
	reasons, scores := map[string]int{}, map[int64]int{}
	for _, q := range all.small {
		for _, want := range q.want {
			reasons[want.rejected[:min(len(want.rejected), 9)]]++
			scores[want.score]++
		}
	}
	t.Logf("%v %v", reasons, scores)
	if len(reasons) < 3 || len(scores) < 6 || reasons[""] == 0 {
		t.Errorf("too little variety: %v %v", reasons, scores)
	}
}

func TestGrowthIsSeenThroughNoise(t *testing.T) {
	var level, rising []int64
	for i := range int64(90) {
		level = append(level, 100+i%7)
		rising = append(rising, 100+i)
	}
	if first, last, err := growth(level); err != nil || !flat(first, last, 5) {
		t.Errorf("level: %d to %d, %v", first, last, err)
	}
	if first, last, err := growth(rising); err != nil || flat(first, last, 5) {
		t.Errorf("rising: %d to %d, %v", first, last, err)
	}
	if _, _, err := growth(level[:10]); err == nil {
		t.Error("ten samples were enough")
	}
}
