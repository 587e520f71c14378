// Package load tests the agents safe and congestion, which know the load of nodes and networks, with the
// real kube-scheduler: what counts is what the API server says in the end.
package load

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// Statistics of a node of 8 cpus for the safe agent (millicores).
var (
	idle       = map[string]string{"mean-free-cpu": "7000", "std-free-cpu": "100"}
	busy       = map[string]string{"mean-free-cpu": "3000", "std-free-cpu": "1500"}
	overloaded = map[string]string{"mean-free-cpu": "600", "std-free-cpu": "800"}
)

// configOf has calls that may take long: that a busy machine does not answer within the second that they have otherwise is
// no refusal, and what refuses a pod is what these tests look at.
func configOf(w *scheduling.World, urls map[string]string) []byte {
	w.Helper()
	return w.Config(urls, "--http-timeout", "30s")
}

// cure makes a node idle and returns the pod once it is bound. It writes anew each second, as annotators do: the
// scheduler may hear of the first writing before the agent and just when it tries the pod a second time, and
// then only later news wakes the pod.
func cure(w *scheduling.World, node, pod string) *corev1.Pod {
	w.Helper()
	for free := 7000; free < 7010; free++ {
		w.Annotate(node, map[string]string{"mean-free-cpu": fmt.Sprint(free), "std-free-cpu": "100"})
		if boundWithin(w, pod, time.Second) {
			break
		}
	}
	return w.Until(pod, "bound", scheduling.IsBound)
}

func boundWithin(w *scheduling.World, pod string, patience time.Duration) bool {
	ctx, cancel := context.WithTimeout(w.Ctx, patience)
	defer cancel()
	return w.Tracker.Until(ctx, func() bool { return scheduling.IsBound(w.Tracker.Pod("default", pod)) }) == nil
}

func congested(factor int) map[string]string {
	return map[string]string{"congestion-factor": fmt.Sprint(factor)}
}

func both(a, b map[string]string) map[string]string {
	all := map[string]string{}
	for _, annotations := range []map[string]string{a, b} {
		for key, value := range annotations {
			all[key] = value
		}
	}
	return all
}

// With weight 100 one point of an agent's score counts 1000, while kube-scheduler's own plugins
// together give 1200 points at most, and the same to equal, nearly empty nodes: so agents decide.
func TestPodsGoWhereAnnotationsSay(t *testing.T) {
	t.Parallel()
	scheduling.OverAll(t, podsGoWhereAnnotationsSay)
}

func podsGoWhereAnnotationsSay(w *scheduling.World) {
	const podsPerRow = 5
	rows := []struct {
		name  string
		nodes [3]map[string]string // annotations of nodes 0, 1, 2
		want  int
	}{
		{"LeastCongestedFirstNode", [3]map[string]string{congested(10), congested(50), congested(90)}, 0},
		{"LeastCongestedSecondNode", [3]map[string]string{congested(90), congested(10), congested(50)}, 1},
		{"LeastCongestedThirdNode", [3]map[string]string{congested(50), congested(90), congested(10)}, 2},
		{"NoFactorIsNoCongestion", [3]map[string]string{congested(20), nil, congested(40)}, 1},
		{"IdleBeforeBusyFirstNode", [3]map[string]string{idle, busy, overloaded}, 0},
		{"IdleBeforeBusySecondNode", [3]map[string]string{overloaded, idle, busy}, 1},
		{"IdleBeforeBusyThirdNode", [3]map[string]string{busy, overloaded, idle}, 2},
		{"OverloadedIsRefusedThoughUncongested", [3]map[string]string{
			both(overloaded, congested(0)), both(idle, congested(80)), both(idle, congested(30))}, 2},
		{"BothScoresCount", [3]map[string]string{ // safe alone is undecided between the last two
			both(busy, congested(60)), both(idle, congested(60)), both(idle, congested(20))}, 2},
	}
	safe := w.Serve("safe", "--safe.max-risk", "0.3")
	congestion := w.Serve("congestion")
	for r, row := range rows {
		for n, annotations := range row.nodes {
			node := kube.MakeNode(fmt.Sprintf("r%d-n%d", r, n)).Label("row", fmt.Sprint(r))
			for key, value := range annotations {
				node.Annotation(key, value)
			}
			w.Nodes(node)
		}
	}
	w.StartScheduler(configOf(w, map[string]string{"safe": safe.URL, "congestion": congestion.URL}))

	for r, row := range rows {
		w.Run(row.name, func(t *testing.T) {
			want := fmt.Sprintf("r%d-n%d", r, row.want)
			for p := range podsPerRow {
				name := fmt.Sprintf("r%d-p%d", r, p)
				w.Pods(kube.MakePod(name).NodeSelector("row", fmt.Sprint(r)))
				pod := w.Until(name, "bound", scheduling.IsBound)
				if pod.Spec.NodeName != want {
					t.Errorf("pod %d is on %s, want %s", p, pod.Spec.NodeName, want)
				}
			}
		})
	}
	w.CheckBoundOnce(len(rows) * podsPerRow)
	if failures := w.Tracker.Failures(); len(failures) > 0 {
		w.Errorf("%d failures on the way, the first: %+v", len(failures), failures[0])
	}
}
