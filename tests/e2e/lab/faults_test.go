package lab

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
)

// A node is deleted while its pods wait at Permit. They get an Event, not the node; step 7 tries its pod again, on
// another node; step 5 does not, and goes on.
func TestANodeIsDeletedBeforeTheBinding(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.nodes(0, 0, false)
	w.nodes(9, 9, false) // its pods wait 9 s at Permit: time enough to delete it on a busy machine, too
	forgets, queues := w.start(5, "forgets"), w.start(7, "queues")
	for _, s := range []*scheduler{forgets, queues} {
		s.create(s.name + "-pod9")
		s.untilItWaits()
	}
	w.deleteNode("node9")
	for _, pod := range []string{"forgets-pod9", "queues-pod9"} {
		w.untilEvent(pod, corev1.EventTypeWarning, "FailedScheduling", `node "node9" is gone`)
		if w.isBound(pod) && w.untilNode(pod) == "node9" {
			w.Errorf("%s is bound to a node that is gone", pod)
		}
	}
	forgets.create("forgets-pod1") // not before: a scheduler that has not heard of it yet may choose the node that is gone
	for _, pod := range []string{"forgets-pod1", "queues-pod9"} {
		if node := w.untilNode(pod); node != "node0" {
			w.Errorf("%s is on %s, want node0", pod, node)
		}
	}
	if condition := w.untilRefused("forgets-pod9"); condition.Reason != corev1.PodReasonSchedulerError {
		w.Errorf("the condition of the pod whose node is gone: %+v", condition)
	}
}

// The API server is away at the start, and later for a while. The scheduler prints that, waits, and loses no pod: one
// whose binding failed is tried again, which a queue can do from step 6 on.
func TestTheAPIServerIsAwayForAWhile(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.nodes(0, 0, false)
	w.nodes(5, 5, false) // its pods wait 5 s at Permit
	kubeconfig, err := w.Cluster.WriteKubeconfig("away", w.Cluster.ConfigOf(cluster.SchedulerUser))
	w.Must(err)
	w.Cluster.KillServer()
	s := w.startWith(kubeconfig, 7, "away")
	server := strings.TrimPrefix(w.Cluster.Config.Host, "https://")
	s.untilPrinted("nodes: cannot watch the API server, trying again: GET /api/v1/nodes: " + server)
	w.Must(w.Cluster.StartServer(w.Ctx))
	s.untilReady()

	const count = 20
	some := func(round int) {
		for i := range count {
			s.create(fmt.Sprintf("away-%d-%02d-5", round, i))
		}
	}
	check := func(round int) {
		for i := range count {
			name := fmt.Sprintf("away-%d-%02d-5", round, i)
			if node := w.untilNode(name); node != "node5" {
				w.Errorf("%s is on %s, want node5", name, node)
			}
		}
	}
	some(1)
	s.untilItWaits() // and the others with it
	w.Cluster.KillServer()
	s.untilPrinted(": binding rejected: ")
	w.Must(w.Cluster.StartServer(w.Ctx))
	some(2)
	check(1)
	check(2)
	w.CheckBoundOnce(2*count + 1) // and that which did not wait
}
