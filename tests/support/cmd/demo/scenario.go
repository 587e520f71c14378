package main

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// weight is the extenders' weight: a point of an agent's score counts 10 * weight, so that agents
// decide, while what kube-scheduler's own plugins think of these nodes differs by less.
const weight = 100

const gi = 1 << 30

// load is what a monitor would have measured of a node and written into its annotations.
type load struct {
	freeCPU, cpuDeviation       int     // millicores
	freeMemory, memoryDeviation float64 // GiB
}

type nodeSpec struct {
	name        string
	cpus        int
	memoryGi    int
	load        *load // nil: nobody measures it
	congestion  int
	unreachable bool // tainted: kube-scheduler itself rules it out
}

var nodeSpecs = []nodeSpec{
	{"idle", 8, 32, &load{6800, 150, 28, 1}, 80, false},
	{"steady", 8, 32, &load{3400, 150, 9, 0.5}, 20, false},
	{"erratic", 8, 32, &load{3400, 2200, 9, 0.5}, 0, false}, // the same means as steady
	{"low-memory", 8, 32, &load{5500, 300, 6, 1}, 30, false},
	{"unmeasured", 4, 16, nil, 50, false},
	{"control", 8, 32, &load{7000, 100, 28, 1}, 0, true},
}

// podSpec is a pod and the node that it must get; none means that it must stay pending.
type podSpec struct{ name, cpu, memory, node string }

var podSpecs = []podSpec{
	{"web", "250m", "512Mi", "steady"},
	{"batch", "3", "1Gi", "low-memory"},
	{"cache", "500m", "8Gi", "idle"},
	{"report", "1", "1Gi", "steady"},
	{"giant", "5500m", "2Gi", ""},
}

// The cure of the pod that stays pending: a change that a monitor would make.
const (
	curedPod  = "giant"
	cureNode  = "steady"
	cureKey   = "mean-free-cpu"
	cureValue = 7800
)

func (n nodeSpec) build() *corev1.Node {
	builder := kube.MakeNode(n.name).
		Resource(corev1.ResourceCPU, strconv.Itoa(n.cpus)).
		Resource(corev1.ResourceMemory, fmt.Sprintf("%dGi", n.memoryGi)).
		Annotation("congestion-factor", strconv.Itoa(n.congestion))
	if n.load != nil {
		builder.
			Annotation("mean-free-cpu", strconv.Itoa(n.load.freeCPU)).
			Annotation("std-free-cpu", strconv.Itoa(n.load.cpuDeviation)).
			Annotation("mean-free-memory", strconv.Itoa(int(n.load.freeMemory*gi))).
			Annotation("std-free-memory", strconv.Itoa(int(n.load.memoryDeviation*gi)))
	}
	if n.unreachable {
		builder.Taint("node-role.kubernetes.io/control-plane", "", corev1.TaintEffectNoSchedule)
	}
	return builder.Node()
}

func (p podSpec) build() *corev1.Pod {
	return kube.MakePod(p.name).
		Request(corev1.ResourceCPU, p.cpu).Request(corev1.ResourceMemory, p.memory).Pod()
}
