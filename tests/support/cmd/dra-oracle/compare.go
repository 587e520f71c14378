package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
)

const (
	// unsureLimit is the largest share of nodes for which a program may have no answer.
	unsureLimit = 0.02
	shownLimit  = 20
)

// tally counts the answers for all nodes of all cases.
type tally struct {
	fits, misfit, failed, unsure, differ int
}

func (t tally) String() string {
	return fmt.Sprintf("agree fits %d, agree misfit %d, agree error %d, unsure %d (%.2f %%), differ %d",
		t.fits, t.misfit, t.failed, t.unsure, 100*t.unsureShare(), t.differ)
}

func (t tally) unsureShare() float64 {
	return float64(t.unsure) / float64(max(1, t.fits+t.misfit+t.failed+t.unsure+t.differ))
}

func (t tally) good() bool { return t.differ == 0 && t.unsureShare() <= unsureLimit }

// disagreement is a case with the other answer, as it is written to the file.
type disagreement struct {
	*testCase
	Answer json.RawMessage `json:"answer"`
	Differ []string        `json:"differ"`
}

// compare reports whether a program answers the cases as upstream does. It prints the counts, and
// writes the cases with other answers to the file.
func compare(cases []*testCase, program, path string) bool {
	answers, err := askProgram(cases, program)
	must(err)
	counts, others, err := judge(cases, answers)
	must(err)
	fmt.Printf("dra-oracle: %d cases: %v\n", len(cases), counts)
	if len(others) > 0 {
		must(report(others, path))
	}
	if counts.unsureShare() > unsureLimit {
		fmt.Fprintf(os.Stderr, "dra-oracle: unsure for more than %g %% of the nodes\n", 100*unsureLimit)
	}
	return counts.good()
}

// askProgram returns the lines of a program that reads all cases.
func askProgram(cases []*testCase, program string) ([][]byte, error) {
	var input bytes.Buffer
	for _, each := range cases {
		text, err := each.question()
		if err != nil {
			return nil, err
		}
		input.Write(append(text, '\n'))
	}
	command := exec.Command(program)
	command.Stdin, command.Stderr = &input, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	answers := bytes.Split(bytes.TrimSuffix(output, []byte("\n")), []byte("\n"))
	if len(answers) != len(cases) {
		return nil, fmt.Errorf("%s answered %d of %d cases", program, len(answers), len(cases))
	}
	return answers, nil
}

// judge compares a line of answers with each case.
func judge(cases []*testCase, answers [][]byte) (tally, []disagreement, error) {
	var counts tally
	var others []disagreement
	for i, each := range cases {
		var answer map[string]*outcome
		if err := json.Unmarshal(answers[i], &answer); err != nil {
			return counts, nil, fmt.Errorf("%s: %w: %.300s", each.ID, err, answers[i])
		}
		var differ []string
		for _, name := range names(each.Expect) {
			if why := counts.add(each.Expect[name], answer[name]); why != "" {
				differ = append(differ, name+": "+why)
			}
			delete(answer, name)
		}
		for _, name := range names(answer) {
			counts.differ++
			differ = append(differ, name+": no node of the case")
		}
		if differ != nil {
			others = append(others, disagreement{each, answers[i], differ})
		}
	}
	return counts, others, nil
}

// add counts the answer for one node, and returns how it differs.
func (t *tally) add(want, got *outcome) string {
	why := differs(want, got)
	switch {
	case why != "":
		t.differ++
	case got.Unsure != "":
		t.unsure++
	case want.Error != "":
		t.failed++
	case *want.Fits:
		t.fits++
	default:
		t.misfit++
	}
	return why
}

