package main

import "fmt"

// Verdict is what became of one target.
type Verdict struct {
	Target   string  `json:"target"`
	Figure   float64 `json:"figure"`
	AtLeast  float64 `json:"atLeast,omitempty"`
	AtMost   float64 `json:"atMost,omitempty"`
	Measured bool    `json:"measured"`
	Passed   bool    `json:"passed"`
}

// judge holds a run against the targets. What was not measured has not passed.
func judge(r *Report) []Verdict {
	var verdicts []Verdict
	for _, t := range targets() {
		figure, measured := t.Figure(r)
		verdicts = append(verdicts, Verdict{
			Target: t.What, AtLeast: t.AtLeast, AtMost: t.AtMost, Figure: figure, Measured: measured,
			Passed: measured && figure >= t.AtLeast && (t.AtMost == 0 || figure <= t.AtMost),
		})
	}
	return verdicts
}

// missed says whether a target was measured and not reached, or not measured at all.
func missed(verdicts []Verdict) bool {
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
		return fmt.Sprintf("at most %g", v.AtMost)
	}
	return fmt.Sprintf("at least %g", v.AtLeast)
}

// Shown is the figure, for people.
func (v Verdict) Shown() string {
	if !v.Measured {
		return "not measured"
	}
	return short(v.Figure)
}

// String is the verdict as one line.
func (v Verdict) String() string {
	return fmt.Sprintf("%s  %s: %s (%s)", v.Word(), v.Target, v.Shown(), v.Limit())
}
