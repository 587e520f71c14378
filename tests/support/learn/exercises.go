package learn

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
)

// Finding is one thing that a check has looked at.
type Finding struct {
	// OK: it is as the exercise asks.
	OK bool
	// Text is what was seen.
	Text string
	// Hint is for a learner whose solution does not do it yet; empty with OK.
	Hint string
}

// Exercise is a task of a page with a check.
type Exercise struct {
	// Step is the scheduler's, and the page's.
	Step int
	// Task is the exercise in a line.
	Task string
	// nodes are there when the scheduler starts.
	nodes []*corev1.Node
	judge func(l *lab) ([]Finding, error)
}

// Exercises are those that have a check.
var Exercises = []Exercise{
	{3, "a node whose digit is near the pod's scores more than one that is far",
		[]*corev1.Node{node("node1"), node("node5"), node("node8"), node("other-node")}, judgeNearest},
	{5, "a pod whose name begins with urgent- does not wait",
		[]*corev1.Node{node("node8")}, judgeUrgent},
	{7, "a node with the label closed=true gets no pods; taking the label away wakes those that wait",
		[]*corev1.Node{closedNode("node0"), closedNode("node-x")}, judgeClosed},
}

// ExerciseOf returns the exercise of a step.
func ExerciseOf(step string) (Exercise, error) {
	var known []string
	for _, exercise := range Exercises {
		if fmt.Sprint(exercise.Step) == step {
			return exercise, nil
		}
		known = append(known, fmt.Sprint(exercise.Step))
	}
	return Exercise{}, fmt.Errorf("step %q has no check: those of steps %s have one", step, strings.Join(known, ", "))
}

// Judge runs the program at a cluster without nodes, and looks whether it does what the exercise asks. It
// returns findings up to the first that is not OK, at least one. An error means that nothing is known.
func (e Exercise) Judge(ctx context.Context, c *cluster.Cluster, binary string) ([]Finding, error) {
	l, err := startLab(ctx, c, binary, e.Step, e.nodes)
	if err != nil {
		return nil, err
	}
	defer l.scheduler.Kill()
	findings, err := e.judge(l)
	if exit := l.scheduler.ExitError(); exit != nil {
		return nil, exit // what was seen comes from that
	}
	return findings, err
}

// Passed reports whether all findings are OK.
func Passed(findings []Finding) bool {
	for _, finding := range findings {
		if !finding.OK {
			return false
		}
	}
	return len(findings) > 0
}

// nearest are pods and the nodes that they must get, of node1, node5, node8 and other-node. There are so many that
// no choice at random gets all of them right.
var nearest = []struct{ pod, node, why string }{
	{"a5", "node5", "both end in 5"},
	{"a0", "node1", "1 is nearest to 0"},
	{"a2", "node1", "1 is nearest to 2"},
	{"a4", "node5", "5 is nearest to 4"},
	{"a6", "node5", "5 is nearest to 6"},
	{"a7", "node8", "8 is nearest to 7"},
	{"a9", "node8", "8 is nearest to 9"},
	{"b2", "node1", "1 is nearest to 2"},
	{"b4", "node5", "5 is nearest to 4"},
	{"b7", "node8", "8 is nearest to 7"},
	{"b9", "node8", "8 is nearest to 9"},
}

func judgeNearest(l *lab) ([]Finding, error) {
	var findings []Finding
	for _, want := range nearest {
		if err := l.pod(want.pod); err != nil {
			return nil, err
		}
		node, _, err := l.waitBound(want.pod)
		if err != nil {
			return nil, err
		}
		findings = append(findings, judgeNode(want.pod, node, want.node, want.why))
		if node != want.node {
			return findings, nil
		}
	}
	finding, err := l.judgeNoDigit("web")
	return append(findings, finding), err
}

