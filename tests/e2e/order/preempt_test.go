package order

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/queuewatch"
)

// Q5: on a full cluster a pod of low groupPriority and high PriorityClass evicts none while a unit before it
// could use the place. A critical pod and a DaemonSet's pod do not queue.
func TestAPodEvictsNoneForAPlaceThatAPodBeforeItCouldUse(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes = 3
	w := newWorld(t, nodes)
	fillers := w.fill(nodes)
	w.serveQos()
	w.Pods(kube.MakePod("first").Label("groupPriority", "100"))
	w.untilRefused("first", 1)
	w.Pods(kube.MakePod("pushes").Label("groupPriority", "1").PriorityClass("evicts"))
	w.untilRefused("pushes", 1)
	time.Sleep(3 * time.Second) // the scheduler tries again each second
	if left := w.bound("filler-"); left != len(fillers) {
		t.Errorf("%d pods were evicted", len(fillers)-left)
	}
	controls := true
	w.Pods(kube.MakePod("daemon").PriorityClass("middle").Pinned(nodeName(1)).Change(func(pod *corev1.Pod) {
		pod.OwnerReferences = []metav1.OwnerReference{
			{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "d", UID: "d", Controller: &controls}}
	}))
	w.untilRefused("daemon", 1)
	began := time.Now()
	w.free(fillers[slotsOfNode]) // the first of node 1
	w.Until("daemon", "bound", scheduling.IsBound)
	w.Within(time.Second, "Q5: the DaemonSet's pod is bound", time.Since(began))
	// Until those that the place has woken sleep again: if the scheduler asked about one of them before the agent has heard
	// of the critical pod, the plan without victims would have their places, too, for those that wait.
	time.Sleep(2 * time.Second)
	before := w.bound("filler-")
	began = time.Now()
	w.Pods(kube.MakePod("critical").PriorityClass("system-node-critical"))
	w.Until("critical", "bound", scheduling.IsBound)
	w.Within(time.Second, "Q5: the critical pod is bound", time.Since(began))
	if evicted := before - w.bound("filler-"); evicted != 1 {
		t.Errorf("%d pods were evicted for the critical pod, want 1", evicted)
	}
	for _, name := range []string{"first", "pushes"} {
		if pod := w.Tracker.Pod("default", name); pod == nil || scheduling.IsBound(pod) {
			t.Errorf("%s does not wait: %v", name, pod)
		}
	}
	began = time.Now()
	for _, filler := range fillers {
		if w.Tracker.Pod("default", filler) != nil {
			w.free(filler)
			break
		}
	}
	w.Until("first", "bound", scheduling.IsBound)
	w.Within(time.Second, "Q5: the first pod is bound after a place is free", time.Since(began))
	// Now it is the first, and may evict.
	w.Until("pushes", "bound", scheduling.IsBound)
	// It may have been let through to the place of its own victim while the place of the first was kept.
	for _, inversion := range queuewatch.Lost(w.report("Q5")) {
		t.Errorf("inversion: %s\n%s", inversion, w.observer.History(inversion.First.Name))
	}
}
