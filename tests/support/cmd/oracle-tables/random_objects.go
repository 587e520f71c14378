package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

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
