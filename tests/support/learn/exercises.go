package learn

import (
	"context"
	"fmt"
	"strings"
	"time"

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
	Task  string
	judge func(l *lab) ([]Finding, error)
}

// Exercises are those that have a check.
var Exercises = []Exercise{
	{3, "a node whose digit is near the pod's scores more than one that is far", judgeNearest},
	{5, "a pod whose name begins with urgent- does not wait", judgeUrgent},
	{7, "a node with the label closed=true gets no pods; taking the label away wakes those that wait", judgeClosed},
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
	l, err := startLab(ctx, c, binary, e.Step)
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
	if err := l.nodes("node1", "node5", "node8", "other-node"); err != nil {
		return nil, err
	}
	var findings []Finding
	for _, want := range nearest {
		if err := l.pod(want.pod); err != nil {
			return nil, err
		}
		node, _, err := l.waitBound(want.pod, patience)
		if err != nil {
			return nil, err
		}
		findings = append(findings, judgeNode(want.pod, node, want.node, want.why))
		if node != want.node {
			return findings, nil
		}
	}
	return findings, nil
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

func judgeUrgent(l *lab) ([]Finding, error) {
	if err := l.nodes("node4"); err != nil {
		return nil, err
	}
	for _, pod := range []string{"pod4", "urgent-4"} {
		if err := l.pod(pod); err != nil {
			return nil, err
		}
	}
	_, after, err := l.waitBound("urgent-4", patience)
	if err != nil {
		return nil, err
	}
	if after > 2*time.Second {
		return []Finding{{
			Text: fmt.Sprintf("urgent-4 is not bound within 2 s (%.1f s)", after.Seconds()),
			Hint: "Permit() gets the pod. For one whose name begins with urgent- it can return success at once.",
		}}, nil
	}
	findings := []Finding{{OK: true, Text: "urgent-4 is bound to node4 at once"}}
	node, after, err := l.waitBound("pod4", patience)
	if err != nil {
		return nil, err
	}
	if node == "" || after < 3*time.Second || after > 6*time.Second {
		return append(findings, Finding{
			Text: fmt.Sprintf("pod4 is to be bound after 4 s, not after %.1f s", after.Seconds()),
			Hint: "Only pods whose name begins with urgent- do not wait. All others wait as before.",
		}), nil
	}
	return append(findings, Finding{OK: true, Text: "pod4 is bound to node4 after 4 s, as before"}), nil
}

func judgeClosed(l *lab) ([]Finding, error) {
	for _, node := range []string{"node0", "node-x"} {
		if err := l.nodes(node); err != nil {
			return nil, err
		}
		if err := l.patchNode(node, `{"metadata":{"labels":{"closed":"true"}}}`); err != nil {
			return nil, err
		}
	}
	l.settle()
	if err := l.pod("web"); err != nil {
		return nil, err
	}
	if node, _, err := l.waitBound("web", 2*time.Second); err != nil || node != "" {
		return []Finding{{
			Text: "web is bound to " + node + ", which has the label closed=true",
			Hint: "Write a plugin with Filter() that rejects such a node, and add it to profile.filter in src/lab/steps.",
		}}, err
	}
	findings := []Finding{{OK: true, Text: "web is not bound while all nodes have the label closed=true"}}
	finding, err := l.judgeSleep("web")
	findings = append(findings, finding)
	if err != nil || !finding.OK {
		return findings, err
	}
	if err := l.patchNode("node-x", `{"metadata":{"labels":{"closed":null}}}`); err != nil {
		return nil, err
	}
	node, after, err := l.waitBound("web", patience)
	if node == "" {
		return append(findings, Finding{
			Text: fmt.Sprintf("web is not bound within %.0f s after node-x has lost the label", after.Seconds()),
			Hint: "EventsToRegister() of your plugin must name what wakes its pods: kNode with kUpdateNodeLabel.",
		}), err
	}
	return append(findings, Finding{OK: true, Text: "web is bound to " + node + " once the label is gone"}), err
}

// judgeSleep changes of a node what does not concern the exercise, and looks whether the pod is tried again.
func (l *lab) judgeSleep(pod string) (Finding, error) {
	before := l.attempts(pod)
	if before != 1 {
		return Finding{
			Text: fmt.Sprintf("%s was tried %d times before anything has changed", pod, before),
			Hint: "Filter() must return PluginStatus::Unschedulable(), not an error: errors are tried again and again.",
		}, nil
	}
	if err := l.patchNode("node0", `{"metadata":{"annotations":{"note":"x"}}}`); err != nil {
		return Finding{}, err
	}
	l.sleep(2 * time.Second)
	if after := l.attempts(pod); after != before {
		return Finding{
			Text: pod + " was tried again when an annotation of a node had changed",
			Hint: "EventsToRegister() must name no more than what can help: kUpdateNodeLabel and kAdd.",
		}, nil
	}
	return Finding{OK: true, Text: "an annotation of a node does not wake " + pod}, nil
}
