package main

import "outrigger.dev/outrigger/tests/bench/sheet"

// Verdict is what became of one target.
type Verdict = sheet.Verdict

// judge holds a run against the targets, and adds what its sections have been held against.
func judge(r *Report) []Verdict {
	verdicts := sheet.Judge(targets(), r)
	for _, section := range r.Sections {
		verdicts = append(verdicts, section.Targets...)
	}
	return verdicts
}

// missed says whether a target was measured and not reached, or not measured at all.
func missed(verdicts []Verdict) bool { return sheet.Missed(verdicts) }