// judgeNoDigit looks whether all nodes are equally good for a pod whose name has no digit.
func (l *lab) judgeNoDigit(pod string) (Finding, error) {
	if err := l.pod(pod); err != nil {
		return Finding{}, err
	}
	tried, err := l.waitAttempts(pod, 1)
	if err != nil || !tried {
		return Finding{Text: pod + " is not bound", Hint: "Its name has no digit: Score() then returns 0."}, err
	}
	for line := range strings.Lines(l.attempts(pod)[0]) {
		if strings.Contains(line, "Select") && strings.Contains(line, "by chance, of 4 with 0 points") {
			return Finding{OK: true, Text: pod + " has no digit, and every node gets 0 points"}, nil
		}
	}
	return Finding{
		Text: pod + " has no digit, but not every node gets 0 points",
		Hint: "LastDigitOf() returns an optional. Look whether the pod's has a value before you count with it.",
	}, nil
}

func judgeNode(pod, node, wanted, why string) Finding {
	switch node {
	case wanted:
		return Finding{OK: true, Text: fmt.Sprintf("%s is bound to %s: %s", pod, node, why)}
	case "":
		return Finding{Text: pod + " is not bound", Hint: "Score() must not return an error; a node without a digit scores 0."}
	default:
		return Finding{
			Text: fmt.Sprintf("%s is bound to %s, not to %s: %s", pod, node, wanted, why),
			Hint: "Score() is asked once per node. Let it return more, the smaller the difference of the two digits is.",
		}
	}
}

// judgeUrgent compares two pods: on a slow machine both are late.
func judgeUrgent(l *lab) ([]Finding, error) {
	bound := map[string]time.Time{} // when that was seen
	for _, pod := range []string{"pod8", "urgent-8"} {
		if err := l.pod(pod); err != nil {
			return nil, err
		}
	}
	_, err := l.until(patience, func() (bool, error) { return l.noteBound(bound) })
	if err != nil {
		return nil, err
	}
	patient, urgent := bound["pod8"], bound["urgent-8"]
	if took := patient.Sub(l.created["pod8"]); took < 7*time.Second {
		text := "pod8 is not bound"
		if !patient.IsZero() {
			text = fmt.Sprintf("pod8 is to be bound after 8 s, not after %.1f s", took.Seconds())
		}
		return []Finding{{Text: text,
			Hint: "Only pods whose name begins with urgent- do not wait. All others wait as before."}}, nil
	}
	findings := []Finding{{OK: true, Text: "pod8 is bound to node8 after 8 s, as before"}}
	if urgent.IsZero() || patient.Sub(urgent) < 2*time.Second {
		return append(findings, Finding{
			Text: "urgent-8 is not bound while pod8 waits",
			Hint: "Permit() gets the pod. For one whose name begins with urgent- it can return success at once.",
		}), nil
	}
	return append(findings, Finding{OK: true, Text: "urgent-8 is bound to node8 while pod8 waits"}), nil
}

// noteBound notes the time for each pod that has a node by now, and reports whether all have one.
func (l *lab) noteBound(bound map[string]time.Time) (bool, error) {
	for pod := range l.created {
		node, err := l.nodeOf(pod)
		if err != nil {
			return false, err
		}
		if node != "" && bound[pod].IsZero() {
			bound[pod] = time.Now()
		}
	}
	return len(bound) == len(l.created), nil
}

// judgeClosed looks at each thing by itself that the page asks for, in the order of the steps.
func judgeClosed(l *lab) ([]Finding, error) {
	if err := l.pod("web"); err != nil {
		return nil, err
	}
	var findings []Finding
	for _, look := range []func(pod string) (Finding, error){
		l.judgeRejected, l.judgeAnnotation, l.judgeCordon, l.judgeNewNode, l.judgeOpened,
	} {
		finding, err := look("web")
		if err != nil {
			return nil, err
		}
		findings = append(findings, finding)
		if !finding.OK {
			break
		}
	}
	return findings, nil
}

