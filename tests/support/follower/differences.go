package follower

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
)

// Differences returns, object by object and field by field, where a dump differs from the state.
func (s *State) Differences(dump Dump) []string {
	d := differences{}
	s.compareNodes(&d, dump)
	s.comparePods(&d, dump)
	s.compareRequested(&d, dump)
	return d.all
}

type differences struct{ all []string }

func (d *differences) add(format string, args ...any) {
	d.all = append(d.all, fmt.Sprintf(format, args...))
}

// field notes a difference unless got is want.
func (d *differences) field(object, field string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		d.add("%s: %s is %v, want %v", object, field, got, want)
	}
}

func (d *differences) labels(object string, got, want map[string]string) {
	if !maps.Equal(got, want) {
		d.add("%s: labels are %v, want %v", object, got, want)
	}
}

// quantities notes where amounts differ, however they are spelled; what is missing is 0.
func (d *differences) quantities(object string, got map[string]string, want corev1.ResourceList) {
	names := slices.Collect(maps.Keys(got))
	for name := range want {
		names = append(names, string(name))
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		amount := resource.Quantity{}
		if text, there := got[name]; there {
			var err error
			if amount, err = resource.ParseQuantity(text); err != nil {
				d.add("%s: %s is %q: %v", object, name, text, err)
				continue
			}
		}
		wanted := want[corev1.ResourceName(name)]
		if amount.Cmp(wanted) != 0 {
			d.add("%s: %s is %s, want %s", object, name, amount.String(), wanted.String())
		}
	}
}

// byKey indexes what a dump has and notes what is there twice.
func byKey[T any](d *differences, all []T, key func(T) string) map[string]T {
	index := make(map[string]T, len(all))
	for _, each := range all {
		if _, twice := index[key(each)]; twice {
			d.add("%s is there twice", key(each))
		}
		index[key(each)] = each
	}
	return index
}

func (s *State) compareNodes(d *differences, dump Dump) {
	known := byKey(d, dump.Nodes, func(n Node) string { return "node " + n.Name })
	for i := range s.Nodes {
		want := &s.Nodes[i]
		object := "node " + want.Name
		got, there := known[object]
		if !there {
			d.add("%s is missing", object)
			continue
		}
		delete(known, object)
		d.field(object, "resourceVersion", got.ResourceVersion, want.ResourceVersion)
		d.field(object, "unschedulable", got.Unschedulable, want.Spec.Unschedulable)
		d.labels(object, got.Labels, want.Labels)
		d.field(object, "taints", got.Taints, taintsOf(want))
		d.quantities(object+" allocatable", got.Allocatable, want.Status.Allocatable)
		d.field(object, "addresses", got.Addresses, addressesOf(want))
		d.field(object, "ready", got.Ready, readyOf(want))
	}
	for object := range known {
		d.add("%s is not on the server", object)
	}
}

func (s *State) comparePods(d *differences, dump Dump) {
	known := byKey(d, dump.Pods, func(p Pod) string { return "pod " + p.Namespace + "/" + p.Name })
	for i := range s.Pods {
		want := &s.Pods[i]
		object := "pod " + want.Namespace + "/" + want.Name
		got, there := known[object]
		if !there {
			d.add("%s is missing", object)
			continue
		}
		delete(known, object)
		d.field(object, "uid", got.UID, want.UID)
		d.field(object, "resourceVersion", got.ResourceVersion, want.ResourceVersion)
		d.field(object, "nodeName", got.NodeName, want.Spec.NodeName)
		d.field(object, "phase", got.Phase, want.Status.Phase)
		d.field(object, "priority", got.Priority, priorityOf(want))
		d.labels(object, got.Labels, want.Labels)
		d.field(object, "life", got.Life.text(), lifeOf(want).text())
	}
	for object := range known {
		d.add("%s is not on the server", object)
	}
}

// compareRequested looks at nodes that are there: what is bound to others is nobody's.
func (s *State) compareRequested(d *differences, dump Dump) {
	want := s.Requested()
	for i := range s.Nodes {
		name := s.Nodes[i].Name
		d.quantities("requested of node "+name, dump.Requested[name], want[name])
	}
}

// Requested is, by node, what the pods ask for in all that are bound there and have not finished, and
// how many they are.
func (s *State) Requested() map[string]corev1.ResourceList {
	requested := map[string]corev1.ResourceList{}
	for i := range s.Pods {
		pod := &s.Pods[i]
		finished := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if pod.Spec.NodeName == "" || finished {
			continue
		}
		sum := requested[pod.Spec.NodeName]
		if sum == nil {
			sum = corev1.ResourceList{}
			requested[pod.Spec.NodeName] = sum
		}
		// As kube-scheduler counts a pod whose status says nothing of resources.
		for name, amount := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
			addTo(sum, name, amount)
		}
		addTo(sum, corev1.ResourcePods, resource.MustParse("1"))
	}
	return requested
}

func addTo(sum corev1.ResourceList, name corev1.ResourceName, amount resource.Quantity) {
	total := sum[name].DeepCopy()
	total.Add(amount)
	sum[name] = total
}

func taintsOf(node *corev1.Node) []Taint {
	var taints []Taint
	for _, taint := range node.Spec.Taints {
		taints = append(taints, Taint{taint.Key, taint.Value, string(taint.Effect)})
	}
	return taints
}

func priorityOf(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

// Texts are amounts as a dump has them.
func Texts(list corev1.ResourceList) map[string]string {
	texts := make(map[string]string, len(list))
	for name, amount := range list {
		texts[string(name)] = amount.String()
	}
	return texts
}

// DumpOf is what a follower dumps that knows the state.
func DumpOf(s *State) Dump {
	dump := Dump{Nodes: []Node{}, Pods: []Pod{}, Requested: map[string]map[string]string{}}
	for i := range s.Nodes {
		node := &s.Nodes[i]
		dump.Nodes = append(dump.Nodes, Node{Name: node.Name, ResourceVersion: node.ResourceVersion,
			Labels: node.Labels, Unschedulable: node.Spec.Unschedulable, Taints: taintsOf(node),
			Allocatable: Texts(node.Status.Allocatable), Addresses: addressesOf(node), Ready: readyOf(node)})
	}
	for i := range s.Pods {
		pod := &s.Pods[i]
		dump.Pods = append(dump.Pods, Pod{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID),
			ResourceVersion: pod.ResourceVersion, NodeName: pod.Spec.NodeName, Phase: string(pod.Status.Phase),
			Priority: priorityOf(pod), Labels: pod.Labels, Life: lifeOf(pod)})
	}
	for node, amounts := range s.Requested() {
		dump.Requested[node] = Texts(amounts)
	}
	return dump
}
