package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// change is an object that has changed, and the events that upstream sees in it, of those that the lab knows.
type change[T any] struct {
	Name    string   `json:"name"`
	Before  T        `json:"before"`
	After   T        `json:"after"`
	Actions []string `json:"actions"`
}

func actionsOf(events []fwk.ClusterEvent) []string {
	var seen fwk.ActionType
	for _, event := range events {
		for _, action := range actions {
			if event.ActionType == action {
				seen |= action
			}
		}
	}
	names := []string{}
	for _, name := range []string{"UpdateNodeAllocatable", "UpdateNodeLabel", "UpdateNodeTaint", "UpdateNodeAnnotation",
		"UpdatePodLabel", "UpdatePodSchedulingGatesEliminated", "UpdatePodToleration"} {
		if seen&actions[name] != 0 {
			names = append(names, name)
		}
	}
	return names
}

type named[T any] struct {
	name  string
	apply func(T)
}

var nodeChanges = []named[*v1.Node]{
	{"a label more", func(n *v1.Node) { metav1.SetMetaDataLabel(&n.ObjectMeta, "l", "1") }},
	{"a label is another", func(n *v1.Node) { metav1.SetMetaDataLabel(&n.ObjectMeta, "zone", "b") }},
	{"an annotation more", func(n *v1.Node) { metav1.SetMetaDataAnnotation(&n.ObjectMeta, "a", "1") }},
	{"a taint more", func(n *v1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: "more", Effect: v1.TaintEffectNoSchedule})
	}},
	{"no taint", func(n *v1.Node) { n.Spec.Taints = nil }},
	{"a taint has another effect", func(n *v1.Node) { n.Spec.Taints[0].Effect = v1.TaintEffectNoExecute }},
	{"a cordon is set", func(n *v1.Node) { n.Spec.Unschedulable = true }},
	{"more cpu", func(n *v1.Node) { n.Status.Allocatable[v1.ResourceCPU] = resource.MustParse("8") }},
	{"a resource is gone", func(n *v1.Node) { delete(n.Status.Allocatable, v1.ResourceMemory) }},
	{"an address", func(n *v1.Node) {
		n.Status.Addresses = []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: "10.0.0.1"}}
	}},
}

var podChanges = []named[*v1.Pod]{
	{"a label more", func(p *v1.Pod) { metav1.SetMetaDataLabel(&p.ObjectMeta, "l", "1") }},
	{"a label is another", func(p *v1.Pod) { metav1.SetMetaDataLabel(&p.ObjectMeta, "app", "b") }},
	{"an annotation more", func(p *v1.Pod) { metav1.SetMetaDataAnnotation(&p.ObjectMeta, "a", "1") }},
	{"a toleration more", func(p *v1.Pod) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: "k", Operator: v1.TolerationOpExists})
	}},
	{"a gate less", func(p *v1.Pod) { p.Spec.SchedulingGates = p.Spec.SchedulingGates[1:] }},
	{"no gate", func(p *v1.Pod) { p.Spec.SchedulingGates = nil }},
	{"a condition", func(p *v1.Pod) {
		p.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionFalse, Reason: "Unschedulable"}}
	}},
}

func newNode() *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"zone": "a"}},
		Spec:       v1.NodeSpec{Taints: []v1.Taint{{Key: "k", Value: "v", Effect: v1.TaintEffectNoSchedule}}},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4"),
			v1.ResourceMemory: resource.MustParse("16Gi")}},
	}
}

func changedNodes() []change[*v1.Node] {
	see := func(name string, before, after *v1.Node) change[*v1.Node] {
		return change[*v1.Node]{name, before, after, actionsOf(framework.NodeSchedulingPropertiesChange(after, before))}
	}
	cordoned := newNode()
	cordoned.Spec.Unschedulable = true
	rows := []change[*v1.Node]{see("a cordon is lifted", cordoned, newNode())}
	for _, pair := range pairs(nodeChanges, newNode) {
		rows = append(rows, see(pair.name, newNode(), pair.after))
	}
	return rows
}

func changedPods() []change[*v1.Pod] {
	before := func() *v1.Pod {
		pod := newPod("a")
		pod.Labels = map[string]string{"app": "a"}
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "g1"}, {Name: "g2"}}
		return pod
	}
	var rows []change[*v1.Pod]
	for _, pair := range pairs(podChanges, before) {
		events := framework.PodSchedulingPropertiesChange(pair.after, before(), true)
		rows = append(rows, change[*v1.Pod]{pair.name, before(), pair.after, actionsOf(events)})
	}
	return rows
}

type changed[T any] struct {
	name  string
	after T
}

// pairs: nothing, each change, and each two of them.
func pairs[T any](changes []named[T], before func() T) []changed[T] {
	all := []changed[T]{{"nothing", before()}}
	for i, one := range changes {
		after := before()
		one.apply(after)
		all = append(all, changed[T]{one.name, after})
		for _, two := range changes[:i] {
			after := before()
			two.apply(after)
			if two.name == "no taint" || two.name == "no gate" {
				continue // what the other one changes is gone
			}
			one.apply(after)
			all = append(all, changed[T]{fmt.Sprintf("%s and %s", two.name, one.name), after})
		}
	}
	return all
}
