package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		node("not UTF-8", func(n *v1.Node) {
			n.Annotations = map[string]string{"a": "x\xffy\xe2\x98", "mean-free-cpu": "\xed\xa0\x80", "z": "\xf0\x9f\x98\x80\xc3("}
		}),
		node("many annotations", func(n *v1.Node) {
			n.Annotations = manyTexts("example.com", 150)
			n.Annotations["mean-free-cpu"] = "2"
			n.Labels = manyTexts("z", 40)
		}),
	}
}
