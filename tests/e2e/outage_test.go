package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/fakeextender"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

func TestKilledAgentLosesNoPod(t *testing.T) { overAll(t, killedAgentLosesNoPod) }

func killedAgentLosesNoPod(w *world) {
	const before, during, after = 30, 20, 20
	safe, congestion := w.serve("safe"), w.serve("congestion")
	for i := range 10 {
		w.nodes(kube.MakeNode(fmt.Sprintf("n%d", i)))
	}
	w.startScheduler(w.config(map[string]string{"safe": safe.URL, "congestion": congestion.URL}))

	some := func(name string, count int) {
		for i := range count {
			w.pods(kube.MakePod(fmt.Sprintf("%s-%d", name, i)))
		}
	}
	some("before", before)
	w.untilBound(1) // in mid-run: the scheduler is at work on the others
	safe.Kill()
	some("during", during)
	last := w.untilSchedulerError(fmt.Sprintf("during-%d", during-1))
	w.Logf("while the agent is down: %s", kube.Condition(last, corev1.PodScheduled).Message)
	down := len(w.tracker.Bindings())
	if down > before {
		w.Errorf("%d pods were bound while an agent was down, at most %d had a chance", down, before)
	}
	safe.Restart(w)
	some("after", after)
	w.untilBound(before + during + after)
	w.checkBoundOnce(before + during + after)
}

func TestExtenderThatIsDownHoldsPodsUntilItIsUp(t *testing.T) {
	overAll(t, extenderThatIsDownHoldsPodsUntilItIsUp)
}

func extenderThatIsDownHoldsPodsUntilItIsUp(w *world) {
	port, err := process.FreePort()
	w.Must(err)
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	url := fmt.Sprintf("%s://127.0.0.1:%d", w.tls.scheme(), port)
	w.startScheduler(w.config(map[string]string{"safe": url}))
	w.pods(kube.MakePod("p0"), kube.MakePod("p1"))
	w.untilSchedulerError("p0")
	w.untilSchedulerError("p1")
	if bindings := w.tracker.Bindings(); len(bindings) > 0 {
		w.Fatalf("pods were bound without their agent: %+v", bindings)
	}
	w.serveAt(port, "safe")
	w.untilBound(2)
	w.checkBoundOnce(2)
}

func TestWrongURLHoldsPodsWithTheStatusInTheirCondition(t *testing.T) {
	w := newWorld(t)
	safe := w.serve("safe")
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	config := w.config(map[string]string{"safe": safe.URL})
	w.startScheduler(edit(t, config, func(extenders []any) {
		extender := extenders[0].(map[string]any)
		extender["urlPrefix"] = safe.URL + "/no-such-agent"
	}))
	w.pods(kube.MakePod("p"))
	pod := w.untilSchedulerError("p")
	if message := kube.Condition(pod, corev1.PodScheduled).Message; !strings.Contains(message, "404") {
		t.Errorf("the condition does not name the status: %s", message)
	}
	if pod.Spec.NodeName != "" {
		t.Errorf("the pod is bound to %s", pod.Spec.NodeName)
	}
}

func TestIgnorableExtenderThatIsDownIsSkippedAndTheOthersStillDecide(t *testing.T) {
	w := newWorld(t)
	port, err := process.FreePort()
	w.Must(err)
	only := &fakeextender.Extender{Filter: func(_, node string) bool { return node == "b" }}
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"), kube.MakeNode("c"))
	config := w.config(map[string]string{
		"safe":       fmt.Sprintf("http://127.0.0.1:%d", port),
		"congestion": only.Serve(t, "127.0.0.1:0"),
	})
	w.startScheduler(edit(t, config, func(extenders []any) {
		for _, each := range extenders {
			extender := each.(map[string]any)
			extender["filterVerb"] = "filter" // congestion's place is taken by one that filters
			if strings.Contains(extender["urlPrefix"].(string), fmt.Sprintf(":%d", port)) {
				extender["ignorable"] = true
			}
		}
	}))
	for i := range 5 {
		w.pods(kube.MakePod(fmt.Sprintf("p%d", i)))
	}
	w.untilBound(5)
	for _, binding := range w.tracker.Bindings() {
		if binding.Node != "b" {
			t.Errorf("%s is on %s, want b", binding.Name, binding.Node)
		}
	}
	w.checkBoundOnce(5)
	if only.Calls("filter") < 5 {
		t.Errorf("the extender that is up was asked %d times", only.Calls("filter"))
	}
}

// kube-scheduler ignores failures to score, whatever the configuration says.
func TestAgentThatOnlyScoresHoldsNothingWhenItIsDown(t *testing.T) {
	w := newWorld(t)
	congestion := w.serve("congestion")
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	w.startScheduler(w.config(map[string]string{"congestion": congestion.URL}))
	congestion.Kill()
	w.pods(kube.MakePod("p"))
	w.untilBound(1)
	if failures := w.tracker.Failures(); len(failures) > 0 {
		t.Errorf("the pod was refused on its way: %+v", failures)
	}
}
