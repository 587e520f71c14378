package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What kubelets report: states of containers, times, addresses and Ready.

func after(minutes int) metav1.Time {
	return metav1.NewTime(created.Add(time.Duration(minutes) * time.Minute))
}

func running(since metav1.Time) v1.ContainerState {
	return v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: since}}
}

func waiting(reason string) v1.ContainerState {
	return v1.ContainerState{Waiting: &v1.ContainerStateWaiting{Reason: reason, Message: "back-off 5m0s"}}
}

func ended(code int32, reason string, started, finished metav1.Time) v1.ContainerState {
	return v1.ContainerState{Terminated: &v1.ContainerStateTerminated{ExitCode: code, Signal: 9, Reason: reason,
		Message: "m", StartedAt: started, FinishedAt: finished, ContainerID: "containerd://0"}}
}

func pickedStateNodes() []named[*v1.Node] {
	node := func(name string, status v1.NodeStatus) named[*v1.Node] {
		return named[*v1.Node]{name, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Status: status}}
	}
	ready := func(status v1.ConditionStatus) v1.NodeCondition {
		return v1.NodeCondition{Type: v1.NodeReady, Status: status, Reason: "KubeletReady", LastTransitionTime: created}
	}
	pressure := v1.NodeCondition{Type: v1.NodeMemoryPressure, Status: "True"}
	return []named[*v1.Node]{
		node("addresses", v1.NodeStatus{Addresses: []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: "10.0.0.1"},
			{Type: v1.NodeInternalIP, Address: "fd00::1"}, {Type: v1.NodeExternalIP, Address: "192.0.2.1"},
			{Type: v1.NodeHostName, Address: "n1.example"}, {}}}),
		node("odd addresses", v1.NodeStatus{Addresses: []v1.NodeAddress{{Type: "Other\xff", Address: "ü\x80"}}}),
		node("not ready", v1.NodeStatus{Conditions: []v1.NodeCondition{pressure, ready("False")}}),
		node("ready is unknown", v1.NodeStatus{Conditions: []v1.NodeCondition{ready("Unknown")}}),
		node("ready is odd", v1.NodeStatus{Conditions: []v1.NodeCondition{ready("true\xff")}}),
		node("ready twice", v1.NodeStatus{Conditions: []v1.NodeCondition{pressure, ready("True"), ready("False")}}),
		node("never ready", v1.NodeStatus{Conditions: []v1.NodeCondition{pressure}}),
	}
}

func pickedStatePods() []named[*v1.Pod] {
	started := after(1)
	pod := func(name string, status v1.PodStatus) named[*v1.Pod] {
		status.StartTime = &started
		return pickedPod(name, func(p *v1.Pod) { p.Status = status })
	}
	return []named[*v1.Pod]{
		pod("crash loop", v1.PodStatus{Phase: v1.PodRunning, ContainerStatuses: []v1.ContainerStatus{
			{Name: "loops", RestartCount: 7, State: waiting("CrashLoopBackOff"),
				LastTerminationState: ended(1, "Error", after(2), after(3))},
			{Name: "runs", RestartCount: 1, State: running(after(4)),
				LastTerminationState: ended(137, "OOMKilled", after(1), after(3))}}}),
		pod("init containers", v1.PodStatus{Phase: v1.PodPending,
			ContainerStatuses: []v1.ContainerStatus{{Name: "main", State: waiting("PodInitializing")}},
			InitContainerStatuses: []v1.ContainerStatus{
				{Name: "first", State: ended(0, "Completed", after(1), after(2))},
				{Name: "second", State: running(after(2))}},
			EphemeralContainerStatuses: []v1.ContainerStatus{{Name: "debug", State: ended(0, "", after(8), after(9))}}}),
		pod("succeeded", v1.PodStatus{Phase: v1.PodSucceeded, ContainerStatuses: []v1.ContainerStatus{
			{Name: "a", State: ended(0, "Completed", after(1), after(30))},
			{Name: "b", State: ended(0, "Completed", after(1), after(20))}}}),
		pod("failed in an init container", v1.PodStatus{Phase: v1.PodFailed,
			ContainerStatuses:     []v1.ContainerStatus{{Name: "main", State: waiting("PodInitializing")}},
			InitContainerStatuses: []v1.ContainerStatus{{Name: "first", State: ended(2, "Error", after(1), after(5))}}}),
		pod("evicted", v1.PodStatus{Phase: v1.PodFailed, Reason: "Evicted", Message: "The node was low on resource"}),
		pod("reason is odd", v1.PodStatus{Reason: "\xff", ContainerStatuses: []v1.ContainerStatus{
			{Name: "a", State: waiting("ü\xc3")}, {Name: "b", State: ended(-1, "x\xed\xa0\x80", metav1.Time{}, metav1.Time{})}}}),
		pod("nothing is known", v1.PodStatus{Phase: v1.PodFailed, ContainerStatuses: []v1.ContainerStatus{{},
			{State: v1.ContainerState{Running: &v1.ContainerStateRunning{}, Waiting: &v1.ContainerStateWaiting{}}}}}),
		pod("times that JSON cannot say", v1.PodStatus{Phase: v1.PodSucceeded, ContainerStatuses: []v1.ContainerStatus{
			{Name: "a", RestartCount: -1, State: ended(1, "", metav1.Unix(0, 0), metav1.Unix(-1, 0))}}}),
		pickedPod("no start", func(p *v1.Pod) { p.Status.StartTime = &metav1.Time{} }),
	}
}

