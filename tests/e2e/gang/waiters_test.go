package gang

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// atBarrier lets size-1 members of a gang of size come to the barrier, and returns when they wait there.
func (w *gangWorld) atBarrier(gang string, size int) {
	w.Helper()
	// The last member has a place, but its profile is one that nobody runs yet: it never comes.
	for i := range size - 1 {
		w.Pods(w.member(gang, i, size))
	}
	w.Pods(w.member(gang, size-1, size).Scheduler(laterScheduler))
	w.untilWaiting(size - 1)
}

// laterScheduler is a profile that the agent plans for and that has no scheduler.
const laterScheduler = "later-scheduler"

// untilWaiting waits until so many bind calls wait at barriers.
func (w *gangWorld) untilWaiting(count int) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for w.gang.Metric(w, "outrigger_gang_waiters") != float64(count) {
		if time.Now().After(deadline) {
			w.Fatalf("%v members wait at barriers, want %d", w.gang.Metric(w, "outrigger_gang_waiters"), count)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (m mode) newBarrierWorld(t *testing.T, nodes int) *gangWorld {
	t.Helper()
	return m.newGangWorld(t, nodes, "--gang.scheduler-names", "default-scheduler,"+laterScheduler)
}

// W10: a pod of higher priority on a cluster that a waiting gang fills: nobody is deleted.
func TestAWaitingGangGivesWayToAPodOfHigherPriorityWithoutLosingAPod(t *testing.T) {
	scheduling.Long(t)
	inModes(t, allModesOr(gatesAndMembers), aWaitingGangGivesWay)
}

func aWaitingGangGivesWay(t *testing.T, m mode) {
	t.Helper()
	const size = 30
	w := m.newBarrierWorld(t, 0)
	w.slots("n", 5, size/5)
	_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000}, metav1.CreateOptions{})
	w.Must(err)
	w.atBarrier("train", size)
	before := w.uids("train-")

	began := time.Now()
	// No node has room for it beside those who wait: the scheduler looks for whom to evict.
	urgent := slot("urgent").Request(corev1.ResourceCPU, "2").PriorityClass("urgent")
	if m.asksAll {
		asksFor(urgent, callResource) // else the scheduler evicts without asking
	}
	w.Pods(urgent)
	t.Logf("the urgent pod is bound after %.2f s", w.untilBoundOf("urgent", 1, began).Seconds())
	w.untilWaiting(0)
	if bound := w.bound("train-"); bound != 0 {
		t.Errorf("%d members of the gang are bound", bound)
	}
	if failed := w.gang.Metric(t, "outrigger_gang_barriers_total", `end="no room"`); failed == 0 {
		t.Error("no barrier has failed")
	}
	if after := w.uids("train-"); !slices.Equal(before, after) {
		t.Errorf("of %d members %d are there: some were evicted", len(before), len(after))
	}

	// The gang comes later: when the single has ended, and the last member comes, too.
	w.deletePods("urgent")
	w.untilWaiting(size - 1)
	began = time.Now()
	w.lastMemberComes("train", size)
	t.Logf("the gang is whole %.2f s after its last member came", w.untilBoundOf("train-", size, began).Seconds())
	w.CheckSettled()
}

// A single pod that does not ask, and is of higher priority: kube-scheduler evicts a member that waits at the barrier,
// and the pod has its place at once. The gang comes once the member is there again.
func TestASinglePodThatDoesNotAskEvictsAWaiterAndRuns(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 30
	w := onlyMembersAsk.newBarrierWorld(t, 0)
	w.slots("n", 5, size/5)
	w.priorityClasses(map[string]int32{"urgent": 1000})
	w.atBarrier("train", size)
	before := w.uids("train-")
	began := time.Now()
	w.Pods(slot("urgent").Request(corev1.ResourceCPU, "2").PriorityClass("urgent"))
	t.Logf("the urgent pod is bound after %.2f s", w.untilBoundOf("urgent", 1, began).Seconds())
	w.untilWaiting(0)
	if bound := w.bound("train-"); bound != 0 {
		t.Errorf("%d members of the gang are bound", bound)
	}
	if left := len(w.uids("train-")); left != len(before)-1 {
		t.Errorf("%d of %d members are left: one is enough", left, len(before))
	}
	w.deletePods("urgent")
	for i := range size {
		if w.Tracker.Pod("default", fmt.Sprintf("train-%03d", i)) == nil {
			w.Pods(w.member("train", i, size))
		}
	}
	w.lastMemberComes("train", size)
	w.untilBoundOf("train-", size, time.Now())
	w.CheckSettled()
}

