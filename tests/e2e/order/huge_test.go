package order

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// Q2: a huge pod that cannot run goes first; those after it run. After reserve-after a node is kept for it.
func TestAHugePodStopsNoneAndIsServedInTheEnd(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes, small, reserveAfter = 4, 100, 4
	w := newWorld(t, 0)
	for i := range nodes {
		w.Nodes(kube.MakeNode(nodeName(i)))
		w.Pods(kube.MakePod(fmt.Sprintf("filler-%03d", i)).Node(nodeName(i)).Request(corev1.ResourceCPU, "4"))
	}
	w.serveQos("--qos.reserve-after", fmt.Sprint(reserveAfter))
	began := time.Now()
	w.Pods(kube.MakePod("huge").Label("groupPriority", "100").Request(corev1.ResourceCPU, "8"))
	w.untilRefused("huge", 1)
	smalls := func(prefix string, count int) {
		for i := range count {
			w.Pods(kube.MakePod(fmt.Sprintf("%s-%03d", prefix, i)).Request(corev1.ResourceCPU, "100m"))
		}
	}
	smalls("small", small)
	w.untilBoundOf("small-", small)
	w.Within(5*time.Second, "Q2: 100 small pods after a huge one are bound", time.Since(began))
	time.Sleep(time.Until(began.Add((reserveAfter + 2) * time.Second)))
	w.untilKept(nodes)
	smalls("later", 20) // a stream of small pods fills what is not kept
	w.untilBoundOf("later-", 20)
	// The places that it needs become free one after another, on all nodes.
	for i := range nodes {
		for _, pod := range w.Tracker.Pods() {
			if pod.Spec.NodeName == nodeName(i) {
				w.free(pod.Name)
			}
		}
		smalls(fmt.Sprintf("stream-%d", i), 5)
		time.Sleep(200 * time.Millisecond)
	}
	node := w.Until("huge", "bound", scheduling.IsBound).Spec.NodeName
	var last, bound time.Time
	for _, place := range w.observer.Freed(node) {
		if place.After(last) {
			last = place
		}
	}
	for _, binding := range w.Tracker.Bindings() {
		if binding.Name == "huge" {
			bound = binding.At
		}
		if strings.HasPrefix(binding.Name, "later-") && binding.Node == node {
			t.Errorf("%s went to %s, which was kept", binding.Name, node)
		}
	}
	w.Within(2*time.Second, "Q2: after the last place that it needs the huge pod is bound", bound.Sub(last))
	for _, inversion := range w.report("Q2") {
		t.Logf("inversion: %s", inversion)
	}
}

// untilKept creates small pods until the agent keeps one of the nodes from them: on a busy machine it may plan late.
func (w *world) untilKept(nodes int) {
	w.Helper()
	began := time.Now()
	for i := 0; ; i++ {
		name := fmt.Sprintf("early-%d", i)
		w.Pods(kube.MakePod(name).Request(corev1.ResourceCPU, "100m"))
		w.untilBoundOf(name, 1)
		for _, call := range w.observer.Calls("filter") {
			if call.Pod == "default/"+name && len(call.Passed) < nodes {
				return
			}
		}
		w.free(name) // else on a slow machine they take all that is not kept
		if time.Since(began) > scheduling.Patience {
			w.Fatalf("no node is kept from small pods:\n%s", w.observer.History("default/"+name))
		}
	}
}
