package load

import (
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// The figures that refused the node, as people read them in kubectl describe.
var riskReason = regexp.MustCompile(
	`safe: cpu: risk 0\.\d+ > 0\.30 of exceeding 90 percent utilization; .* would help`)

func TestPodThatNoNodeMayTakeSaysWhyAndIsCuredByAnAnnotation(t *testing.T) {
	t.Parallel()
	scheduling.OverAll(t, podThatNoNodeMayTakeSaysWhyAndIsCuredByAnAnnotation)
}

func podThatNoNodeMayTakeSaysWhyAndIsCuredByAnAnnotation(w *scheduling.World) {
	safe := w.Serve("safe", "--safe.max-risk", "0.3")
	a, b := kube.MakeNode("a"), kube.MakeNode("b")
	for key, value := range overloaded {
		a.Annotation(key, value)
		b.Annotation(key, value)
	}
	w.Nodes(a, b)
	w.StartScheduler(configOf(w, map[string]string{"safe": safe.URL}))
	w.Pods(kube.MakePod("p"))

	pod := w.Until("p", "refused", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
	})
	condition := kube.Condition(pod, corev1.PodScheduled)
	if condition.Reason != corev1.PodReasonUnschedulable || !riskReason.MatchString(condition.Message) {
		w.Errorf("the condition is %s: %s", condition.Reason, condition.Message)
	}
	w.Logf("condition: %s", condition.Message)

	var event *corev1.Event
	err := kube.Until(w.Ctx, scheduling.Patience, func(options metav1.ListOptions) (kube.Watcher, error) {
		options.FieldSelector = "involvedObject.name=p,reason=FailedScheduling"
		return w.Client.CoreV1().Events("default").Watch(w.Ctx, options)
	}, func(object *corev1.Event) bool {
		event = object
		return riskReason.MatchString(object.Message)
	})
	if err != nil {
		w.Errorf("no FailedScheduling event with the agent's reason: %v; the last: %+v", err, event)
	}
	if pod := w.Tracker.Pod("default", "p"); pod.Status.Phase != corev1.PodPending || pod.Spec.NodeName != "" {
		w.Errorf("the pod is %s on %q", pod.Status.Phase, pod.Spec.NodeName)
	}

	if pod := cure(w, "b", "p"); pod.Spec.NodeName != "b" {
		w.Errorf("the cured pod is on %s, want b", pod.Spec.NodeName)
	}
	w.CheckBoundOnce(1)
}