// uids are those of the pods of a prefix that are not being deleted, in order of names.
func (w *world) uids(prefix string) []string {
	var uids []string
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.DeletionTimestamp == nil {
			uids = append(uids, string(pod.UID))
		}
	}
	return uids
}

// lastMemberComes puts a member in the place of the one that no scheduler takes.
func (w *gangWorld) lastMemberComes(gang string, size int) {
	w.Helper()
	last := w.member(gang, size-1, size)
	w.deletePods(last.Pod().Name)
	w.untilGone(last.Pod().Name)
	w.Pods(last)
}

// nominatedAtBarrier is atBarrier of members that are nominated: they slept before, or another pod waits, too.
func (w *gangWorld) nominatedAtBarrier(gang string, size int) {
	w.Helper()
	w.Pods(contender("contender"))
	w.allButOneSleep(gang, size)
	w.Pods(w.member(gang, size-1, size).Scheduler(laterScheduler))
	w.untilWaiting(size - 1)
	if len(w.nominated()) == 0 {
		w.Fatal("nobody at the barrier is nominated")
	}
}

// nominated are the pods, with their nodes, that are not bound and have a nomination.
func (w *world) nominated() map[string]string {
	nodes := map[string]string{}
	for _, pod := range w.Tracker.Pods() {
		if pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" {
			nodes[pod.Name] = pod.Status.NominatedNodeName
		}
	}
	return nodes
}

// untilNominatedOnlyTo waits until who is nominated is so to a node; "": until nobody is.
func (w *world) untilNominatedOnlyTo(node string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool {
		for _, to := range w.nominated() {
			if to != node {
				return false
			}
		}
		return true
	}); err != nil {
		w.Fatalf("stale nominations (want none but to %q): %v: %v", node, w.nominated(), err)
	}
}

// onBarrier is what happens while members wait at the barrier, and what has to come of it.
type onBarrier struct {
	name   string
	happen func(w *trappedWorld)
	bound  int                 // members that are, in the end
	place  string              // the node where the others have places again; "": nowhere
	heal   func(*trappedWorld) // after it the others wait at the barrier again; nil: they do so by themselves
}

func thingsAtTheBarrier() []onBarrier {
	const first = "train-000"
	cordon := func(w *trappedWorld, cordoned bool) {
		_, err := w.Client.CoreV1().Nodes().Patch(w.Ctx, "n000", types.MergePatchType,
			fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, cordoned), metav1.PatchOptions{})
		w.Must(err)
	}
	return []onBarrier{
		{"APodIsDeleted", func(w *trappedWorld) {
			w.Must(w.Client.CoreV1().Pods("default").Delete(w.Ctx, first, metav1.DeleteOptions{}))
		}, 0, "", func(w *trappedWorld) { w.Pods(w.member("train", 0, barrierSize)) }},
		{"ANodeIsCordoned", func(w *trappedWorld) { cordon(w, true) }, 0, "",
			func(w *trappedWorld) { cordon(w, false) }},
		{"ANodeIsDeleted", func(w *trappedWorld) {
			w.Must(w.Client.CoreV1().Nodes().Delete(w.Ctx, "n000", metav1.DeleteOptions{}))
		}, 0, "", func(w *trappedWorld) { w.slots("n", 1, barrierSize) }},
		{"AMemberIsBoundByHandElsewhere", func(w *trappedWorld) {
			w.Must(w.Client.CoreV1().Pods("default").Bind(w.Ctx, &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: first, Namespace: "default"},
				Target:     corev1.ObjectReference{Kind: "Node", Name: "elsewhere"}}, metav1.CreateOptions{}))
		}, 1, "n000", nil},
		{"TheSchedulerHangsUp", func(w *trappedWorld) {
			w.scheduler.Kill()
			w.untilWaiting(0)
		}, 0, "n000", (*trappedWorld).runScheduler},
	}
}

// barrierSize is how many members a gang has to which things happen at the barrier.
const barrierSize = 4

// W12: what happens to waiters while they wait.
func TestWaitersThatCannotBeBoundAnyMoreFailAtOnce(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	inModes(t, allModesOr(askedAboutAll), atOnce(waitersThatCannotBeBound))
}

