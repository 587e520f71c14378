// Package wirecheck is the Go side of the wire tests: it writes the requests that
// tests/golden/wire/requests holds, with the types and the encoder of kube-scheduler's client, and
// reads the answers of tests/golden/wire/answers as that client does. The C++ tests of src/serve/wire read
// and write the same files, so the two sides meet in bytes.
package wirecheck

import (
	"encoding/json"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// seed and nodes of the requests that come from a made-up cluster.
const (
	seed  = 7
	nodes = 3
)

// Requests are the bodies of the scheduler's calls by file name, as its client encodes them.
func Requests() (map[string][]byte, error) {
	cluster := bodies.New(seed, nodes)
	full, err := cluster.Args(bodies.FullNodes)
	if err != nil {
		return nil, err
	}
	names, err := cluster.Args(bodies.NamesOnly)
	if err != nil {
		return nil, err
	}
	requests := make(map[string][]byte)
	for name, args := range map[string]any{
		"filter_full.json":     full,
		"filter_names.json":    names,
		"filter_none.json":     &extenderv1.ExtenderArgs{Pod: cluster.Pod, Nodes: &v1.NodeList{Items: []v1.Node{}}},
		"filter_every.json":    every(),
		"bind.json":            bind(),
		"preempt_victims.json": &extenderv1.ExtenderPreemptionArgs{Pod: smallPod("preemptor"), NodeNameToVictims: victims()},
		"preempt_meta.json":    &extenderv1.ExtenderPreemptionArgs{Pod: smallPod("preemptor"), NodeNameToMetaVictims: metaVictims()},
	} {
		body, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		requests[name] = body
	}
	return requests, nil
}

func smallPod(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID("uid-of-" + name)}}
}

func bind() *extenderv1.ExtenderBindingArgs {
	return &extenderv1.ExtenderBindingArgs{
		PodName: "web-0", PodNamespace: "shop", PodUID: "4d9c1c2e-9f0e-4b4f-8d3a-0c5a1f0e7b11", Node: "worker-1"}
}

func victims() map[string]*extenderv1.Victims {
	return map[string]*extenderv1.Victims{
		"worker-1": {Pods: []*v1.Pod{smallPod("a"), smallPod("b")}, NumPDBViolations: 1},
		"worker-2": {Pods: []*v1.Pod{}},
	}
}

func metaVictims() map[string]*extenderv1.MetaVictims {
	return map[string]*extenderv1.MetaVictims{
		"worker-1": {Pods: []*extenderv1.MetaPod{{UID: "uid-of-a"}, {UID: "uid-of-b"}}, NumPDBViolations: 1},
		"worker-2": {Pods: []*extenderv1.MetaPod{}},
	}
}

// every is a call in which each field that Outrigger reads is set.
func every() *extenderv1.ExtenderArgs {
	names := []string{"worker-1"}
	return &extenderv1.ExtenderArgs{Pod: everyPod(), Nodes: &v1.NodeList{Items: []v1.Node{everyNode()}}, NodeNames: &names}
}

func amounts(pairs ...string) v1.ResourceList {
	list := v1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[v1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func everyNode() v1.Node {
	return v1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        "worker-1",
			Labels:      map[string]string{"zone": "z1", "disk": "ssd"},
			Annotations: map[string]string{"html": "<a&b>", "quoted": "say \"hi\"\\\n", "congestion-factor": "17"},
		},
		Spec: v1.NodeSpec{
			Unschedulable: true,
			Taints: []v1.Taint{
				{Key: "spot", Value: "true", Effect: v1.TaintEffectPreferNoSchedule},
				{Key: "gpu", Effect: v1.TaintEffectNoSchedule},
				{Key: "gone", Effect: v1.TaintEffectNoExecute},
			},
		},
		Status: v1.NodeStatus{
			Capacity:    amounts("cpu", "8", "memory", "32Gi"),
			Allocatable: amounts("cpu", "7900m", "memory", "30Gi", "nvidia.com/gpu", "2"),
		},
	}
}
