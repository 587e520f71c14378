package scheduling

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CheckSettled fails the test if, once things have settled, somebody was bound twice or a node has more pods than
// it can take.
func (w *World) CheckSettled() {
	w.Helper()
	w.nobodyBoundAgain()
	w.noNodeIsOverfull()
}

// nobodyBoundAgain fails the test if a pod was bound twice.
func (w *World) nobodyBoundAgain() {
	w.Helper()
	times := map[string]int{}
	for _, binding := range w.Tracker.Bindings() {
		if times[binding.UID]++; times[binding.UID] > 1 {
			w.Errorf("%s is bound again, to %s", binding.Name, binding.Node)
		}
	}
}

// noNodeIsOverfull fails the test if the pods on a node ask for more than it has.
func (w *World) noNodeIsOverfull() {
	w.Helper()
	asked := map[string]corev1.ResourceList{}
	for _, pod := range w.Tracker.Pods() {
		if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
			continue
		}
		if asked[pod.Spec.NodeName] == nil {
			asked[pod.Spec.NodeName] = corev1.ResourceList{}
		}
		addRequests(asked[pod.Spec.NodeName], pod)
	}
	nodes, err := w.Client.CoreV1().Nodes().List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, node := range nodes.Items {
		for name, sum := range asked[node.Name] {
			if has := node.Status.Allocatable[name]; sum.Cmp(has) > 0 {
				w.Errorf("pods on %s ask for %s %s, it has %s", node.Name, &sum, name, &has)
			}
		}
	}
}

// addRequests adds what a pod asks for, and the pod.
func addRequests(sum corev1.ResourceList, pod *corev1.Pod) {
	requests := []corev1.ResourceList{{corev1.ResourcePods: resource.MustParse("1")}}
	for _, container := range pod.Spec.Containers {
		requests = append(requests, container.Resources.Requests)
	}
	for _, request := range requests {
		for name, quantity := range request {
			total := sum[name]
			total.Add(quantity)
			sum[name] = total
		}
	}
}