func randomState(r *rand.Rand) v1.ContainerState {
	switch r.IntN(5) {
	case 0:
		return v1.ContainerState{}
	case 1:
		return waiting(pick(r, "", "CrashLoopBackOff", "ImagePullBackOff", "ContainerCreating"))
	case 2:
		return running(after(r.IntN(1000)))
	default:
		return ended(int32(r.IntN(256)), pick(r, "", "Error", "OOMKilled", "Completed"), after(r.IntN(100)), after(r.IntN(1000)))
	}
}

func randomStateStatuses(r *rand.Rand) []v1.ContainerStatus {
	var statuses []v1.ContainerStatus
	for i := range r.IntN(4) {
		statuses = append(statuses, v1.ContainerStatus{Name: fmt.Sprintf("c%d", i), RestartCount: r.Int32N(9),
			State: randomState(r), LastTerminationState: randomState(r), Ready: chance(r, 50), Image: "a:1"})
	}
	return statuses
}

func randomStatePod(r *rand.Rand, i int) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: randomMeta(r, fmt.Sprintf("s%d", i))}
	pod.Status = v1.PodStatus{Phase: v1.PodPhase(pick(r, "Pending", "Running", "Succeeded", "Failed")),
		Reason: pick(r, "", "Evicted", "NodeLost"), ContainerStatuses: randomStateStatuses(r),
		InitContainerStatuses: randomStateStatuses(r)}
	if chance(r, 70) {
		start := after(r.IntN(100))
		pod.Status.StartTime = &start
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, LastTransitionTime: start,
			Status: v1.ConditionStatus(pick(r, "True", "False", "Unknown"))}}
	}
	return pod
}

func randomStateNode(r *rand.Rand, i int) *v1.Node {
	node := &v1.Node{ObjectMeta: randomMeta(r, fmt.Sprintf("s%d", i))}
	for range r.IntN(4) {
		node.Status.Addresses = append(node.Status.Addresses, v1.NodeAddress{
			Type:    v1.NodeAddressType(pick(r, "InternalIP", "ExternalIP", "Hostname", "")),
			Address: pick(r, "", "10.0.0.1", "fd00::1", "n1")})
		node.Status.Conditions = append(node.Status.Conditions, v1.NodeCondition{
			Type:   v1.NodeConditionType(pick(r, "Ready", "DiskPressure", "")),
			Status: v1.ConditionStatus(pick(r, "True", "False", "Unknown", ""))})
	}
	return node
}
