package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// podRequestsTable's rows are {pod, requests}: the pod as Kubernetes JSON, the answer as texts.
func podRequestsTable(r *rand.Rand) []section {
	pods := []any{}
	for len(pods) < 400 {
		// As noderesources.computePodResourceRequest with the default feature gates of this version.
		pods = append(pods, requestsRow(randomPod(r), resourcehelper.PodResourcesOptions{}))
	}
	return append([]section{{"pods", pods}}, resizedTable(r)...)
}

// resizedTable has pods on nodes, with resizes under way.
func resizedTable(r *rand.Rand) []section {
	resized := []any{}
	for len(resized) < 600 {
		pod := randomPod(r)
		addStatus(r, pod)
		// As PodInfo.CalculateResource of kube-scheduler with the default feature gates of this version.
		resized = append(resized, requestsRow(pod, resourcehelper.PodResourcesOptions{
			UseStatusResources: true,
			InPlacePodLevelResourcesVerticalScalingEnabled: true,
		}))
	}
	return []section{{"on_node", resized}}
}

func requestsRow(pod *v1.Pod, options resourcehelper.PodResourcesOptions) any {
	// A copy: PodRequests shares the pod's own lists, and String() remembers texts in them.
	object := map[string]any{"spec": trimmed(pod)}
	if status := trimmedStatus(pod); len(status) > 0 {
		object["status"] = status
	}
	asJSON, err := json.Marshal(object)
	if err != nil {
		fail(err)
	}
	texts := map[string]string{}
	for name, quantity := range resourcehelper.PodRequests(pod, options) {
		// Canonical, not as it was spelled: which of two equal amounts a maximum keeps is not ours to match.
		quantity.Add(resource.Quantity{})
		texts[string(name)] = quantity.String()
	}
	return map[string]any{"pod": json.RawMessage(asJSON), "requests": texts}
}

func randomPod(r *rand.Rand) *v1.Pod {
	pod := &v1.Pod{}
	for i := range 1 + r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, randomContainer(r, fmt.Sprintf("c%d", i)))
	}
	always := v1.ContainerRestartPolicyAlways
	for i := range r.IntN(5) {
		container := randomContainer(r, fmt.Sprintf("i%d", i))
		if chance(r, 50) {
			container.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if chance(r, 30) {
		pod.Spec.Overhead = randomResources(r)
	}
	if chance(r, 30) {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: randomResources(r)}
	}
	return pod
}

func randomContainer(r *rand.Rand, name string) v1.Container {
	return v1.Container{Name: name, Resources: v1.ResourceRequirements{Requests: randomResources(r)}}
}

func randomResources(r *rand.Rand) v1.ResourceList {
	list := v1.ResourceList{}
	for _, choice := range []struct {
		name    v1.ResourceName
		percent int
		amounts []string
	}{
		{v1.ResourceCPU, 75, []string{"100m", "0.25", "1", "1500m", "2", "0", "33n"}},
		{v1.ResourceMemory, 75, []string{"64Mi", "128974848", "1.5Gi", "1G", "0.5Mi", "0"}},
		{v1.ResourceEphemeralStorage, 15, []string{"1Gi", "500M"}},
		{"nvidia.com/gpu", 15, []string{"1", "8"}},
		{v1.ResourceHugePagesPrefix + "2Mi", 15, []string{"2Mi", "1Gi"}},
	} {
		if chance(r, choice.percent) {
			list[choice.name] = resource.MustParse(pick(r, choice.amounts...))
		}
	}
	return list
}

// trimmed is the part of the pod's spec that counts: the full encoding has a dozen empty fields.
func trimmed(pod *v1.Pod) map[string]any {
	// Names count only where a status names them, too.
	named := len(pod.Status.ContainerStatuses)+len(pod.Status.InitContainerStatuses) > 0
	spec := map[string]any{"containers": trimmedContainers(pod.Spec.Containers, named)}
	if len(pod.Spec.InitContainers) > 0 {
		spec["initContainers"] = trimmedContainers(pod.Spec.InitContainers, named)
	}
	if pod.Spec.Overhead != nil {
		spec["overhead"] = pod.Spec.Overhead
	}
	if pod.Spec.Resources != nil {
		spec["resources"] = map[string]any{"requests": pod.Spec.Resources.Requests}
	}
	return spec
}

func trimmedContainers(containers []v1.Container, named bool) []any {
	out := []any{}
	for _, c := range containers {
		item := map[string]any{"resources": map[string]any{"requests": c.Resources.Requests}}
		if named {
			item["name"] = c.Name
		}
		if c.RestartPolicy != nil {
			item["restartPolicy"] = *c.RestartPolicy
		}
		out = append(out, item)
	}
	return out
}
