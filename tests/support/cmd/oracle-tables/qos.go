package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
)

// amount is one quantity in two spellings.
type amount struct{ plain, other string }

var (
	someCPU    = []amount{{"1", "1000m"}, {"100m", "0.1"}, {"2", "2e0"}, {"250m", "0.25"}, {"1n", "1n"}}
	someMemory = []amount{{"1Gi", "1024Mi"}, {"1G", "1000M"}, {"64Mi", "67108864"}, {"1Ki", "1.024k"}}
	zero       = amount{"0", "0Mi"}
)

// qosTable's rows are {pod, class}: the pod as Kubernetes JSON, without a class in its status.
func qosTable(r *rand.Rand) []section {
	rows := []any{}
	for _, pod := range pickedQosPods() {
		rows = append(rows, qosRow(pod))
	}
	for len(rows) < 600 {
		rows = append(rows, qosRow(randomQosPod(r)))
	}
	return []section{{"pods", rows}}
}

func qosRow(pod *v1.Pod) any {
	spec := map[string]any{"containers": qosContainers(pod.Spec.Containers)}
	if len(pod.Spec.InitContainers) > 0 {
		spec["initContainers"] = qosContainers(pod.Spec.InitContainers)
	}
	if len(pod.Spec.EphemeralContainers) > 0 {
		spec["ephemeralContainers"] = pod.Spec.EphemeralContainers
	}
	if pod.Spec.Resources != nil {
		spec["resources"] = pod.Spec.Resources
	}
	if pod.Spec.Overhead != nil {
		spec["overhead"] = pod.Spec.Overhead
	}
	asJSON, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		fail(err)
	}
	return map[string]any{"pod": json.RawMessage(asJSON), "class": qos.ComputePodQOS(pod)}
}

func qosContainers(containers []v1.Container) []any {
	out := []any{}
	for _, c := range containers {
		item := map[string]any{"name": c.Name}
		if len(c.Resources.Requests)+len(c.Resources.Limits) > 0 {
			item["resources"] = c.Resources
		}
		if c.RestartPolicy != nil {
			item["restartPolicy"] = *c.RestartPolicy
		}
		out = append(out, item)
	}
	return out
}

// pickedQosPods have what random pods hardly ever have.
func pickedQosPods() []*v1.Pod {
	full := v1.ResourceRequirements{Requests: amounts("cpu", "1", "memory", "1Gi"),
		Limits: amounts("cpu", "1", "memory", "1Gi")}
	onPod := func(requests, limits v1.ResourceList) *v1.Pod {
		return &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Resources: full}},
			Resources: &v1.ResourceRequirements{Requests: requests, Limits: limits}}}
	}
	return []*v1.Pod{
		{},
		onPod(nil, nil),
		onPod(v1.ResourceList{}, v1.ResourceList{}),
		onPod(amounts("cpu", "0"), nil),
		onPod(nil, amounts("cpu", "1", "memory", "1Gi")),
		onPod(amounts("hugepages-2Mi", "2Mi"), amounts("hugepages-2Mi", "2Mi")),
		onPod(amounts("ephemeral-storage", "1Gi"), nil),
		onPod(amounts("nvidia.com/gpu", "1"), amounts("nvidia.com/gpu", "1")),
	}
}

func randomQosPod(r *rand.Rand) *v1.Pod {
	pod := &v1.Pod{}
	usual := pick(r, "guaranteed", "guaranteed", "nothing", "zero", "any")
	for i := range 1 + r.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, qosContainer(r, fmt.Sprintf("c%d", i), usual))
	}
	always := v1.ContainerRestartPolicyAlways
	for i := range max(0, r.IntN(5)-2) {
		container := qosContainer(r, fmt.Sprintf("i%d", i), usual)
		if chance(r, 50) {
			container.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if chance(r, 15) {
		// The API refuses resources in them; upstream does not look at them.
		pod.Spec.EphemeralContainers = []v1.EphemeralContainer{{EphemeralContainerCommon: v1.EphemeralContainerCommon{
			Name: "debug", Resources: qosResources(r, "any")}}}
	}
	if chance(r, 15) {
		resources := qosResources(r, pick(r, "guaranteed", "nothing", "zero", "any"))
		pod.Spec.Resources = &resources
	}
	if chance(r, 10) {
		pod.Spec.Overhead = amounts("cpu", "10m")
	}
	return pod
}

func qosContainer(r *rand.Rand, name, usual string) v1.Container {
	if chance(r, 12) {
		usual = pick(r, "guaranteed", "nothing", "zero", "any")
	}
	return v1.Container{Name: name, Resources: qosResources(r, usual)}
}

func qosResources(r *rand.Rand, style string) v1.ResourceRequirements {
	resources := v1.ResourceRequirements{Requests: v1.ResourceList{}, Limits: v1.ResourceList{}}
	setQosAmounts(r, style, v1.ResourceCPU, someCPU, &resources)
	setQosAmounts(r, style, v1.ResourceMemory, someMemory, &resources)
	for _, name := range []v1.ResourceName{"hugepages-2Mi", "nvidia.com/gpu", v1.ResourceEphemeralStorage} {
		if chance(r, 10) {
			resources.Requests[name] = resource.MustParse("1")
			if chance(r, 70) {
				resources.Limits[name] = resource.MustParse("1")
			}
		}
	}
	return resources
}

// setQosAmounts fills in request and limit of one resource: equal ones, none, zeros, or any two.
func setQosAmounts(r *rand.Rand, style string, name v1.ResourceName, from []amount, to *v1.ResourceRequirements) {
	request, limit := pick(r, from...), pick(r, append(from, zero)...)
	switch style {
	case "guaranteed":
		limit = request
	case "nothing":
		return
	case "zero":
		request, limit = zero, zero
	}
	wanted := style == "guaranteed"
	if wanted || chance(r, 60) {
		to.Requests[name] = resource.MustParse(request.plain)
	}
	if wanted || chance(r, 60) {
		to.Limits[name] = resource.MustParse(pick(r, limit.plain, limit.other))
	}
}
