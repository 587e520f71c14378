package load

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

func TestTwoHundredPodsOnFiftyNodesAreAllPlaced(t *testing.T) {
	scheduling.Long(t)
	const nodes, pods = 50, 200
	w := scheduling.New(t)
	safe, congestion := w.Serve("safe"), w.Serve("congestion")
	for i := range nodes {
		node := kube.MakeNode(fmt.Sprintf("n%02d", i)).Annotation("congestion-factor", fmt.Sprint(i*2))
		for key, value := range idle {
			node.Annotation(key, value)
		}
		w.Nodes(node)
	}
	w.StartScheduler(configOf(w, map[string]string{"safe": safe.URL, "congestion": congestion.URL}))

	began := time.Now()
	for i := range pods {
		w.Pods(kube.MakePod(fmt.Sprintf("p%03d", i)))
	}
	w.UntilBound(pods)
	bindings := w.Tracker.Bindings()
	took := bindings[len(bindings)-1].At.Sub(began)
	t.Logf("%d pods on %d nodes: %.2f s from the first create to the last binding", pods, nodes, took.Seconds())
	w.CheckBoundOnce(pods)

	for _, failure := range w.Tracker.Failures() {
		t.Errorf("%s was refused on its way: %s: %s", failure.Name, failure.Reason, failure.Message)
	}
	// Failures to score are ignored by kube-scheduler: the agents' own figures tell.
	for name, agent := range map[string]*outrigger.Server{"safe": safe, "congestion": congestion} {
		if calls := agent.Metric(t, "outrigger_extender_requests_total"); calls < pods {
			t.Errorf("%s says that it had %v calls for %d pods", name, calls, pods)
		}
		if errors := agent.Metric(t, "outrigger_extender_errors_total"); errors > 0 {
			t.Errorf("%s says that it answered %v calls with an error", name, errors)
		}
	}
	events, err := w.Client.CoreV1().Events("default").List(w.Ctx, metav1.ListOptions{
		FieldSelector: "reason=FailedScheduling",
	})
	w.Must(err)
	for _, event := range events.Items {
		t.Errorf("event of %s: %s", event.InvolvedObject.Name, event.Message)
	}
}
