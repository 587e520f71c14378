package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// nodes are small, so that what is recorded is.
func nodes() []*corev1.Node {
	worker := func(name string) *kube.NodeBuilder {
		return kube.MakeNode(name).Label(corev1.LabelTopologyZone, "zone-a").
			Annotation("mean-free-cpu", "6800").Annotation("std-free-cpu", "150")
	}
	return []*corev1.Node{
		worker("worker-1").Annotation("congestion-factor", "80").Node(),
		worker("worker-2").Resource("example.com/gpu", "2").Node(),
		worker("tainted").Taint("spot", "true", corev1.TaintEffectNoSchedule).Node(),
	}
}

type step struct {
	pod     *corev1.Pod
	refused bool // or bound
}

// pods are the calls: plain, with everything that scheduling reads, too large for any node, filling
// both nodes, and one that preempts.
func pods() []step {
	return []step{
		{pod: kube.MakePod("plain").Pod()},
		{pod: everything()},
		{pod: kube.MakePod("giant").Request(corev1.ResourceCPU, "64").Pod(), refused: true},
		{pod: kube.MakePod("filling-1").Request(corev1.ResourceCPU, "5").Pod()},
		{pod: kube.MakePod("filling-2").Request(corev1.ResourceCPU, "5").Pod()},
		{pod: kube.MakePod("preemptor").Request(corev1.ResourceCPU, "5").PriorityClass("urgent").Pod()},
	}
}

func everything() *corev1.Pod {
	pod := kube.MakePod("everything").Label("app", "all").Annotation("note", "größer <&>").
		Request("example.com/gpu", "1").Pod()
	always := corev1.ContainerRestartPolicyAlways
	pod.Spec.InitContainers = []corev1.Container{
		{Name: "side", Image: "registry.example/side:1", RestartPolicy: &always},
		{Name: "init", Image: "registry.example/init:1"},
	}
	pod.Spec.Tolerations = []corev1.Toleration{
		{Key: "spot", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule},
	}
	zone := corev1.NodeSelectorRequirement{
		Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"zone-a"}}
	pod.Spec.Affinity = &corev1.Affinity{
		NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{zone}}}},
		},
		PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
				TopologyKey: corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{
					MatchLabels: map[string]string{"app": "all"},
					MatchExpressions: []metav1.LabelSelectorRequirement{
						{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"front", "edge"}}},
				}}},
		},
	}
	return pod
}
