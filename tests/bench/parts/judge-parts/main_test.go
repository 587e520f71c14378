package main

import (
	"testing"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

func TestTimesAreReadInMilliseconds(t *testing.T) {
	times, err := read([]byte(`{"benchmarks": [
		{"name": "a", "run_type": "iteration", "cpu_time": 2.5, "time_unit": "us"},
		{"name": "b", "run_type": "iteration", "cpu_time": 3, "time_unit": "ms"},
		{"name": "b_mean", "run_type": "aggregate", "cpu_time": 3, "time_unit": "ms"},
		{"name": "broken", "run_type": "iteration", "error_occurred": true, "cpu_time": 0, "time_unit": "ms"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(times) != 2 || times["a"] != 0.0025 || times["b"] != 3 {
		t.Errorf("got %v", times)
	}
}

func TestATargetIsMissedIfItIsAboveOrNotMeasured(t *testing.T) {
	judged := []sheet.Target[parts]{atMost("x", "a", 2), ratio("y", "a", "b", 3)}
	for _, row := range []struct {
		name   string
		times  parts
		missed bool
	}{
		{"both met", parts{"a": 2, "b": 1}, false},
		{"too slow", parts{"a": 2.1, "b": 1}, true},
		{"grows too fast", parts{"a": 2, "b": 0.5}, true},
		{"not measured", parts{"a": 1}, true},
	} {
		if missed := sheet.Missed(sheet.Judge(judged, row.times)); missed != row.missed {
			t.Errorf("%s: missed is %v", row.name, missed)
		}
	}
}