func waitersThatCannotBeBound(t *testing.T, m mode) {
	t.Helper()
	for _, row := range thingsAtTheBarrier() {
		t.Run(row.name, func(t *testing.T) {
			w := m.newTrappedWorld(t, 1, "--gang.scheduler-names", "default-scheduler,"+laterScheduler)
			w.nominatedAtBarrier("train", barrierSize)
			w.Nodes(kube.MakeNode("elsewhere").Resource(corev1.ResourceCPU, fmt.Sprint(barrierSize)).
				Taint("example.com/by-hand", "", corev1.TaintEffectNoSchedule))
			began := time.Now()
			row.happen(w)
			w.untilFewerWaiting(barrierSize - 1)
			w.Within(2*time.Second, "the waiter is told", time.Since(began))
			w.untilNominatedOnlyTo(row.place)
			w.Within(2*time.Second, "no stale nomination is left", time.Since(began))

			if row.heal != nil {
				row.heal(w)
			}
			w.untilWaiting(barrierSize - 1 - row.bound)
			if bound := w.bound("train-"); bound != row.bound {
				t.Errorf("%d members are bound, want %d", bound, row.bound)
			}
			w.lastMemberComes("train", barrierSize)
			w.untilBoundOf("train-", barrierSize, began)
			w.untilNominatedOnlyTo("")
			w.CheckSettled()
		})
	}
}

// W12: one of those who call for members hangs up, and comes again.
func TestACallerOfAMemberThatHangsUpIsWaitedForNoMore(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	inModes(t, allModesOr(gatesAndMembers), atOnce(aCallerHangsUp))
}

func aCallerHangsUp(t *testing.T, m mode) {
	t.Helper()
	w := m.newBarrierWorld(t, 1)
	w.Pods(w.member("train", 0, barrierSize), w.member("train", 1, barrierSize))
	// For these two the test calls, in their scheduler's place.
	ours := []string{"train-002", "train-003"}
	w.Pods(w.member("train", 2, barrierSize).Scheduler(laterScheduler),
		w.member("train", 3, barrierSize).Scheduler(laterScheduler))
	w.untilWaiting(2)
	for _, name := range ours {
		w.Until(name, "there", func(*corev1.Pod) bool { return true })
	}
	ctx, hangUp := context.WithCancel(w.Ctx)
	hungUp := make(chan error, 1)
	go func() { hungUp <- w.bindCall(ctx, w.gang, ours[0], "n000") }()
	w.untilWaiting(3)

	began := time.Now()
	hangUp()
	w.untilWaiting(2)
	w.Within(2*time.Second, "the caller that has hung up is not waited for", time.Since(began))
	if err := <-hungUp; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that was given up ended with %v", err)
	}
	// All others are there: with who has gone they would be enough.
	last := make(chan error, 1)
	go func() { last <- w.bindCall(w.Ctx, w.gang, ours[1], "n000") }()
	w.untilWaiting(3)
	if bound := w.bound("train-"); bound != 0 {
		t.Errorf("%d members are bound, and one has no caller", bound)
	}
	if err := w.bindCall(w.Ctx, w.gang, ours[0], "n000"); err != nil {
		t.Errorf("the call that came again: %v", err)
	}
	if err := <-last; err != nil {
		t.Errorf("the last call: %v", err)
	}
	w.untilBoundOf("train-", barrierSize, began)
	w.CheckSettled()
}

func (w *gangWorld) untilFewerWaiting(count int) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for w.gang.Metric(w, "outrigger_gang_waiters") >= float64(count) {
		if time.Now().After(deadline) {
			w.Fatalf("still %d members wait", count)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// W9: nodes come one by one while a gang waits, and a DaemonSet's pod on each.
func TestAGangStartsWithTheNodeThatCompletesIt(t *testing.T) {
	scheduling.Long(t)
	nodeAfterNode(t, askedAboutAll)
}

func nodeAfterNode(t *testing.T, m mode) {
	t.Helper()
	const nodes = 4
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", 1, 5)
	m.start(w)
	size := 4 * nodes
	w.inParallel(4, m.gangOf("train", size))
	m.waits(w, "train-000", "gang default/train waits: cpu")
	var began time.Time
	for i := 1; i <= nodes; i++ {
		node := fmt.Sprintf("n%03d", i-1)
		began = time.Now() // of the last one: the node that completes the gang is about to come
		if i > 1 {
			w.Nodes(kube.MakeNode(node).Resource(corev1.ResourceCPU, "5"))
		}
		made := time.Now()
		w.Pods(daemon("ds-"+node, node))
		w.Within(3*time.Second, "the DaemonSet's pod of "+node+" is bound", w.untilBoundOf("ds-"+node, 1, made))
		if bound := w.bound("train-"); i < nodes && bound != 0 {
			t.Fatalf("%d members are bound with %d of %d nodes", bound, i, nodes)
		}
	}
	w.Within(3*time.Second, "the gang is whole behind its last node", w.untilBoundOf("train-", size, began))
}

// daemon is a pod as the DaemonSet controller makes it: for one node.
func daemon(name, node string) *kube.PodBuilder {
	return slot(name).Pinned(node)
}
