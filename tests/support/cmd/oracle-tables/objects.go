package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Whole nodes and pods: every field that Outrigger reads, and many that it steps over.

var (
	created = metav1.NewTime(time.Date(2026, 1, 15, 8, 0, 0, 0, time.UTC))
	always  = v1.ContainerRestartPolicyAlways
	yes, no = true, false
)

func sortByName[T any](objects []named[T]) {
	slices.SortFunc(objects, func(a, b named[T]) int { return cmp.Compare(a.name, b.name) })
}

func amounts(pairs ...string) v1.ResourceList {
	list := v1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[v1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func needed(requests v1.ResourceList) v1.ResourceRequirements {
	return v1.ResourceRequirements{Requests: requests}
}

func manyTexts(prefix string, count int) map[string]string {
	texts := map[string]string{}
	for i := range count {
		texts[fmt.Sprintf("%s/key-%d", prefix, i)] = strings.Repeat("v", i)
	}
	return texts
}

func managed(manager string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: "v1", Time: &created, FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`)}}
}

func pickedNodes() []named[*v1.Node] {
	node := func(name string, change func(n *v1.Node)) named[*v1.Node] {
		n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "4b6b4a3e", ResourceVersion: "41",
			CreationTimestamp: created}}
		change(n)
		return named[*v1.Node]{name, n}
	}
	return []named[*v1.Node]{
		{"empty", &v1.Node{}},
		node("whole", func(n *v1.Node) {
			n.Labels = map[string]string{"kubernetes.io/hostname": "n1", "zone": "a", "empty": ""}
			n.Annotations = map[string]string{"mean-free-cpu": "1.5", "other": "x", "zz": ""}
			n.ManagedFields = []metav1.ManagedFieldsEntry{managed("kubelet"), managed("kubectl")}
			n.Finalizers = []string{"example.com/f"}
			n.Spec = v1.NodeSpec{PodCIDR: "10.0.0.0/24", PodCIDRs: []string{"10.0.0.0/24"}, ProviderID: "x://1"}
			n.Status = v1.NodeStatus{
				Capacity:    amounts("cpu", "8", "memory", "32Gi", "pods", "110", "ephemeral-storage", "100Gi"),
				Allocatable: amounts("cpu", "7900m", "memory", "31Gi", "pods", "110", "nvidia.com/gpu", "2"),
				Conditions:  []v1.NodeCondition{{Type: v1.NodeReady, Status: "True", LastHeartbeatTime: created}},
				Addresses:   []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: "10.1.2.3"}},
				NodeInfo:    v1.NodeSystemInfo{KubeletVersion: "v1.36.3", Architecture: "amd64"},
				Images:      []v1.ContainerImage{{Names: []string{"a:1", "a@sha256:0"}, SizeBytes: 1 << 40}},
			}
		}),
		node("taints", func(n *v1.Node) {
			n.Spec.Unschedulable = true
			n.Spec.Taints = []v1.Taint{{Key: "a", Value: "b", Effect: "NoSchedule"},
				{Key: "c", Effect: "PreferNoSchedule"}, {Key: "d", Effect: "NoExecute", TimeAdded: &created}}
		}),
		node("unknown effects", func(n *v1.Node) {
			n.Spec.Taints = []v1.Taint{{Key: "a", Effect: "NoAdmit"}, {Key: "b", Effect: "NoExecute"}, {},
				{Effect: v1.TaintEffect(strings.Repeat("ü", 40))}}
		}),
		node("no name", func(n *v1.Node) {
			n.Name = ""
			n.Spec.Taints = []v1.Taint{{Effect: "x"}}
		}),
		node("odd amounts", func(n *v1.Node) {
			n.Status.Capacity = amounts("a", "1e3", "b", "0.5", "c", "1500m", "d", "-1", "e", "1E3", "f", "0",
				"g", "100Ei", "h", "3n", "i", "1.5Gi", "j", "1.0", "k", "9223372036854775808", "l", "+5", "m", "1u")
			n.Status.Allocatable = amounts("", "1", "ü", "2k", "much",
				"1234567890123456789012345678901234567890", "z", "1")
			n.Status.Allocatable["none"] = resource.Quantity{}
		}),
		node("unicode", func(n *v1.Node) {
			n.Name = "knöten-☃-𝄞"
			n.Labels = map[string]string{"ключ": "значение", "a\u2028b": "<&>\"\\\n\t\u0001", "": "", "𝄞": "𝄞"}
			n.Annotations = map[string]string{"é": "è", "mean-free-cpu": "½"}
		}),
		node("many annotations", func(n *v1.Node) {
			n.Annotations = manyTexts("example.com", 150)
			n.Annotations["mean-free-cpu"] = "2"
			n.Labels = manyTexts("z", 40)
		}),
	}
}

func pickedPods() []named[*v1.Pod] {
	pods := append(podsOfResources(), podsOfScheduling()...)
	pods = append(pods, podsOfLife()...)
	return append([]named[*v1.Pod]{{"empty", &v1.Pod{}}}, pods...)
}

func pickedPod(name string, change func(p *v1.Pod)) named[*v1.Pod] {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0", Namespace: "shop", UID: "0f-1a",
		ResourceVersion: "77", CreationTimestamp: created}}
	change(pod)
	return named[*v1.Pod]{name, pod}
}

func podsOfResources() []named[*v1.Pod] {
	return []named[*v1.Pod]{
		pickedPod("containers", func(p *v1.Pod) {
			p.Labels = map[string]string{"app": "web", "empty": ""}
			p.Annotations = manyTexts("example.com", 20)
			p.ManagedFields = []metav1.ManagedFieldsEntry{managed("controller"), managed("kubelet")}
			p.Spec.Containers = []v1.Container{
				{Name: "a", Image: "a:1", Resources: v1.ResourceRequirements{Requests: amounts("cpu", "250m"),
					Limits: amounts("cpu", "1", "memory", "1.5Gi"), Claims: []v1.ResourceClaim{{Name: "gpu"}}},
					Ports: []v1.ContainerPort{{ContainerPort: 80}}, Env: []v1.EnvVar{{Name: "A", Value: "B"}},
					LivenessProbe: &v1.Probe{ProbeHandler: v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{
						Path: "/", Port: intstr.FromString("http")}}}},
				{Name: "b"}, {}}
			p.Spec.InitContainers = []v1.Container{
				{Name: "i", Resources: needed(amounts("cpu", "2"))},
				{Name: "sidecar", RestartPolicy: &always, Resources: needed(amounts("memory", "1M"))}}
		}),
		pickedPod("overhead and pod-level resources", func(p *v1.Pod) {
			p.Spec.Overhead = amounts("cpu", "10m", "memory", "64Mi")
			p.Spec.Resources = &v1.ResourceRequirements{Requests: amounts("cpu", "3", "hugepages-2Mi", "4Mi"),
				Limits: amounts("cpu", "4")}
		}),
		pickedPod("pod-level resources without requests", func(p *v1.Pod) {
			p.Spec.Resources = &v1.ResourceRequirements{Limits: amounts("cpu", "4")}
		}),
		pickedPod("malformed amounts", func(p *v1.Pod) {
			huge := "1234567890123456789012345678901234567890"
			p.Spec.Containers = []v1.Container{{}, {Resources: needed(amounts("cpu", huge, "memory", "1"))}}
			p.Spec.Overhead = amounts("a", huge, "b", huge)
			p.Spec.Resources = &v1.ResourceRequirements{Requests: amounts("cpu", huge)}
			p.Status.ContainerStatuses = []v1.ContainerStatus{{}, {Name: "x",
				Resources: &v1.ResourceRequirements{Requests: amounts("cpu", huge)}}}
		}),
		pickedPod("status of resources", func(p *v1.Pod) {
			p.Status.ContainerStatuses = []v1.ContainerStatus{
				{Name: "a", AllocatedResources: amounts("cpu", "1"),
					Resources: &v1.ResourceRequirements{Requests: amounts("cpu", "2"), Limits: amounts("cpu", "3")},
					State:     v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: created}}},
				{Name: "without", AllocatedResources: amounts("cpu", "9")},
				{Name: "nothing", Resources: &v1.ResourceRequirements{}}}
			p.Status.InitContainerStatuses = []v1.ContainerStatus{
				{Name: "i", Resources: &v1.ResourceRequirements{Requests: amounts("memory", "1Ki")}}}
			p.Status.EphemeralContainerStatuses = []v1.ContainerStatus{
				{Name: "e", Resources: &v1.ResourceRequirements{}}}
			p.Status.Resources = &v1.ResourceRequirements{Requests: amounts("cpu", "5")}
			p.Status.AllocatedResources = amounts("cpu", "6", "memory", "7")
		}),
		pickedPod("status of resources that says nothing", func(p *v1.Pod) {
			p.Status.Resources = &v1.ResourceRequirements{}
			p.Status.AllocatedResources = v1.ResourceList{}
		}),
	}
}

func labelSelector(labels map[string]string, operators ...metav1.LabelSelectorOperator) *metav1.LabelSelector {
	selector := &metav1.LabelSelector{MatchLabels: labels}
	for i, op := range operators {
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: fmt.Sprintf("k%d", i), Operator: op, Values: []string{"v", "", "ü"}[:i%4]})
	}
	return selector
}

func podsOfScheduling() []named[*v1.Pod] {
	term := v1.PodAffinityTerm{
		LabelSelector: labelSelector(map[string]string{"b": "1", "a": "2"}, "In", "NotIn", "Exists", "DoesNotExist"),
		Namespaces:    []string{"x", "", "y"}, TopologyKey: "zone",
		NamespaceSelector: labelSelector(nil, "Exists"),
		MatchLabelKeys:    []string{"pod-template-hash"}, MismatchLabelKeys: []string{"tenant"}}
	bare := v1.PodAffinityTerm{TopologyKey: "host", NamespaceSelector: &metav1.LabelSelector{}}
	weighted := []v1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: term}, {PodAffinityTerm: bare}}
	nodeTerm := v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
		{Key: "zone", Operator: "In", Values: []string{"a", "b"}}, {Key: "zone", Operator: "NotIn", Values: []string{"c"}},
		{Key: "gpu", Operator: "Exists"}, {Key: "old", Operator: "DoesNotExist"},
		{Key: "cores", Operator: "Gt", Values: []string{"8"}}, {Key: "cores", Operator: "Lt", Values: []string{"64"}}},
		MatchFields: []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{"n1"}}}}
	affinity := func(a v1.Affinity) func(p *v1.Pod) { return func(p *v1.Pod) { p.Spec.Affinity = &a } }
	return []named[*v1.Pod]{
		pickedPod("scheduling", func(p *v1.Pod) {
			priority := int32(-2_000_000_000)
			p.Spec.NodeName, p.Spec.SchedulerName, p.Spec.PriorityClassName = "n1", "default-scheduler", "low"
			p.Spec.Priority = &priority
			p.Spec.NodeSelector = map[string]string{"zone": "a", "disk": ""}
			p.Status.Phase, p.Status.NominatedNodeName = v1.PodPending, "n2"
		}),
		pickedPod("node affinity", affinity(v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{nodeTerm, {}}},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
				{Weight: 50, Preference: nodeTerm}, {}}}})),
		pickedPod("empty required node affinity", affinity(v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{}}})),
		pickedPod("pod affinity", affinity(v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{term, bare},
			PreferredDuringSchedulingIgnoredDuringExecution: weighted}})),
		pickedPod("pod anti-affinity", affinity(v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{bare, term},
			PreferredDuringSchedulingIgnoredDuringExecution: weighted}})),
		pickedPod("empty affinity", affinity(v1.Affinity{})),
		pickedPod("unknown operator of a selector", affinity(v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
				{LabelSelector: labelSelector(nil, "Near")}}}})),
		pickedPod("tolerations", func(p *v1.Pod) {
			seconds := int64(300)
			p.Spec.Tolerations = []v1.Toleration{{Operator: "Exists"}, {Key: "a", Value: "b"},
				{Key: "c", Operator: "Equal", Value: "d", Effect: "NoSchedule"},
				{Key: "e", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds},
				{Key: "f", Operator: "Exists", Effect: "PreferNoSchedule"}}
		}),
		pickedPod("unknown tolerations", func(p *v1.Pod) {
			p.Spec.Tolerations = []v1.Toleration{{Key: "a", Operator: "Lt", Value: "5"}, {Key: "b"},
				{Key: "c", Effect: "NoAdmit"}, {Key: "d", Operator: "Gt", Effect: "x"}, {Operator: "ü\n"}, {Key: "z"}}
		}),
	}
}

func podsOfLife() []named[*v1.Pod] {
	return []named[*v1.Pod]{
		pickedPod("owners", func(p *v1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{
				{APIVersion: "v1", Kind: "Node", Name: "n", UID: "1"},
				{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "2", Controller: &yes, BlockOwnerDeletion: &yes},
				{Kind: "Job", Name: "j", UID: "3", Controller: &no}}
			p.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "a"}, {}, {Name: "b"}}
			p.Status.QOSClass = v1.PodQOSBurstable
		}),
		pickedPod("being deleted", func(p *v1.Pod) {
			grace := int64(30)
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &created, &grace
			p.CreationTimestamp = metav1.NewTime(time.Date(1969, 12, 31, 23, 59, 59, 999, time.UTC))
		}),
		pickedPod("no times", func(p *v1.Pod) {
			p.CreationTimestamp, p.DeletionTimestamp = metav1.Time{}, &metav1.Time{}
		}),
		pickedPod("times at the ends", func(p *v1.Pod) {
			late := metav1.NewTime(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
			p.CreationTimestamp, p.DeletionTimestamp = metav1.NewTime(time.Unix(0, 0)), &late
		}),
		pickedPod("unscheduled", func(p *v1.Pod) {
			p.Status.Conditions = []v1.PodCondition{
				{Type: v1.PodReady, Status: "False", Reason: "r", Message: "m"},
				{Type: v1.PodScheduled, Status: "False", Reason: "Unschedulable", LastTransitionTime: created,
					Message: "0/3 nodes are available: 3 Insufficient cpu → “none”."}}
		}),
		pickedPod("resize", func(p *v1.Pod) {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible},
				{Type: v1.PodResizePending, Reason: v1.PodReasonDeferred}, {Type: v1.PodScheduled}}
		}),
		pickedPod("resize that waits", func(p *v1.Pod) {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Reason: v1.PodReasonDeferred},
				{Type: v1.PodResizePending, Reason: v1.PodReasonInfeasible}}
		}),
		pickedPod("unicode", func(p *v1.Pod) {
			p.Name, p.Namespace, p.UID = "пod", "名前空間", types.UID("\u0000\u007f")
			p.Labels = map[string]string{"𝄞": "☃", "b": "\ufffd", "a": "\u2029"}
			p.Spec.NodeName = strings.Repeat("ü", 100)
		}),
	}
}

func randomTexts(r *rand.Rand, most int) map[string]string {
	texts := map[string]string{}
	for range r.IntN(most + 1) {
		texts[pick(r, "app", "zone", "mean-free-cpu", "a/b", "ü", "z", "tier")] = pick(r, "", "a", "web-1", "ü☃", "1.5")
	}
	return texts
}

func randomMeta(r *rand.Rand, name string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Name: name, UID: types.UID(fmt.Sprintf("%x", r.Uint64())),
		ResourceVersion: fmt.Sprint(r.IntN(1_000_000)), Labels: randomTexts(r, 6), Annotations: randomTexts(r, 6),
		Generation: r.Int64N(9), CreationTimestamp: metav1.NewTime(time.Unix(r.Int64N(4e9), 0).UTC())}
	for range r.IntN(3) {
		meta.ManagedFields = append(meta.ManagedFields, managed(pick(r, "a", "b")))
	}
	return meta
}

func randomNode(r *rand.Rand, i int) *v1.Node {
	node := &v1.Node{ObjectMeta: randomMeta(r, fmt.Sprintf("n%d", i))}
	node.Spec.Unschedulable = chance(r, 20)
	for range r.IntN(4) {
		node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: pick(r, "a", "b", ""), Value: pick(r, "", "x"),
			Effect: v1.TaintEffect(pick(r, "NoSchedule", "PreferNoSchedule", "NoExecute", "Other"))})
	}
	node.Status.Capacity, node.Status.Allocatable = randomResources(r), randomResources(r)
	node.Status.Phase = v1.NodePhase(pick(r, "", "Running"))
	return node
}

func randomWholePod(r *rand.Rand, i int) *v1.Pod {
	pod := randomPod(r)
	if chance(r, 50) {
		addStatus(r, pod)
	}
	pod.ObjectMeta = randomMeta(r, fmt.Sprintf("p%d", i))
	pod.Namespace = pick(r, "default", "shop", "")
	if chance(r, 20) {
		pod.DeletionTimestamp = &created
	}
	for range r.IntN(3) {
		isController := chance(r, 50)
		pod.OwnerReferences = append(pod.OwnerReferences,
			metav1.OwnerReference{Kind: pick(r, "Job", "ReplicaSet"), Name: "o", UID: "u", Controller: &isController})
	}
	for range r.IntN(4) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{Key: pick(r, "", "a", "b"),
			Operator: v1.TolerationOperator(pick(r, "", "Equal", "Exists", "Lt")), Value: pick(r, "", "x"),
			Effect: v1.TaintEffect(pick(r, "", "NoSchedule", "NoExecute", "Other"))})
	}
	priority := int32(r.Uint32())
	pod.Spec.Priority, pod.Spec.NodeSelector = &priority, randomTexts(r, 3)
	pod.Spec.NodeName, pod.Spec.SchedulerName = pick(r, "", "n1"), pick(r, "", "default-scheduler")
	pod.Status.Phase = v1.PodPhase(pick(r, "Pending", "Running", "Succeeded"))
	pod.Status.QOSClass = v1.PodQOSClass(pick(r, "", "Burstable", "BestEffort"))
	if chance(r, 50) {
		pod.Spec.Affinity = randomAffinity(r)
	}
	return pod
}

func randomAffinity(r *rand.Rand) *v1.Affinity {
	affinity := &v1.Affinity{}
	if chance(r, 50) {
		affinity.NodeAffinity = &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{}}
		for range r.IntN(3) {
			term, _ := randomTerm(r)
			required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
			required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
			affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
				affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
				v1.PreferredSchedulingTerm{Weight: int32(r.IntN(100)), Preference: term})
		}
	}
	affinity.PodAffinity, affinity.PodAntiAffinity = &v1.PodAffinity{}, &v1.PodAntiAffinity{}
	for range r.IntN(3) {
		term := v1.PodAffinityTerm{TopologyKey: pick(r, "zone", "host"), Namespaces: []string{"a", "b"}[:r.IntN(3)]}
		if chance(r, 70) {
			term.LabelSelector = labelSelector(randomTexts(r, 3), "In", "Exists")
		}
		if chance(r, 40) {
			term.NamespaceSelector = labelSelector(randomTexts(r, 2))
		}
		weighted := v1.WeightedPodAffinityTerm{Weight: int32(r.IntN(100)), PodAffinityTerm: term}
		required := &affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		preferred := &affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		if chance(r, 50) {
			required = &affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
			preferred = &affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		}
		*required, *preferred = append(*required, term), append(*preferred, weighted)
	}
	return affinity
}
