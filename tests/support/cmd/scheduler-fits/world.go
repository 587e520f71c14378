package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// planned are the plugins whose filters the planner makes, too.
var planned = []string{"NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit",
	"PodTopologySpread", "InterPodAffinity"}

var extended = []string{"example.com/score", "example.com/gpu", "example.net/licence",
	resourceapi.ResourceDeviceClassPrefix + "fast"}

// world is a cluster, a configuration (as YAML, of which JSON is a part) and a pod without a node.
type world struct {
	config  string
	nodes   []*v1.Node
	bound   []*v1.Pod
	classes []*resourceapi.DeviceClass
	pod     *v1.Pod
}

func (w *world) objects() []any {
	objects := []any{}
	for _, node := range w.nodes {
		objects = append(objects, node)
	}
	for _, pod := range w.bound {
		objects = append(objects, pod)
	}
	for _, class := range w.classes {
		objects = append(objects, class)
	}
	return objects
}

func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// some returns about a share of all.
func some[T any](r *rand.Rand, percent int, all []T) []T {
	chosen := []T{}
	for _, item := range all {
		if chance(r, percent) {
			chosen = append(chosen, item)
		}
	}
	return chosen
}

func randomWorld(r *rand.Rand) *world {
	w := &world{config: randomConfig(r)}
	for i := range 1 + r.IntN(4) {
		w.nodes = append(w.nodes, randomNode(r, fmt.Sprintf("n%d", i)))
	}
	for i := range r.IntN(5) {
		pod := randomPod(r, fmt.Sprintf("bound-%d", i))
		pod.Spec.NodeName = pick(r, w.nodes...).Name
		w.bound = append(w.bound, pod)
	}
	if chance(r, 40) {
		class := &resourceapi.DeviceClass{
			TypeMeta:   metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "DeviceClass"},
			ObjectMeta: metav1.ObjectMeta{Name: pick(r, "fast", "slow")},
		}
		if chance(r, 70) {
			class.Spec.ExtendedResourceName = new("example.com/gpu")
		}
		w.classes = append(w.classes, class)
	}
	w.pod = randomPod(r, "p")
	w.pod.Labels["podGroup"], w.pod.Labels["minAvailable"] = "p", "1"
	return w
}

// randomConfig has one profile: extenders that manage resources, arguments of NodeResourcesFit, plugins that are off.
func randomConfig(r *rand.Rand) string {
	profile := map[string]any{"schedulerName": "default-scheduler"}
	fit := map[string]any{}
	if chance(r, 40) {
		fit["ignoredResources"] = some(r, 40, extended[:3])
	}
	if chance(r, 30) {
		fit["ignoredResourceGroups"] = some(r, 50, []string{"example.com", "example.net"})
	}
	if len(fit) > 0 {
		profile["pluginConfig"] = []any{map[string]any{"name": "NodeResourcesFit", "args": fit}}
	}
	// Some by their own point, which wins, and some by multiPoint. A plugin that stays enabled keeps its PreFilter.
	off := map[string][]any{}
	for _, name := range some(r, 12, planned) {
		off["multiPoint"] = append(off["multiPoint"], map[string]any{"name": name})
	}
	points := map[string]any{}
	for point, names := range off {
		points[point] = map[string]any{"disabled": names}
	}
	if len(points) > 0 {
		profile["plugins"] = points
	}
	object := map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": []any{profile},
	}
	if chance(r, 40) {
		managed := []any{}
		for _, name := range some(r, 50, extended[:3]) {
			managed = append(managed, map[string]any{"name": name, "ignoredByScheduler": chance(r, 70)})
		}
		object["extenders"] = []any{map[string]any{
			"urlPrefix": "http://127.0.0.1:8080/other", "filterVerb": "filter", "managedResources": managed}}
	}
	text, err := json.Marshal(object)
	must(err)
	return string(text)
}

func randomNode(r *rand.Rand, name string) *v1.Node {
	node := &v1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			v1.LabelHostname: name, "zone": pick(r, "a", "b"), "disk": pick(r, "ssd", "hdd")}},
	}
	node.Spec.Unschedulable = chance(r, 15)
	if chance(r, 30) {
		node.Spec.Taints = []v1.Taint{{Key: pick(r, "only", "old"), Value: pick(r, "x", "y"),
			Effect: pick(r, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute)}}
	}
	node.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse(pick(r, "2", "4", "500m")), v1.ResourceMemory: resource.MustParse(pick(r, "2Gi", "8Gi")),
		v1.ResourcePods: resource.MustParse(pick(r, "1", "3", "110")),
	}
	for _, name := range some(r, 35, extended) {
		node.Status.Allocatable[v1.ResourceName(name)] = resource.MustParse(pick(r, "0", "1", "2"))
	}
	return node
}

func randomPod(r *rand.Rand, name string) *v1.Pod {
	pod := &v1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name),
			Labels: map[string]string{"app": pick(r, "web", "db")}},
	}
	pod.Spec.SchedulerName = "default-scheduler"
	pod.Spec.Containers = []v1.Container{randomContainer(r)}
	if chance(r, 20) {
		pod.Spec.InitContainers = []v1.Container{randomContainer(r)}
	}
	if chance(r, 25) {
		pod.Spec.NodeSelector = map[string]string{"disk": pick(r, "ssd", "hdd")}
	}
	if chance(r, 35) {
		toleration := v1.Toleration{Key: pick(r, "only", "old", v1.TaintNodeUnschedulable, ""), Operator: v1.TolerationOpExists}
		if toleration.Key != "" && chance(r, 50) {
			toleration.Operator, toleration.Value = v1.TolerationOpEqual, pick(r, "x", "y")
		}
		pod.Spec.Tolerations = []v1.Toleration{toleration}
	}
	addAffinity(r, pod)
	if chance(r, 20) {
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: pick(r, "zone", v1.LabelHostname), WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: selector(r)}}
	}
	return pod
}

func randomContainer(r *rand.Rand) v1.Container {
	requests := v1.ResourceList{v1.ResourceCPU: resource.MustParse(pick(r, "100m", "1", "2"))}
	for _, name := range some(r, 25, extended) {
		requests[v1.ResourceName(name)] = resource.MustParse(pick(r, "1", "2"))
	}
	container := v1.Container{Name: "c", Image: "i", Resources: v1.ResourceRequirements{Requests: requests}}
	if chance(r, 25) {
		container.Ports = []v1.ContainerPort{{ContainerPort: 80, HostPort: pick(r, int32(80), int32(443)), Protocol: v1.ProtocolTCP}}
	}
	return container
}

func selector(r *rand.Rand) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(r, "web", "db")}}
}

func addAffinity(r *rand.Rand, pod *v1.Pod) {
	affinity := &v1.Affinity{}
	if chance(r, 25) {
		affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{
				Key: "zone", Operator: pick(r, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn), Values: []string{pick(r, "a", "b")}}}}}}}
	}
	term := func() []v1.PodAffinityTerm {
		return []v1.PodAffinityTerm{{LabelSelector: selector(r), TopologyKey: pick(r, "zone", v1.LabelHostname)}}
	}
	if chance(r, 20) {
		affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term()}
	}
	if chance(r, 20) {
		affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term()}
	}
	if affinity.NodeAffinity != nil || affinity.PodAffinity != nil || affinity.PodAntiAffinity != nil {
		pod.Spec.Affinity = affinity
	}
}
