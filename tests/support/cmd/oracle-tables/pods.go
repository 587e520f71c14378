package main

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func pickedPods() []named[*v1.Pod] {
	pods := append(podsOfResources(), podsOfScheduling()...)
	pods = append(pods, podsOfLife()...)
	pods = append(pods, podsOfPlanning()...)
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
		pickedPod("scheduled", func(p *v1.Pod) {
			p.Spec.NodeName = "n0"
			p.Status.Conditions = []v1.PodCondition{
				{Type: v1.PodReady, Status: "True", LastTransitionTime: metav1.NewTime(created.Add(time.Hour))},
				{Type: v1.PodScheduled, Status: "True", LastTransitionTime: metav1.NewTime(created.Add(time.Minute))}}
		}),
		pickedPod("scheduled, nobody knows when", func(p *v1.Pod) {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: "True"}}
		}),
		pickedPod("not UTF-8", func(p *v1.Pod) {
			p.Annotations = map[string]string{"a": "x\xffy"}
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Message: "\xff"},
				{Type: v1.PodScheduled, Reason: "\xc0\xaf", Message: "0/3 nodes \xe2\x86"}}
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
