package kube

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeBuilder makes nodes: ready, 8 cpus, 32 GiB, 110 pods, unless told otherwise.
type NodeBuilder struct{ node corev1.Node }

// MakeNode starts a node.
func MakeNode(name string) *NodeBuilder {
	resources := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("8"),
		corev1.ResourceMemory: resource.MustParse("32Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	return &NodeBuilder{corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      map[string]string{corev1.LabelHostname: name},
			Annotations: map[string]string{},
		},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources.DeepCopy(),
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "StandIn",
			}},
		},
	}}
}

// Label sets a label.
func (b *NodeBuilder) Label(key, value string) *NodeBuilder {
	b.node.Labels[key] = value
	return b
}

// Annotation sets an annotation.
func (b *NodeBuilder) Annotation(key, value string) *NodeBuilder {
	b.node.Annotations[key] = value
	return b
}

// Resource sets capacity and allocatable of one resource.
func (b *NodeBuilder) Resource(name corev1.ResourceName, quantity string) *NodeBuilder {
	b.node.Status.Capacity[name] = resource.MustParse(quantity)
	b.node.Status.Allocatable[name] = resource.MustParse(quantity)
	return b
}

// InternalIP adds an address.
func (b *NodeBuilder) InternalIP(address string) *NodeBuilder {
	b.node.Status.Addresses = append(b.node.Status.Addresses,
		corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: address})
	return b
}

// Taint adds a taint.
func (b *NodeBuilder) Taint(key, value string, effect corev1.TaintEffect) *NodeBuilder {
	b.node.Spec.Taints = append(b.node.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	return b
}

// Cordoned marks the node as `kubectl cordon` does.
func (b *NodeBuilder) Cordoned() *NodeBuilder {
	b.node.Spec.Unschedulable = true
	return b
}

// Node returns a copy of what was built.
func (b *NodeBuilder) Node() *corev1.Node { return b.node.DeepCopy() }

// PodBuilder makes pods: namespace default, one container that asks for 10m and 16Mi, scheduled by
// default-scheduler, and no grace period so that deletions are quick.
type PodBuilder struct{ pod corev1.Pod }

// MakePod starts a pod.
func MakePod(name string) *PodBuilder {
	no, grace := false, int64(0)
	return &PodBuilder{corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Namespace:   metav1.NamespaceDefault,
			Labels:      map[string]string{},
			Annotations: map[string]string{},
		},
		Spec: corev1.PodSpec{
			AutomountServiceAccountToken:  &no,
			EnableServiceLinks:            &no,
			TerminationGracePeriodSeconds: &grace,
			Containers: []corev1.Container{{
				Name:  "main",
				Image: "registry.example/pause:1",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU:    resource.MustParse("10m"),
					corev1.ResourceMemory: resource.MustParse("16Mi"),
				}},
			}},
		},
	}}
}

// Namespace sets the namespace.
func (b *PodBuilder) Namespace(namespace string) *PodBuilder {
	b.pod.Namespace = namespace
	return b
}

// Label sets a label.
func (b *PodBuilder) Label(key, value string) *PodBuilder {
	b.pod.Labels[key] = value
	return b
}

// Annotation sets an annotation.
func (b *PodBuilder) Annotation(key, value string) *PodBuilder {
	b.pod.Annotations[key] = value
	return b
}

// Request sets what the container asks for of one resource; extended resources get the same limit.
func (b *PodBuilder) Request(name corev1.ResourceName, quantity string) *PodBuilder {
	resources := &b.pod.Spec.Containers[0].Resources
	resources.Requests[name] = resource.MustParse(quantity)
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
	default:
		if resources.Limits == nil {
			resources.Limits = corev1.ResourceList{}
		}
		resources.Limits[name] = resource.MustParse(quantity)
	}
	return b
}

// NodeSelector restricts the pod to nodes with a label.
func (b *PodBuilder) NodeSelector(key, value string) *PodBuilder {
	if b.pod.Spec.NodeSelector == nil {
		b.pod.Spec.NodeSelector = map[string]string{}
	}
	b.pod.Spec.NodeSelector[key] = value
	return b
}

// Scheduler names the scheduler.
func (b *PodBuilder) Scheduler(name string) *PodBuilder {
	b.pod.Spec.SchedulerName = name
	return b
}

// Node binds the pod to a node from the start, past every scheduler.
func (b *PodBuilder) Node(name string) *PodBuilder {
	b.pod.Spec.NodeName = name
	return b
}

// PriorityClass sets the class; the class has to exist.
func (b *PodBuilder) PriorityClass(name string) *PodBuilder {
	b.pod.Spec.PriorityClassName = name
	return b
}

// Gate adds a scheduling gate.
func (b *PodBuilder) Gate(name string) *PodBuilder {
	b.pod.Spec.SchedulingGates = append(b.pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
	return b
}

// GracePeriod sets how long a deletion may take.
func (b *PodBuilder) GracePeriod(seconds int64) *PodBuilder {
	b.pod.Spec.TerminationGracePeriodSeconds = &seconds
	return b
}

// Apart forbids that the pod shares a value of a node's label with others that have a label.
func (b *PodBuilder) Apart(topologyKey, key, value string) *PodBuilder {
	affinity := b.affinity()
	affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: topologyKey, LabelSelector: with(key, value),
		}},
	}
	return b
}

// Spread forbids that pods with a label are on one value of a node's label more than once as often
// as on any other.
func (b *PodBuilder) Spread(topologyKey, key, value string) *PodBuilder {
	b.pod.Spec.TopologySpreadConstraints = append(b.pod.Spec.TopologySpreadConstraints,
		corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: topologyKey, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: with(key, value),
		})
	return b
}

// ResourceClaim makes the pod use a ResourceClaim of its namespace.
func (b *PodBuilder) ResourceClaim(name string) *PodBuilder {
	b.pod.Spec.ResourceClaims = append(b.pod.Spec.ResourceClaims,
		corev1.PodResourceClaim{Name: name, ResourceClaimName: &name})
	return b
}

// Claim mounts the volume of a claim.
func (b *PodBuilder) Claim(name string) *PodBuilder {
	b.pod.Spec.Volumes = append(b.pod.Spec.Volumes, corev1.Volume{Name: name,
		VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name},
		}})
	return b
}

func (b *PodBuilder) affinity() *corev1.Affinity {
	if b.pod.Spec.Affinity == nil {
		b.pod.Spec.Affinity = &corev1.Affinity{}
	}
	return b.pod.Spec.Affinity
}

func with(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

// Change changes what no other method does.
func (b *PodBuilder) Change(change func(pod *corev1.Pod)) *PodBuilder {
	change(&b.pod)
	return b
}

// Pod returns a copy of what was built.
func (b *PodBuilder) Pod() *corev1.Pod { return b.pod.DeepCopy() }

// Pinned restricts the pod to one node by its name, as the DaemonSet controller does.
func (b *PodBuilder) Pinned(node string) *PodBuilder {
	b.affinity().NodeAffinity = &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{
					Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node},
				}},
			}},
		},
	}
	return b
}
