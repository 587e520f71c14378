package wirecheck

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func everyPod() *v1.Pod {
	pod := smallPod("every")
	pod.Labels = map[string]string{"app": "every", "tier": "back"}
	pod.Annotations = map[string]string{"note": "größer"}
	pod.Spec = v1.PodSpec{
		Containers: []v1.Container{
			{Name: "main", Resources: v1.ResourceRequirements{
				Requests: amounts("cpu", "250m", "memory", "1Gi"), Limits: amounts("cpu", "1")}},
			{Name: "idle"},
		},
		InitContainers: []v1.Container{
			{Name: "side", RestartPolicy: new(v1.ContainerRestartPolicyAlways),
				Resources: v1.ResourceRequirements{Requests: amounts("cpu", "50m")}},
			{Name: "init"},
		},
		Overhead:          amounts("cpu", "10m"),
		Resources:         &v1.ResourceRequirements{Requests: amounts("cpu", "2")},
		NodeName:          "worker-9",
		SchedulerName:     "default-scheduler",
		PriorityClassName: "high",
		Priority:          new(int32(-5)),
		NodeSelector:      map[string]string{"disk": "ssd"},
		Affinity:          everyAffinity(),
		Tolerations: []v1.Toleration{
			{Key: "gpu", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule},
			{Key: "spot", Operator: v1.TolerationOpEqual, Value: "true"},
			{Key: "plain", Value: "x", Effect: v1.TaintEffectNoExecute},
		},
	}
	pod.Status = v1.PodStatus{Phase: v1.PodPending, NominatedNodeName: "worker-1"}
	return pod
}

func everyAffinity() *v1.Affinity {
	app := &metav1.LabelSelector{
		MatchLabels:      map[string]string{"app": "every"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"front", "edge"}}},
	}
	term := v1.PodAffinityTerm{LabelSelector: app, Namespaces: []string{"shop", "lab"},
		NamespaceSelector: &metav1.LabelSelector{}, TopologyKey: "zone"}
	bare := v1.PodAffinityTerm{TopologyKey: "kubernetes.io/hostname"}
	return &v1.Affinity{
		NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
				MatchExpressions: []v1.NodeSelectorRequirement{
					{Key: "zone", Operator: v1.NodeSelectorOpIn, Values: []string{"z1", "z2"}},
					{Key: "cores", Operator: v1.NodeSelectorOpGt, Values: []string{"4"}},
					{Key: "gone", Operator: v1.NodeSelectorOpDoesNotExist},
				},
				MatchFields: []v1.NodeSelectorRequirement{
					{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"worker-1"}}},
			}}},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{Weight: 30,
				Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{
					{Key: "disk", Operator: v1.NodeSelectorOpExists}}}}},
		},
		PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{term},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 40, PodAffinityTerm: bare}},
		},
		PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution:  []v1.PodAffinityTerm{bare},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 50, PodAffinityTerm: term}},
		},
	}
}