func (l *lab) judgeRejected(pod string) (Finding, error) {
	tried, err := l.waitAttempts(pod, 1)
	if err != nil {
		return Finding{}, err
	}
	if !tried {
		return Finding{}, fmt.Errorf("the scheduler has not tried %s within %v", pod, patience)
	}
	l.sleep(quiet)
	if node, err := l.nodeOf(pod); err != nil || node != "" {
		return Finding{
			Text: fmt.Sprintf("%s is bound to %s, which has the label closed=true", pod, node),
			Hint: "Write a plugin with Filter() that rejects such a node, and add it to profile.filter in src/lab/steps.",
		}, err
	}
	if tried := len(l.attempts(pod)); tried != 1 {
		return Finding{
			Text: fmt.Sprintf("%s was tried %d times before anything has changed", pod, tried),
			Hint: "Filter() must return PluginStatus::Unschedulable(), not an error: errors are tried again and again.",
		}, nil
	}
	return Finding{OK: true, Text: pod + " is not bound while all nodes have the label closed=true"}, nil
}

func (l *lab) judgeAnnotation(pod string) (Finding, error) {
	return l.judgeSleep(pod, "an annotation of a node", `{"metadata":{"annotations":{"note":"x"}}}`)
}

func (l *lab) judgeCordon(pod string) (Finding, error) {
	return l.judgeSleep(pod, "a node that is cordoned and uncordoned",
		`{"spec":{"unschedulable":true}}`, `{"spec":{"unschedulable":null}}`)
}

// judgeSleep changes of node0 what does not concern the exercise, and looks whether the pod is tried again.
func (l *lab) judgeSleep(pod, what string, patches ...string) (Finding, error) {
	for _, patch := range patches {
		if err := l.patchNode("node0", patch); err != nil {
			return Finding{}, err
		}
	}
	l.sleep(quiet)
	if len(l.attempts(pod)) != 1 {
		return Finding{
			Text: fmt.Sprintf("%s wakes %s", what, pod),
			Hint: "EventsToRegister() must name no more than what can help: kNode with kUpdateNodeLabel and kAdd.",
		}, nil
	}
	return Finding{OK: true, Text: fmt.Sprintf("%s does not wake %s", what, pod)}, nil
}

func (l *lab) judgeNewNode(pod string) (Finding, error) {
	if err := l.createNode(closedNode("node-y")); err != nil {
		return Finding{}, err
	}
	tried, err := l.waitAttempts(pod, 2)
	if err != nil || !tried {
		return Finding{
			Text: fmt.Sprintf("%s is not tried again when a node is added", pod),
			Hint: "EventsToRegister() of your plugin must name what may help its pods: kNode with kAdd, too.",
		}, err
	}
	// Nodes are reported in order. If one of the changes before has woken the pod after all, it is tried once more.
	l.sleep(2 * quiet)
	if tried := len(l.attempts(pod)); tried != 2 {
		return Finding{
			Text: fmt.Sprintf("%s was tried %d times, not twice, after a node was added", pod, tried),
			Hint: "EventsToRegister() must name no more than what can help: kNode with kUpdateNodeLabel and kAdd.",
		}, nil
	}
	return Finding{OK: true, Text: pod + " is tried again when a node is added, and rejected again: that one is closed"}, nil
}

func (l *lab) judgeOpened(pod string) (Finding, error) {
	if err := l.patchNode("node-x", `{"metadata":{"labels":{"closed":null}}}`); err != nil {
		return Finding{}, err
	}
	node, after, err := l.waitBound(pod)
	switch {
	case err != nil:
		return Finding{}, err
	case node == "":
		return Finding{
			Text: fmt.Sprintf("%s is not bound %.0f s after its creation, though node-x has lost the label", pod, after.Seconds()),
			Hint: "EventsToRegister() of your plugin must name what wakes its pods: kNode with kUpdateNodeLabel.",
		}, nil
	case node != "node-x":
		return Finding{
			Text: fmt.Sprintf("%s is bound to %s, but the label was taken from node-x", pod, node),
			Hint: "Filter() is asked about one node at a time: look at the labels of that one.",
		}, nil
	}
	return Finding{OK: true, Text: pod + " is bound to node-x once that has lost the label"}, nil
}