func differs(want, got *outcome) string {
	if got == nil || got.kinds() != 1 {
		return "not exactly one of fits, error and unsure"
	}
	switch {
	case got.Unsure != "":
		return ""
	case want.Error != "" || got.Error != "":
		if (want.Error == "") != (got.Error == "") {
			return fmt.Sprintf("upstream %s, ours %s", want.brief(), got.brief())
		}
		return ""
	case *want.Fits != *got.Fits:
		return fmt.Sprintf("upstream %s, ours %s", want.brief(), got.brief())
	case len(want.Allocations) != len(got.Allocations):
		return fmt.Sprintf("upstream %d allocations, ours %d", len(want.Allocations), len(got.Allocations))
	}
	for i := range want.Allocations {
		if why := differentAllocations(&want.Allocations[i], &got.Allocations[i]); why != "" {
			return fmt.Sprintf("claim %d: %s", i, why)
		}
	}
	return ""
}

func (o *outcome) kinds() int {
	count := 0
	for _, is := range []bool{o.Fits != nil, o.Error != "", o.Unsure != ""} {
		if is {
			count++
		}
	}
	return count
}

func (o *outcome) brief() string {
	switch {
	case o.Error != "":
		return "error " + o.Error
	case *o.Fits:
		return "fits"
	}
	return "does not fit"
}

func differentAllocations(want, got *resourceapi.AllocationResult) string {
	upstream, ours := want.Devices.Results, got.Devices.Results
	if len(upstream) != len(ours) {
		return fmt.Sprintf("upstream %d results, ours %d", len(upstream), len(ours))
	}
	for i := range upstream {
		if !sameResult(&upstream[i], &ours[i]) {
			return fmt.Sprintf("result %d: upstream %s, ours %s", i, brief(upstream[i]), brief(ours[i]))
		}
	}
	if !equality.Semantic.DeepEqual(want.NodeSelector, got.NodeSelector) {
		return fmt.Sprintf("node selector: upstream %s, ours %s", brief(want.NodeSelector), brief(got.NodeSelector))
	}
	// A predictor need not return configurations.
	if len(got.Devices.Config) > 0 && brief(want.Devices.Config) != brief(got.Devices.Config) {
		return fmt.Sprintf("config: upstream %s, ours %s", brief(want.Devices.Config), brief(got.Devices.Config))
	}
	return ""
}

func brief(value any) string {
	text, err := line(value)
	must(err)
	return string(text)
}

// sameResult compares what matters to other pods. Of tolerations and conditions, which a predictor
// need not return, it compares those that are there.
func sameResult(want, got *resourceapi.DeviceRequestAllocationResult) bool {
	same := want.Request == got.Request &&
		want.Driver == got.Driver && want.Pool == got.Pool && want.Device == got.Device &&
		ptr.Deref(want.AdminAccess, false) == ptr.Deref(got.AdminAccess, false) &&
		(want.ShareID == nil) == (got.ShareID == nil) && len(want.ConsumedCapacity) == len(got.ConsumedCapacity)
	for name, consumed := range want.ConsumedCapacity {
		there, ok := got.ConsumedCapacity[name]
		same = same && ok && consumed.Cmp(there) == 0
	}
	return same && absentOrEqual(got.Tolerations, want.Tolerations) &&
		absentOrEqual(got.BindingConditions, want.BindingConditions) &&
		absentOrEqual(got.BindingFailureConditions, want.BindingFailureConditions)
}

func absentOrEqual[T any](got, want []T) bool {
	return len(got) == 0 || equality.Semantic.DeepEqual(got, want)
}

// report writes the cases to the file and shows the first ones.
func report(others []disagreement, path string) error {
	var text bytes.Buffer
	for i, each := range others {
		row, err := line(each)
		if err != nil {
			return err
		}
		text.Write(append(row, '\n'))
		if i < shownLimit {
			show(os.Stderr, each)
		}
	}
	fmt.Fprintf(os.Stderr, "dra-oracle: %d cases with other answers: %s\n", len(others), path)
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func show(to io.Writer, each disagreement) {
	for _, why := range each.Differ {
		fmt.Fprintf(to, "%s: %.400s\n", each.ID, why)
	}
}
