package main

import (
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
)

// addStatus reports resources as a kubelet does that has resized some containers of pod and not yet
// others, in all combinations, those that no kubelet reports included.
func addStatus(r *rand.Rand, pod *v1.Pod) {
	pod.Status.ContainerStatuses = randomStatuses(r, pod.Spec.Containers)
	pod.Status.InitContainerStatuses = randomStatuses(r, pod.Spec.InitContainers)
	if chance(r, 40) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Reason: pick(r, v1.PodReasonInfeasible, v1.PodReasonDeferred)})
	}
	if chance(r, 40) {
		pod.Status.Resources = &v1.ResourceRequirements{}
		if chance(r, 80) {
			pod.Status.Resources.Requests = reported(r)
		}
		if chance(r, 70) {
			pod.Status.AllocatedResources = reported(r)
		}
	}
}

// reported is never empty and there: no API server sends that, and upstream tells it from what is absent.
func reported(r *rand.Rand) v1.ResourceList {
	if list := randomResources(r); len(list) > 0 {
		return list
	}
	return nil
}

func randomStatuses(r *rand.Rand, containers []v1.Container) []v1.ContainerStatus {
	statuses := []v1.ContainerStatus{}
	for _, c := range containers {
		status := v1.ContainerStatus{Name: c.Name}
		if chance(r, 75) {
			status.Resources = &v1.ResourceRequirements{Requests: reported(r)}
		}
		if chance(r, 75) {
			status.AllocatedResources = reported(r)
		}
		if chance(r, 85) {
			statuses = append(statuses, status)
		}
	}
	return statuses
}

// trimmedStatus is the part of the pod's status that counts.
func trimmedStatus(pod *v1.Pod) map[string]any {
	status := map[string]any{}
	if len(pod.Status.ContainerStatuses) > 0 {
		status["containerStatuses"] = trimmedStatuses(pod.Status.ContainerStatuses)
	}
	if len(pod.Status.InitContainerStatuses) > 0 {
		status["initContainerStatuses"] = trimmedStatuses(pod.Status.InitContainerStatuses)
	}
	if pod.Status.Resources != nil {
		status["resources"] = trimmedRequests(*pod.Status.Resources)
		if pod.Status.AllocatedResources != nil {
			status["allocatedResources"] = pod.Status.AllocatedResources
		}
	}
	conditions := []any{}
	for _, c := range pod.Status.Conditions {
		conditions = append(conditions, map[string]any{"type": c.Type, "reason": c.Reason})
	}
	if len(conditions) > 0 {
		status["conditions"] = conditions
	}
	return status
}

func trimmedStatuses(statuses []v1.ContainerStatus) []any {
	out := []any{}
	for _, s := range statuses {
		item := map[string]any{"name": s.Name}
		if s.Resources != nil {
			item["resources"] = trimmedRequests(*s.Resources)
		}
		if s.AllocatedResources != nil {
			item["allocatedResources"] = s.AllocatedResources
		}
		out = append(out, item)
	}
	return out
}

func trimmedRequests(resources v1.ResourceRequirements) map[string]any {
	if resources.Requests == nil {
		return map[string]any{}
	}
	return map[string]any{"requests": resources.Requests}
}
