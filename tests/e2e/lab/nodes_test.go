package lab

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// simulate runs `outrigger lab nodes`, and waits until the nodes are ready.
func (w *world) simulate(nodes int, shapes ...string) *process.Process {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig("nodes", w.Cluster.ConfigOf(cluster.Admin))
	w.Must(err)
	args := []string{"lab", "nodes", "--kubeconfig", kubeconfig}
	for _, shape := range shapes {
		args = append(args, "--nodes", shape)
	}
	p, err := process.Start(process.Spec{
		Name: "nodes", Path: outrigger.Binary(w), LogDir: w.Cluster.LogDir(), Args: args})
	w.Must(err)
	w.Cleanup(p.Kill)
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	w.Must(p.UntilLogged(ctx, fmt.Sprintf("%d nodes are ready", nodes)))
	return p
}

// bind binds a pod by hand, as a scheduler would that does not look at resources.
func (w *world) bind(pod, node string) {
	w.Helper()
	w.Must(w.Client.CoreV1().Pods("default").Bind(w.Ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: pod}, Target: corev1.ObjectReference{Kind: "Node", Name: node}},
		metav1.CreateOptions{}))
}

func inPhase(phase corev1.PodPhase) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return pod.Status.Phase == phase }
}

// The real API server and kube-scheduler take simulated nodes for nodes: pods are placed on them, run, end, are
// removed, and fail where they have no room.
func TestSimulatedNodesRunPods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.simulate(5, "4,cpu=2,memory=4Gi,racks=2", "1,cpu=2,nvidia.com/gpu=2,prefix=gpu-")
	lease, err := w.Client.CoordinationV1().Leases("kube-node-lease").Get(w.Ctx, "node-0003", metav1.GetOptions{})
	w.Must(err)
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != "node-0003" || len(lease.OwnerReferences) != 1 {
		w.Errorf("the Lease of node-0003: %+v", lease)
	}
	w.StartScheduler(w.SchedulerBase())

	for i := range 6 {
		w.Pods(kube.MakePod(fmt.Sprintf("ends-%d", i)).Request(corev1.ResourceCPU, "1500m").
			Annotation("lab.outrigger.dev/duration", "1s"))
	}
	for i := range 6 { // there is room for five at once: one waits until another has ended
		w.Until(fmt.Sprintf("ends-%d", i), "Succeeded", inPhase(corev1.PodSucceeded))
	}
	w.Pods(kube.MakePod("fails").Annotation("lab.outrigger.dev/duration", "10ms").
		Annotation("lab.outrigger.dev/exit-code", "3"))
	container := w.Until("fails", "Failed", inPhase(corev1.PodFailed)).Status.ContainerStatuses[0]
	if code := container.State.Terminated.ExitCode; code != 3 {
		w.Errorf("it ends with %d", code)
	}
	w.Pods(kube.MakePod("stays").Request("nvidia.com/gpu", "2").GracePeriod(30).
		Annotation("lab.outrigger.dev/duration", "soon"))
	stays := w.Until("stays", "ready", kube.IsReady)
	if stays.Spec.NodeName != "gpu-0000" || stays.Status.PodIP == "" || stays.Status.StartTime == nil ||
		kube.Condition(stays, corev1.PodScheduled).Status != corev1.ConditionTrue {
		w.Errorf("it runs on %s: %+v", stays.Spec.NodeName, stays.Status)
	}
	w.untilEvent("stays", corev1.EventTypeWarning, "InvalidAnnotation", "lab.outrigger.dev/duration")

	w.Pods(kube.MakePod("beyond").Request(corev1.ResourceCPU, "2").Scheduler("nobody"))
	w.bind("beyond", "gpu-0000")
	status := w.Until("beyond", "Failed", inPhase(corev1.PodFailed)).Status
	if status.Reason != "OutOfcpu" || !strings.Contains(status.Message, "requested: 2000, used: 10, capacity: 2000") {
		w.Errorf("it fails with %s: %s", status.Reason, status.Message)
	}
	w.untilEvent("beyond", corev1.EventTypeWarning, "OutOfcpu", "enough resource: cpu")

	// Another process goes on with nodes and pods.
	w.Must(first.Stop(scheduling.Patience))
	w.simulate(5, "4,cpu=2,memory=4Gi,racks=2", "1,cpu=2,nvidia.com/gpu=2,prefix=gpu-")
	w.deletePod("stays")
	w.deletePod("ends-0")
	w.until("the pods are gone", func() bool {
		return w.Tracker.Pod("default", "stays") == nil && w.Tracker.Pod("default", "ends-0") == nil
	})
	w.deleteNode("node-0000")
	w.Pods(kube.MakePod("more").Scheduler("nobody"))
	w.bind("more", "node-0001")
	w.Until("more", "Running", inPhase(corev1.PodRunning))
}
