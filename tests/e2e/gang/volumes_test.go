package gang

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

// withClaims creates a claim for each pod, of the same name, that binds late.
func (w *world) withClaims(pods []*kube.PodBuilder) []*kube.PodBuilder {
	w.Helper()
	return each(pods, func(pod *kube.PodBuilder) {
		name := pod.Pod().Name
		_, err := w.Client.CoreV1().PersistentVolumeClaims("default").Create(w.Ctx,
			kube.MakeClaim(name, standin.LateClass), metav1.CreateOptions{})
		w.Must(err)
		pod.Claim(name)
	})
}

// volumeNodes returns for each claim the node that its volume is on; "" while it has none.
func (w *world) volumeNodes() map[string]string {
	w.Helper()
	volumes, err := w.Client.CoreV1().PersistentVolumes().List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	nodes := map[string]string{}
	for _, volume := range volumes.Items {
		term := volume.Spec.NodeAffinity.Required.NodeSelectorTerms[0]
		nodes[volume.Spec.ClaimRef.Name] = term.MatchExpressions[0].Values[0]
	}
	return nodes
}

// checkVolumes fails the test unless each of count pods is on the node of its volume.
func (w *world) checkVolumes(count int) {
	w.Helper()
	nodes := w.volumeNodes()
	if len(nodes) != count {
		w.Errorf("%d volumes, want %d", len(nodes), count)
	}
	for _, pod := range w.Tracker.Pods() {
		if pod.Spec.NodeName != nodes[pod.Name] {
			w.Errorf("%s is on %s, its volume on %s", pod.Name, pod.Spec.NodeName, nodes[pod.Name])
		}
	}
}

func (w *world) cordon(node string, cordoned bool) {
	w.Helper()
	_, err := w.Client.CoreV1().Nodes().Patch(w.Ctx, node, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"unschedulable":%v}}`, cordoned), metav1.PatchOptions{})
	w.Must(err)
}

// W11: the volume of each member fails once, so that the scheduler gives its place up before the
// barrier: the gang is whole all the same.
func TestAGangWhoseVolumesFailOnceIsWhole(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 4
	w := newCountedWorld(t, zoned("a", 2), nil)
	volumes, err := standin.StartVolumes(w.Ctx, w.Client, 1)
	w.Must(err)
	began := time.Now()
	w.inParallel(4, w.withClaims(gangOf("train", size)))
	t.Logf("whole after %.2f s", w.untilBoundOf("train-", size, began).Seconds())
	if failures := volumes.Failures(); failures != size {
		t.Errorf("volumes failed %d times, want %d", failures, size)
	}
	w.checkVolumes(size)
	w.CheckBoundOnce(size)
	w.checkCalls(mostCalls)
}

// W11: volumes that a gang got before its barrier failed stay where they are. While their node is
// closed the gang waits, and it comes back to it afterwards.
func TestAGangComesBackToItsVolumes(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 3
	var nodes []*kube.NodeBuilder
	for i := range size + 1 {
		nodes = append(nodes, kube.MakeNode(fmt.Sprintf("n%d", i)).Resource(corev1.ResourceCPU, "1"))
	}
	w := newCountedWorld(t, nodes, nil, "--gang.scheduler-names", "default-scheduler,"+laterScheduler)
	_, err := standin.StartVolumes(w.Ctx, w.Client, 0)
	w.Must(err)
	members := w.withClaims(gangOf("train", size))
	members[size-1].Scheduler(laterScheduler)
	w.Pods(members...)
	w.untilWaiting(size - 1)

	home := w.volumeNodes()["train-000"]
	w.cordon(home, true)
	w.gang.UntilMetricAbove(t, 0, "outrigger_gang_waiting", `cause="nodes of volumes and claims"`)
	told := w.Until("train-000", "refused for its volume", func(pod *corev1.Pod) bool {
		return strings.Contains(kube.Condition(pod, corev1.PodScheduled).Message, "olume")
	})
	t.Logf("while its node is closed: %s", kube.Condition(told, corev1.PodScheduled).Message)
	w.untilQuiet()
	w.untilWaiting(0)
	if bound := w.bound("train-"); bound != 0 {
		t.Errorf("%d members are bound", bound)
	}
	w.checkCalls(mostCalls)

	began := time.Now()
	w.cordon(home, false)
	w.Cluster.MustStartScheduler(w, laterScheduler, w.configOf([]string{laterScheduler}))
	t.Logf("whole %.2f s after its node was opened", w.untilBoundOf("train-", size, began).Seconds())
	w.checkVolumes(size)
	w.CheckBoundOnce(size)
	w.checkCalls(mostCalls)
}
