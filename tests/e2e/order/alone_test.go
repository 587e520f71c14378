package order

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/queuewatch"
)

// queueGate is what pods wait with for an agent that no scheduler calls.
const queueGate = "outrigger.dev/queue"

// Q1 and Q4 without an extender: of pods with the gate the first gets the place that becomes free, also after the agent
// was killed.
func TestWithoutAnExtenderAFullClusterIsHandedOnInTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	d := drain{pods: queued(t) / 5, seed: 6, gated: true}
	w := newWorld(t, d.nodes())
	w.agent = w.ServeWithoutExtender("qos", "qos")
	w.StartScheduler(w.base())
	d.middle = func() {
		w.agent.Kill()
		time.Sleep(50 * time.Millisecond)
		w.agent.Restart(t)
	}
	d.run(w)
	var before *queuewatch.Rank
	for _, binding := range w.Tracker.Bindings() {
		if !strings.HasPrefix(binding.Name, "q-") {
			continue
		}
		rank := queuewatch.RankOf(w.Tracker.Pod("default", binding.Name))
		if before != nil && rank.Before(*before) {
			t.Errorf("%v was bound before %v", *before, rank)
		}
		before = &rank
	}
}

// withGate has a pod wait for the agent.
func withGate(pod *corev1.Pod) {
	pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: queueGate})
}
