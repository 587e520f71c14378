package main

import v1 "k8s.io/api/core/v1"

// podsOfPlanning have what pods do to each other, and what their claims ask of a node.
func podsOfPlanning() []named[*v1.Pod] {
	return []named[*v1.Pod]{
		pickedPod("host ports", func(p *v1.Pod) {
			p.Spec.Containers = []v1.Container{
				{Name: "a", Ports: []v1.ContainerPort{{Name: "http", ContainerPort: 80, HostPort: 8080},
					{ContainerPort: 81}, {HostPort: 53, Protocol: v1.ProtocolUDP, HostIP: "127.0.0.1"}}},
				{Name: "b", Ports: []v1.ContainerPort{{HostPort: -1}, {HostPort: 1, HostIP: "0.0.0.0", Protocol: "ü"}}}}
			p.Spec.InitContainers = []v1.Container{
				{Name: "ends", Ports: []v1.ContainerPort{{HostPort: 2}}},
				{Name: "stays", RestartPolicy: &always, Ports: []v1.ContainerPort{{HostPort: 3}, {}}}}
		}),
		pickedPod("topology spread", func(p *v1.Pod) {
			domains, honor, ignore, other := int32(3), v1.NodeInclusionPolicyHonor,
				v1.NodeInclusionPolicyIgnore, v1.NodeInclusionPolicy("Other")
			p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
				{MaxSkew: 2, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule, MinDomains: &domains,
					LabelSelector:      labelSelector(map[string]string{"b": "1", "a": "2"}, "In", "Exists"),
					NodeAffinityPolicy: &ignore, NodeTaintsPolicy: &honor, MatchLabelKeys: []string{"pod-template-hash", ""}},
				{MaxSkew: 1, TopologyKey: "host", WhenUnsatisfiable: v1.ScheduleAnyway},
				{NodeAffinityPolicy: &honor, NodeTaintsPolicy: &ignore, LabelSelector: labelSelector(nil)},
				{WhenUnsatisfiable: "Perhaps", NodeAffinityPolicy: &other, NodeTaintsPolicy: &other}}
		}),
		pickedPod("claims", func(p *v1.Pod) {
			claim := func(name string) v1.VolumeSource {
				return v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: name, ReadOnly: true}}
			}
			template := &v1.PersistentVolumeClaimTemplate{}
			p.Spec.Volumes = []v1.Volume{{Name: "a", VolumeSource: claim("data-0")},
				{Name: "b", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}},
				{Name: "c", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: template}}},
				{Name: "d", VolumeSource: v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{}}}, {}}
		}),
		pickedPod("resource claims", func(p *v1.Pod) {
			mine, template, made, empty := "mine", "template", "web-0-gpu-x7", ""
			p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "own", ResourceClaimName: &mine},
				{Name: "gpu", ResourceClaimTemplateName: &template},
				{Name: "not made", ResourceClaimTemplateName: &template},
				{Name: "not wanted", ResourceClaimTemplateName: &template}, {ResourceClaimName: &empty}}
			p.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{{Name: "own", ResourceClaimName: &template},
				{Name: "not wanted"}, {Name: "gpu", ResourceClaimName: &made}, {Name: "gpu", ResourceClaimName: &mine}}
		}),
		pickedPod("preemption and group", func(p *v1.Pod) {
			never, group := v1.PreemptNever, "train"
			p.Spec.PreemptionPolicy, p.Spec.SchedulingGroup = &never, &v1.PodSchedulingGroup{PodGroupName: &group}
		}),
		pickedPod("preemption as usual and an empty group", func(p *v1.Pod) {
			lower := v1.PreemptLowerPriority
			p.Spec.PreemptionPolicy, p.Spec.SchedulingGroup = &lower, &v1.PodSchedulingGroup{}
		}),
	}
}
