// Package follow tests whether the program that OUTRIGGER_KUBE_FOLLOW names follows a real API server
// through every fault that a network and a server can have: afterwards it knows what the server has,
// object by object, and what it said of its own readiness was true all the time.
//
// The program is required: without it every test fails. With OUTRIGGER_KUBE_FOLLOW set to a build of
// support/cmd/kube-follow-reference the tests test themselves.
package follow

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/follower"
	"outrigger.dev/outrigger/tests/support/kube"
	base "outrigger.dev/outrigger/tests/support/world"
)

const (
	// silence and staleness are what followers are told.
	silence   = 1500 * time.Millisecond
	staleness = 4 * time.Second
	// patience is how long a follower may take to recover: back-off and deadlines included.
	patience = 90 * time.Second
	// account is whose rights followers have: to read nodes and pods, nothing else.
	account = "follower"
)

// world is a control plane with some nodes and pods.
type world struct {
	base.World
	binary string
	scenes int
	made   int // objects, for their names
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(t, cluster.SharedForTest(t))
}

// worldOf is the world around a cluster that was started in a special way.
func worldOf(t *testing.T, c *cluster.Cluster) *world {
	t.Helper()
	binary := follower.Binary(t)
	w := &world{World: base.Of(t, c, 30*time.Minute), binary: binary}
	_, err := w.Cluster.ConfigWithRules(w.Ctx, account, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch"}})
	w.Must(err)
	w.createNode(kube.MakeNode(witnessName))
	w.createPod(kube.MakePod(witnessName))
	for i := range 4 {
		w.createNode(kube.MakeNode(fmt.Sprintf("n%d", i)).Label("zone", "a").Taint("k", "v", corev1.TaintEffectNoSchedule))
	}
	for i := range 8 {
		w.createPod(kube.MakePod(fmt.Sprintf("p%d", i)).Node(fmt.Sprintf("n%d", i%4)).Label("app", "web").Request("cpu", "100m"))
	}
	return w
}

func (w *world) createNode(builder *kube.NodeBuilder) {
	w.Helper()
	_, err := w.Client.CoreV1().Nodes().Create(w.Ctx, builder.Node(), metav1.CreateOptions{})
	w.Must(err)
}

func (w *world) createPod(builder *kube.PodBuilder) {
	w.Helper()
	_, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, builder.Pod(), metav1.CreateOptions{})
	w.Must(err)
}

// change makes one change of every kind: nodes and pods come, change and go.
func (w *world) change() {
	w.Helper()
	nodes, pods := w.Client.CoreV1().Nodes(), w.Client.CoreV1().Pods("default")
	w.made++
	fresh, gone, stays := fmt.Sprintf("m%d", w.made), fmt.Sprintf("m%d-gone", w.made), fmt.Sprintf("m%d-done", w.made)
	w.createNode(kube.MakeNode(fresh).Label("made", fresh))
	w.createNode(kube.MakeNode(gone))
	w.createPod(kube.MakePod(fresh).Node(fresh).Request("cpu", "250m").Request("memory", "1Gi"))
	w.createPod(kube.MakePod(gone).Node("n1"))
	w.createPod(kube.MakePod(stays).Node("n2"))
	node, err := nodes.Get(w.Ctx, "n0", metav1.GetOptions{})
	w.Must(err)
	node.Labels["made"], node.Spec.Unschedulable = fresh, !node.Spec.Unschedulable
	_, err = nodes.Update(w.Ctx, node, metav1.UpdateOptions{})
	w.Must(err)
	pod, err := pods.Get(w.Ctx, stays, metav1.GetOptions{})
	w.Must(err)
	pod.Status.Phase = corev1.PodSucceeded
	end := metav1.NewTime(time.Now().Truncate(time.Second))
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: "a",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: end}}}}
	_, err = pods.UpdateStatus(w.Ctx, pod, metav1.UpdateOptions{})
	w.Must(err)
	w.live(fresh)
	w.Must(nodes.Delete(w.Ctx, gone, metav1.DeleteOptions{}))
	w.Must(pods.Delete(w.Ctx, gone, metav1.DeleteOptions{}))
	if w.made > 3 { // the world keeps its size
		old := fmt.Sprintf("m%d", w.made-3)
		_ = nodes.Delete(w.Ctx, old, metav1.DeleteOptions{}) // a world set back to older data may not have them
		_ = pods.Delete(w.Ctx, old, metav1.DeleteOptions{})
		_ = pods.Delete(w.Ctx, old+"-done", metav1.DeleteOptions{})
	}
}

// live has kubelets report: of the node another address and Ready, of the pod on it a restart.
func (w *world) live(name string) {
	w.Helper()
	node, err := w.Client.CoreV1().Nodes().Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("10.0.0.%d", w.made%250)},
		{Type: corev1.NodeHostName, Address: name}}
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == corev1.NodeReady && w.made%2 == 0 {
			node.Status.Conditions[i].Status = corev1.ConditionFalse
		}
	}
	_, err = w.Client.CoreV1().Nodes().UpdateStatus(w.Ctx, node, metav1.UpdateOptions{})
	w.Must(err)
	pod, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	now := metav1.NewTime(time.Now().Truncate(time.Second))
	pod.Status.Phase, pod.Status.Reason, pod.Status.StartTime = corev1.PodRunning, "NodeAffinity", &now
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: "a", RestartCount: 1,
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error", StartedAt: now, FinishedAt: now}}}}
	_, err = w.Client.CoreV1().Pods("default").UpdateStatus(w.Ctx, pod, metav1.UpdateOptions{})
	w.Must(err)
}

// writeFile writes a file as whoever rotates secrets does: in one step.
func (w *world) writeFile(path string, text []byte) {
	w.Helper()
	next := path + ".next"
	w.Must(os.WriteFile(next, text, 0o600))
	w.Must(os.Rename(next, path))
}

// folder makes a folder that is kept with the logs of a failed test.
func (w *world) folder(name string) string {
	w.Helper()
	path := filepath.Join(w.Cluster.LogDir(), name)
	w.Must(os.MkdirAll(path, 0o755))
	return path
}
