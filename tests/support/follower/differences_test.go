package follower

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/support/kube"
)

// stateOfTwo is a node with a taint and a running pod, and a pod that has finished.
func stateOfTwo() *State {
	node := kube.MakeNode("n").Label("a", "b").Taint("k", "v", corev1.TaintEffectNoSchedule).Node()
	running := kube.MakePod("running").Node("n").Request("cpu", "100m").Label("x", "y").Pod()
	finished := kube.MakePod("finished").Node("n").Pod()
	finished.Status.Phase = corev1.PodSucceeded
	at := metav1.Unix(1_768_464_000, 0)
	running.Status.StartTime = &at
	running.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: "True", LastTransitionTime: at}}
	running.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", RestartCount: 1,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}}}
	finished.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", StartedAt: at, FinishedAt: at}}}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}}
	node.UID, running.UID, finished.UID = types.UID("1"), types.UID("2"), types.UID("3")
	node.ResourceVersion, running.ResourceVersion = "10", "11"
	return &State{Nodes: []corev1.Node{*node}, Pods: []corev1.Pod{*running, *finished}}
}

func TestADumpOfTheStateHasNoDifference(t *testing.T) {
	dump := DumpOf(stateOfTwo())
	if d := stateOfTwo().Differences(dump); len(d) > 0 {
		t.Error(d)
	}
	if cpu, pods := dump.Requested["n"]["cpu"], dump.Requested["n"]["pods"]; cpu != "100m" || pods != "1" {
		t.Errorf("requested: %s cpu, %s pods", cpu, pods)
	}
	dump.Requested["n"]["cpu"] = "0.1" // the same amount
	dump.Nodes[0].Labels = map[string]string{"a": "b", corev1.LabelHostname: "n"}
	if d := stateOfTwo().Differences(dump); len(d) > 0 {
		t.Error(d)
	}
}

func TestEveryFieldThatDiffersIsNamed(t *testing.T) {
	for name, row := range map[string]struct {
		spoil func(*Dump)
		want  string
	}{
		"NodeMissing":       {func(d *Dump) { d.Nodes = nil }, "node n is missing"},
		"NodeTooMany":       {func(d *Dump) { d.Nodes = append(d.Nodes, Node{Name: "m"}) }, "node m is not on the server"},
		"NodeTwice":         {func(d *Dump) { d.Nodes = append(d.Nodes, d.Nodes[0]) }, "node n is there twice"},
		"NodeVersion":       {func(d *Dump) { d.Nodes[0].ResourceVersion = "9" }, "node n: resourceVersion"},
		"NodeLabels":        {func(d *Dump) { d.Nodes[0].Labels = nil }, "node n: labels"},
		"NodeUnschedulable": {func(d *Dump) { d.Nodes[0].Unschedulable = true }, "node n: unschedulable"},
		"NodeTaints":        {func(d *Dump) { d.Nodes[0].Taints = nil }, "node n: taints"},
		"NodeAllocatable":   {func(d *Dump) { d.Nodes[0].Allocatable["cpu"] = "7" }, "node n allocatable: cpu is 7, want 8"},
		"NodeAddresses":     {func(d *Dump) { d.Nodes[0].Addresses = nil }, "node n: addresses"},
		"NodeReady":         {func(d *Dump) { d.Nodes[0].Ready = "False" }, "node n: ready is False, want True"},
		"NodeNoQuantity":    {func(d *Dump) { d.Nodes[0].Allocatable["cpu"] = "?" }, "node n allocatable: cpu"},
		"PodMissing":        {func(d *Dump) { d.Pods = d.Pods[:1] }, "pod default/finished is missing"},
		"PodTooMany":        {func(d *Dump) { d.Pods = append(d.Pods, Pod{Name: "p"}) }, "pod /p is not on the server"},
		"PodUID":            {func(d *Dump) { d.Pods[0].UID = "x" }, "pod default/running: uid"},
		"PodVersion":        {func(d *Dump) { d.Pods[0].ResourceVersion = "" }, "pod default/running: resourceVersion"},
		"PodNode":           {func(d *Dump) { d.Pods[0].NodeName = "" }, "pod default/running: nodeName"},
		"PodPhase":          {func(d *Dump) { d.Pods[1].Phase = "Running" }, "pod default/finished: phase"},
		"PodPriority":       {func(d *Dump) { d.Pods[0].Priority = 1 }, "pod default/running: priority"},
		"PodLabels":         {func(d *Dump) { d.Pods[0].Labels["x"] = "z" }, "pod default/running: labels"},
		"PodScheduled":      {func(d *Dump) { d.Pods[0].Scheduled = 0 }, "pod default/running: life"},
		"PodStarted":        {func(d *Dump) { d.Pods[0].Started++ }, "pod default/running: life"},
		"PodEnded":          {func(d *Dump) { d.Pods[1].Ended = 0 }, "pod default/finished: life"},
		"PodReason":         {func(d *Dump) { d.Pods[1].Reason = "Evicted" }, "pod default/finished: life"},
		"PodStates":         {func(d *Dump) { d.Pods[0].States = nil }, "pod default/running: life"},
		"PodEnd":            {func(d *Dump) { d.Pods[1].States[0].End.ExitCode = 0 }, "pod default/finished: life"},
		"RequestedLess":     {func(d *Dump) { delete(d.Requested, "n") }, "requested of node n: cpu is 0, want 100m"},
		"RequestedMore":     {func(d *Dump) { d.Requested["n"]["pods"] = "2" }, "requested of node n: pods is 2, want 1"},
	} {
		t.Run(name, func(t *testing.T) {
			dump := DumpOf(stateOfTwo())
			row.spoil(&dump)
			all := strings.Join(stateOfTwo().Differences(dump), "\n")
			if !strings.Contains(all, row.want) {
				t.Errorf("differences:\n%s\nwant %s", all, row.want)
			}
		})
	}
}
