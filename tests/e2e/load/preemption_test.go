package load

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// A node refused for its measured load is named in FailedNodes, which invites preemption there. The
// scheduler's dry run cannot see the load, so it must find nobody whose eviction would help.
func TestPodRefusedForLoadEvictsNobodyWhateverItsPriority(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	scheduling.OverAll(t, podRefusedForLoadEvictsNobodyWhateverItsPriority)
}

func podRefusedForLoadEvictsNobodyWhateverItsPriority(w *scheduling.World) {
	w.Must(func() error {
		_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000,
		}, metav1.CreateOptions{})
		return err
	}())
	safe := w.Serve("safe")
	node := kube.MakeNode("a")
	for key, value := range overloaded {
		node.Annotation(key, value)
	}
	w.Nodes(node)
	w.Pods(kube.MakePod("resident").Node("a"))
	w.StartScheduler(configOf(w, map[string]string{"safe": safe.URL}))
	w.Pods(kube.MakePod("urgent").PriorityClass("urgent"))
	pod := w.Until("urgent", "refused", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
	})
	condition := kube.Condition(pod, corev1.PodScheduled)
	w.Logf("condition: %s: %s", condition.Reason, condition.Message)
	if condition.Reason != corev1.PodReasonUnschedulable || !riskReason.MatchString(condition.Message) {
		w.Errorf("the condition is %s: %s", condition.Reason, condition.Message)
	}
	if resident := w.Tracker.Pod("default", "resident"); resident == nil || resident.DeletionTimestamp != nil {
		w.Error("the resident pod was evicted")
	}

	cure(w, "a", "urgent")
	w.CheckBoundOnce(2)
}
