package server

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/fakeextender"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

func TestKilledAgentLosesNoPod(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	scheduling.OverAll(t, killedAgentLosesNoPod)
}

func killedAgentLosesNoPod(w *scheduling.World) {
	const before, during, after = 30, 20, 20
	safe, congestion := w.Serve("safe"), w.Serve("congestion")
	for i := range 10 {
		w.Nodes(kube.MakeNode(fmt.Sprintf("n%d", i)))
	}
	w.StartScheduler(w.Config(map[string]string{"safe": safe.URL, "congestion": congestion.URL}))

	some := func(name string, count int) {
		for i := range count {
			w.Pods(kube.MakePod(fmt.Sprintf("%s-%d", name, i)))
		}
	}
	some("before", before)
	w.UntilBound(1) // in mid-run: the scheduler is at work on the others
	safe.Kill()
	some("during", during)
	last := w.UntilSchedulerError(fmt.Sprintf("during-%d", during-1))
	w.Logf("while the agent is down: %s", kube.Condition(last, corev1.PodScheduled).Message)
	down := len(w.Tracker.Bindings())
	if down > before {
		w.Errorf("%d pods were bound while an agent was down, at most %d had a chance", down, before)
	}
	safe.Restart(w)
	some("after", after)
	w.UntilBound(before + during + after)
	w.CheckBoundOnce(before + during + after)
}

func TestExtenderThatIsDownHoldsPodsUntilItIsUp(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	scheduling.OverAll(t, extenderThatIsDownHoldsPodsUntilItIsUp)
}

func extenderThatIsDownHoldsPodsUntilItIsUp(w *scheduling.World) {
	held, err := process.HoldPort(0) // it is long until the agent comes
	w.Must(err)
	defer held.Release()
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	url := fmt.Sprintf("%s://127.0.0.1:%d", w.TLS.Scheme(), held.Port)
	w.StartScheduler(w.Config(map[string]string{"safe": url}))
	w.Pods(kube.MakePod("p0"), kube.MakePod("p1"))
	w.UntilSchedulerError("p0")
	w.UntilSchedulerError("p1")
	if bindings := w.Tracker.Bindings(); len(bindings) > 0 {
		w.Fatalf("pods were bound without their agent: %+v", bindings)
	}
	held.Release()
	w.ServeAt(held.Port, "safe")
	w.UntilBound(2)
	w.CheckBoundOnce(2)
}

func TestWrongURLHoldsPodsWithTheStatusInTheirCondition(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := scheduling.New(t)
	safe := w.Serve("safe")
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	config := w.Config(map[string]string{"safe": safe.URL})
	w.StartScheduler(scheduling.Edit(t, config, func(extenders []any) {
		extender := extenders[0].(map[string]any)
		extender["urlPrefix"] = safe.URL + "/no-such-agent"
	}))
	w.Pods(kube.MakePod("p"))
	pod := w.UntilSchedulerError("p")
	if message := kube.Condition(pod, corev1.PodScheduled).Message; !strings.Contains(message, "404") {
		t.Errorf("the condition does not name the status: %s", message)
	}
	if pod.Spec.NodeName != "" {
		t.Errorf("the pod is bound to %s", pod.Spec.NodeName)
	}
}

func TestIgnorableExtenderThatIsDownIsSkippedAndTheOthersStillDecide(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := scheduling.New(t)
	held, err := process.HoldPort(0)
	w.Must(err)
	defer held.Release()
	only := &fakeextender.Extender{Filter: func(_, node string) bool { return node == "b" }}
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"), kube.MakeNode("c"))
	config := w.Config(map[string]string{
		"safe":       fmt.Sprintf("http://127.0.0.1:%d", held.Port),
		"congestion": only.Serve(t, "127.0.0.1:0"),
	})
	w.StartScheduler(scheduling.Edit(t, config, func(extenders []any) {
		for _, each := range extenders {
			extender := each.(map[string]any)
			extender["filterVerb"] = "filter" // congestion's place is taken by one that filters
			if strings.Contains(extender["urlPrefix"].(string), fmt.Sprintf(":%d", held.Port)) {
				extender["ignorable"] = true
			}
		}
	}))
	for i := range 5 {
		w.Pods(kube.MakePod(fmt.Sprintf("p%d", i)))
	}
	w.UntilBound(5)
	for _, binding := range w.Tracker.Bindings() {
		if binding.Node != "b" {
			t.Errorf("%s is on %s, want b", binding.Name, binding.Node)
		}
	}
	w.CheckBoundOnce(5)
	if only.Calls("filter") < 5 {
		t.Errorf("the extender that is up was asked %d times", only.Calls("filter"))
	}
}

// kube-scheduler ignores failures to score, whatever the configuration says.
func TestAgentThatOnlyScoresHoldsNothingWhenItIsDown(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := scheduling.New(t)
	congestion := w.Serve("congestion")
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	w.StartScheduler(w.Config(map[string]string{"congestion": congestion.URL}))
	congestion.Kill()
	w.Pods(kube.MakePod("p"))
	w.UntilBound(1)
	if failures := w.Tracker.Failures(); len(failures) > 0 {
		t.Errorf("the pod was refused on its way: %+v", failures)
	}
}
