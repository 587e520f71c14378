package kube

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Condition returns a pod's condition of that type, an empty one if it has none or pod is nil.
func Condition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.PodCondition {
	if pod != nil {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == kind {
				return condition
			}
		}
	}
	return corev1.PodCondition{}
}

// IsReady tells whether the pod's Ready condition is true.
func IsReady(pod *corev1.Pod) bool {
	return Condition(pod, corev1.PodReady).Status == corev1.ConditionTrue
}

// IsFinished tells whether the pod has succeeded or failed.
func IsFinished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// Summary describes pods for a failure message: how many are bound, and why the first few are not.
func Summary(pods []*corev1.Pod) string {
	var bound int
	var others []string
	for _, pod := range pods {
		if pod.Spec.NodeName != "" {
			bound++
			continue
		}
		if len(others) < 5 {
			why := Condition(pod, corev1.PodScheduled)
			others = append(others, fmt.Sprintf("%s/%s (%s: %s)", pod.Namespace, pod.Name, why.Reason, why.Message))
		}
	}
	return fmt.Sprintf("%d of %d bound; not bound: %s", bound, len(pods), strings.Join(others, "; "))
}
