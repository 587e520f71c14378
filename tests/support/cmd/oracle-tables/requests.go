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
	rows := []any{}
	for len(rows) < 400 {
		pod := randomPod(r)
		// A copy: PodRequests shares the pod's own lists, and String() remembers texts in them.
		asJSON, err := json.Marshal(map[string]any{"spec": trimmed(pod)})
		if err != nil {
			fail(err)
		}
		// As noderesources.computePodResourceRequest with the default feature gates of this version.
		requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
		texts := map[string]string{}
		for name, quantity := range requests {
			// Canonical, not as it was spelled: which of two equal amounts a maximum keeps is not ours to match.
			quantity.Add(resource.Quantity{})
			texts[string(name)] = quantity.String()
		}
		rows = append(rows, map[string]any{"pod": json.RawMessage(asJSON), "requests": texts})
	}
	return []section{{"pods", rows}}
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
	spec := map[string]any{"containers": trimmedContainers(pod.Spec.Containers)}
	if len(pod.Spec.InitContainers) > 0 {
		spec["initContainers"] = trimmedContainers(pod.Spec.InitContainers)
	}
	if pod.Spec.Overhead != nil {
		spec["overhead"] = pod.Spec.Overhead
	}
	if pod.Spec.Resources != nil {
		spec["resources"] = map[string]any{"requests": pod.Spec.Resources.Requests}
	}
	return spec
}

func trimmedContainers(containers []v1.Container) []any {
	out := []any{}
	for _, c := range containers {
		item := map[string]any{"resources": map[string]any{"requests": c.Resources.Requests}}
		if c.RestartPolicy != nil {
			item["restartPolicy"] = *c.RestartPolicy
		}
		out = append(out, item)
	}
	return out
}
