package e2e

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

func TestTwoHundredPodsOnFiftyNodesAreAllPlaced(t *testing.T) {
	const nodes, pods = 50, 200
	w := newWorld(t)
	safe, congestion := w.serve("safe"), w.serve("congestion")
	for i := range nodes {
		node := kube.MakeNode(fmt.Sprintf("n%02d", i)).Annotation("congestion-factor", fmt.Sprint(i*2))
		for key, value := range idle {
			node.Annotation(key, value)
		}
		w.nodes(node)
	}
	w.startScheduler(w.config(map[string]string{"safe": safe.URL, "congestion": congestion.URL}))

	began := time.Now()
	for i := range pods {
		w.pods(kube.MakePod(fmt.Sprintf("p%03d", i)))
	}
	w.untilBound(pods)
	bindings := w.tracker.Bindings()
	took := bindings[len(bindings)-1].At.Sub(began)
	t.Logf("%d pods on %d nodes: %.2f s from the first create to the last binding", pods, nodes, took.Seconds())
	w.checkBoundOnce(pods)

	for _, failure := range w.tracker.Failures() {
		t.Errorf("%s was refused on its way: %s: %s", failure.Name, failure.Reason, failure.Message)
	}
	events, err := w.client.CoreV1().Events("default").List(w.ctx, metav1.ListOptions{
		FieldSelector: "reason=FailedScheduling",
	})
	w.must(err)
	for _, event := range events.Items {
		t.Errorf("event of %s: %s", event.InvolvedObject.Name, event.Message)
	}
}
