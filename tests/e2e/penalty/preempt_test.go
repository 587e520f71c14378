package penalty

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// A class at 700 has filled a node and recovers; a new pod of it would take the place of one of its own.
func TestARecoveringClassEvictsItsOwnOnlyWithoutTheAgent(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	with, without := recoveringClass(t, true), recoveringClass(t, false)
	t.Logf("evictions by a new pod of a class that has recovered: %d with the agent in the chain, %d without", with, without)
	if with != 0 || without == 0 {
		t.Errorf("evicted were %d with the agent, %d without: this shows nothing", with, without)
	}
}

// recoveringClass returns how many pods of the class were evicted.
func recoveringClass(t *testing.T, inChain bool) int {
	t.Helper()
	w := newWorld(t)
	w.Nodes(kube.MakeNode("full").Resource(corev1.ResourceCPU, "2"))
	gold := class("gold", 1000)
	w.create(gold)
	w.serve(settings{"start": "flat 300", "half-life": "0.3"})
	config := w.SchedulerBase()
	if inChain {
		config = outrigger.SchedulerConfig(t, config, "--agents", "penalty", "--url", "penalty="+w.agent.URL)
	}
	w.StartScheduler(config)

	w.run("gold", "job-1")
	w.untilValue("gold", 700)
	w.eventually(func(context.Context) error { return w.createsWith("gold", 700) })
	member := func(i int) *kube.PodBuilder {
		return kube.MakePod(fmt.Sprintf("member-%d", i)).Request(corev1.ResourceCPU, "1").PriorityClass("gold")
	}
	for i := range 2 {
		w.Pods(member(i))
		w.Until(fmt.Sprintf("member-%d", i), "bound at 700", func(pod *corev1.Pod) bool {
			return scheduling.IsBound(pod) && *pod.Spec.Priority == 700
		})
	}
	w.graceEnds(gold)
	w.untilValue("gold", 1000)
	w.eventually(func(context.Context) error { return w.createsWith("gold", 1000) })
	w.Pods(member(2))
	if inChain {
		w.agent.UntilMetricAbove(t, 0, "outrigger_penalty_preempt_dropped_total")
	}
	w.Until("member-2", "tried", func(pod *corev1.Pod) bool {
		return scheduling.IsBound(pod) || kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
	})
	if inChain { // another pod of it, which is tried after the first one's victims would be gone
		w.Pods(member(3))
		w.agent.UntilMetricAbove(t, 1, "outrigger_penalty_preempt_dropped_total")
		w.Until("member-3", "tried", func(pod *corev1.Pod) bool {
			return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
		})
	} else {
		w.Until("member-2", "bound", scheduling.IsBound)
	}
	evicted := 0
	for i := range 2 {
		if pod := w.Tracker.Pod("default", fmt.Sprintf("member-%d", i)); pod == nil || pod.DeletionTimestamp != nil {
			evicted++
		}
	}
	return evicted
}

// createsWith is an error unless admission gives new pods of a class that priority: it learns of a class by a watch.
func (w *world) createsWith(class string, priority int32) error {
	pod := kube.MakePod(fmt.Sprintf("probe-%d", time.Now().UnixNano())).PriorityClass(class).Pod()
	made, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, pod, dryRun)
	if err != nil {
		return err
	}
	if *made.Spec.Priority != priority {
		return fmt.Errorf("new pods of class %s have priority %d, want %d", class, *made.Spec.Priority, priority)
	}
	return nil
}
