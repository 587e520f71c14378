// Package sheet is how benchmarks show figures: tables and verdicts, the same at a terminal and on a
// page.
package sheet

import "fmt"

// Target is something that a run, whose report is an R, has to reach.
type Target[R any] struct {
	What    string                  // as people read it
	Figure  func(R) (float64, bool) // false: not measured in this run
	AtLeast float64                 // 0: no lower limit
	AtMost  float64                 // 0: no upper limit
}

// Verdict is what became of one target.
type Verdict struct {
	Target   string  `json:"target"`
	Figure   float64 `json:"figure"`
	AtLeast  float64 `json:"atLeast,omitempty"`
	AtMost   float64 `json:"atMost,omitempty"`
	Measured bool    `json:"measured"`
	Passed   bool    `json:"passed"`
}

// Judge holds a run against the targets. What was not measured has not passed.
func Judge[R any](targets []Target[R], report R) []Verdict {
	var verdicts []Verdict
	for _, t := range targets {
		figure, measured := t.Figure(report)
		verdicts = append(verdicts, Verdict{
			Target: t.What, AtLeast: t.AtLeast, AtMost: t.AtMost, Figure: figure, Measured: measured,
			Passed: measured && figure >= t.AtLeast && (t.AtMost == 0 || figure <= t.AtMost),
		})
	}
	return verdicts
}

// Missed says whether a target was measured and not reached, or not measured at all.
func Missed(verdicts []Verdict) bool {
	for _, v := range verdicts {
		if !v.Passed {
			return true
		}
	}
	return false
}

// Word is PASS, MISS or ---- for what was not measured.
func (v Verdict) Word() string {
	switch {
	case !v.Measured:
		return "----"
	case v.Passed:
		return "PASS"
	}
	return "MISS"
}

// Limit is what is asked, for people.
func (v Verdict) Limit() string {
	if v.AtMost != 0 {
		return fmt.Sprintf("at most %.4g", v.AtMost)
	}
	return fmt.Sprintf("at least %.4g", v.AtLeast)
}

// Shown is the figure, for people.
func (v Verdict) Shown() string {
	if !v.Measured {
		return "not measured"
	}
	return Short(v.Figure)
}

// String is the verdict as one line.
func (v Verdict) String() string {
	return fmt.Sprintf("%s  %s: %s (%s)", v.Word(), v.Target, v.Shown(), v.Limit())
}
