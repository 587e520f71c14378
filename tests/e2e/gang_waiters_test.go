package e2e

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/support/kube"
)

// atBarrier lets size-1 members of a gang of size come to the barrier, and returns when they wait there.
func (w *gangWorld) atBarrier(gang string, size int) {
	w.Helper()
	// The last member has a place, but its profile is one that nobody runs yet: it never comes.
	for i := range size - 1 {
		w.pods(member(gang, i, size))
	}
	w.pods(member(gang, size-1, size).Scheduler(laterScheduler))
	w.untilWaiting(size - 1)
}

// laterScheduler is a profile that the agent plans for and that has no scheduler.
const laterScheduler = "later-scheduler"

// untilWaiting waits until so many bind calls wait at barriers.
func (w *gangWorld) untilWaiting(count int) {
	w.Helper()
	deadline := time.Now().Add(patience)
	for w.gang.Metric(w, "outrigger_gang_waiters") != float64(count) {
		if time.Now().After(deadline) {
			w.Fatalf("%v members wait at barriers, want %d", w.gang.Metric(w, "outrigger_gang_waiters"), count)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func newBarrierWorld(t *testing.T, nodes int) *gangWorld {
	t.Helper()
	return newGangWorld(t, nodes, "--gang.scheduler-names", "default-scheduler,"+laterScheduler)
}

// W10: a pod of higher priority on a cluster that a waiting gang fills: nobody is deleted.
func TestAWaitingGangGivesWayToAPodOfHigherPriorityWithoutLosingAPod(t *testing.T) {
	const size = 8
	w := newBarrierWorld(t, 2)
	_, err := w.client.SchedulingV1().PriorityClasses().Create(w.ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}, metav1.CreateOptions{})
	w.must(err)
	w.atBarrier("train", size)

	began := time.Now()
	// No node has room for it beside those who wait: the scheduler looks for whom to evict.
	w.pods(slot("urgent").Request(corev1.ResourceCPU, "2").PriorityClass("urgent"))
	t.Logf("the urgent pod is bound after %.2f s", w.untilBoundOf("urgent", 1, began).Seconds())
	if bound := w.bound("train-"); bound != 0 {
		t.Errorf("%d members of the gang are bound", bound)
	}
	pods := 0
	for _, pod := range w.tracker.Pods() {
		if pod.DeletionTimestamp == nil {
			pods++
		}
	}
	if failed := w.gang.Metric(t, "outrigger_gang_barriers_total", `end="no room"`); failed == 0 {
		t.Error("no barrier has failed")
	}
	if pods != size+1 {
		t.Errorf("%d pods are there, want %d: one was evicted", pods, size+1)
	}
}

// W12: what happens to waiters while they wait.
func TestWaitersThatCannotBeBoundAnyMoreFailAtOnce(t *testing.T) {
	t.Parallel()
	const size = 4
	rows := []struct {
		name   string
		happen func(w *gangWorld)
		gone   int // members that are not there any more
	}{
		{"APodIsDeleted", func(w *gangWorld) {
			w.must(w.client.CoreV1().Pods("default").Delete(w.ctx, "train-000", metav1.DeleteOptions{}))
		}, 1},
		{"ANodeIsCordoned", func(w *gangWorld) {
			_, err := w.client.CoreV1().Nodes().Patch(w.ctx, "n000", types.MergePatchType,
				[]byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
			w.must(err)
		}, 0},
		{"ANodeIsDeleted", func(w *gangWorld) {
			w.must(w.client.CoreV1().Nodes().Delete(w.ctx, "n000", metav1.DeleteOptions{}))
		}, 0},
		{"AMemberIsBoundByHandElsewhere", func(w *gangWorld) {
			w.must(w.client.CoreV1().Pods("default").Bind(w.ctx, &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: "train-000", Namespace: "default"},
				Target:     corev1.ObjectReference{Kind: "Node", Name: "elsewhere"}}, metav1.CreateOptions{}))
		}, 0},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := newBarrierWorld(t, 1)
			w.slots("elsewhere", 0, 0)
			w.atBarrier("train", size)
			w.nodes(kube.MakeNode("elsewhere").Resource(corev1.ResourceCPU, fmt.Sprint(size)).
				Taint("example.com/by-hand", "", corev1.TaintEffectNoSchedule))
			began := time.Now()
			row.happen(w)
			w.untilFewerWaiting(size - 1)
			t.Logf("after %.2f s", time.Since(began).Seconds())
			byHand := 0
			if row.name == "AMemberIsBoundByHandElsewhere" {
				byHand = 1
			}
			if bound := w.bound("train-"); bound != byHand {
				t.Errorf("%d members are bound, want %d", bound, byHand)
			}
			for _, pod := range w.tracker.Pods() {
				if node := pod.Status.NominatedNodeName; node == "n000" && row.name == "ANodeIsDeleted" {
					w.until(pod.Name, "without its nomination", func(pod *corev1.Pod) bool {
						return pod.Status.NominatedNodeName != "n000"
					})
				}
			}
		})
	}
}

func (w *gangWorld) untilFewerWaiting(count int) {
	w.Helper()
	deadline := time.Now().Add(patience)
	for w.gang.Metric(w, "outrigger_gang_waiters") >= float64(count) {
		if time.Now().After(deadline) {
			w.Fatalf("still %d members wait", count)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// W9: nodes come one by one while a gang waits, and a DaemonSet's pod on each.
func TestAGangStartsWithTheNodeThatCompletesIt(t *testing.T) {
	const nodes = 4
	w := newGangWorld(t, 0)
	w.slots("n", 1, 5)
	size := 4 * nodes
	w.inParallel(4, gangOf("train", size))
	w.waitingMessage("train-000", "gang default/train waits: cpu")
	for i := 1; i <= nodes; i++ {
		node := fmt.Sprintf("n%03d", i-1)
		if i > 1 {
			w.nodes(kube.MakeNode(node).Resource(corev1.ResourceCPU, "5"))
		}
		w.pods(daemon("ds-"+node, node))
		w.until("ds-"+node, "bound", isBound)
		if bound := w.bound("train-"); i < nodes && bound != 0 {
			t.Fatalf("%d members are bound with %d of %d nodes", bound, i, nodes)
		}
	}
	t.Logf("the gang is whole %.2f s after its last node had come", w.untilBoundOf("train-", size, time.Now()).Seconds())
}

// daemon is a pod as the DaemonSet controller makes it: for one node.
func daemon(name, node string) *kube.PodBuilder {
	return slot(name).Pinned(node)
}

// An agent that is stopped tells those who wait, at once, and binds nobody.
func TestWaitersFailWhenTheAgentIsStopped(t *testing.T) {
	const size = 4
	w := newBarrierWorld(t, 1)
	w.atBarrier("train", size)
	began := time.Now()
	if err := w.gang.Stop(20 * time.Second); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %.1f s to stop", took.Seconds())
	}
	if bound := w.bound("train-"); bound != 0 {
		t.Errorf("%d members are bound", bound)
	}
}
