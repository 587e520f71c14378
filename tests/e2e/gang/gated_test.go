package gang

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

func isGated(pod *corev1.Pod) bool { return len(pod.Spec.SchedulingGates) != 0 }

// releases judges by the watch alone whether the whole gang was nominated when a gate was taken off.
type releases struct {
	mutex     sync.Mutex
	pods      map[string]*corev1.Pod // by name
	nominated map[types.UID]bool     // at any time
	early     []string               // pods that were released before all of their gang was nominated
	mostWait  int
}

// watchReleases follows all pods from now on: of gangs of which all members have places.
func (w *world) watchReleases() *releases {
	w.Helper()
	r := &releases{pods: map[string]*corev1.Pod{}, nominated: map[types.UID]bool{}}
	factory := informers.NewSharedInformerFactory(w.Client, 0)
	informer := factory.Core().V1().Pods().Informer()
	see := func(object any) { r.see(object.(*corev1.Pod)) }
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: see,
		UpdateFunc: func(_, object any) { see(object) },
		DeleteFunc: func(object any) {
			if pod, ok := object.(*corev1.Pod); ok {
				r.mutex.Lock()
				delete(r.pods, pod.Name)
				r.mutex.Unlock()
			}
		}})
	w.Must(err)
	factory.Start(w.Ctx.Done())
	if !cache.WaitForCacheSync(w.Ctx.Done(), handler.HasSynced) {
		w.Fatal("pods cannot be watched")
	}
	return r
}

func (r *releases) see(pod *corev1.Pod) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	before := r.pods[pod.Name]
	r.pods[pod.Name] = pod
	if pod.Status.NominatedNodeName != "" {
		r.nominated[pod.UID] = true
	}
	if before != nil && isGated(before) && !isGated(pod) {
		gang := pod.Labels["podGroup"]
		for _, other := range r.pods {
			// Of one that is released and that no scheduler looks at the nomination is renewed.
			lacks := !r.nominated[other.UID] || isGated(other) && other.Status.NominatedNodeName == ""
			if other.Labels["podGroup"] == gang && lacks && other.Spec.NodeName == "" {
				r.early = append(r.early, fmt.Sprintf("%s before %s", pod.Name, other.Name))
			}
		}
	}
	// Once one of a gang is bound all that have come are let through the barrier, and count as bound.
	waiting := map[string]int{}
	bound := map[string]bool{}
	for _, other := range r.pods {
		gang := other.Labels["podGroup"]
		bound[gang] = bound[gang] || other.Spec.NodeName != ""
		if !isGated(other) && other.Spec.NodeName == "" {
			waiting[gang]++
		}
	}
	all := 0
	for gang, count := range waiting {
		if !bound[gang] {
			all += count
		}
	}
	r.mostWait = max(r.mostWait, all)
}

func (r *releases) check(t *testing.T, window int) {
	t.Helper()
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.early) != 0 {
		t.Errorf("%d pods are released before all of their gang is nominated, such as %s", len(r.early), r.early[0])
	}
	if r.mostWait > window {
		t.Errorf("%d pods are released and not bound at once, want %d at most", r.mostWait, window)
	}
}

// What autoscalers are to see: of gangs without a place one is released, whole.
func TestOneGangWithoutAPlaceIsReleasedAhead(t *testing.T) {
	const size = 4
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", 1, 1)
	m := gatesAlone
	m.start(w)
	var pods []*kube.PodBuilder
	for _, gang := range []string{"a", "b", "c"} {
		pods = append(pods, m.gangOf(gang, size)...)
	}
	w.inParallel(4, pods)
	w.gang.UntilMetricAbove(t, size-1, "outrigger_gang_releases_total", `result="released"`)
	w.UntilEventWith("GangWaiting", "gang default/c waits: 4 members need cpu 1")
	w.untilReleased(size) // the tracker may hear of it later than the agent
	released := map[string]int{}
	for _, pod := range w.Tracker.Pods() {
		if !isGated(pod) {
			released[pod.Labels["podGroup"]]++
			w.Until(pod.Name, "refused", func(pod *corev1.Pod) bool {
				return kube.Condition(pod, corev1.PodScheduled).Reason == "Unschedulable"
			})
		}
	}
	if len(released) != 1 {
		t.Errorf("released are %v, want one gang", released)
	}
	for gang, count := range released {
		if count != size {
			t.Errorf("%d of %d members of %s are released", count, size, gang)
		}
	}
	w.slots("more", 3, 4)
	w.untilBoundOf("", 3*size, time.Now())
}

// released counts pods without a gate.
func (w *world) released() (count int) {
	for _, pod := range w.Tracker.Pods() {
		if !isGated(pod) {
			count++
		}
	}
	return count
}

func (w *world) untilReleased(count int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return w.released() >= count }); err != nil {
		w.Fatalf("%d of %d pods are released: %v", w.released(), count, err)
	}
}

// What people and controllers do to pods that wait.
func TestGatedPodsThatOthersChange(t *testing.T) {
	t.Parallel()
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", 8, 4)
	m := gatesAlone
	m.start(w)
	other := "example.com/quota"
	pods := w.Client.CoreV1().Pods("default")
	ungate := func(name, gate string) {
		_, err := pods.Patch(w.Ctx, name, types.StrategicMergePatchType,
			fmt.Appendf(nil, `{"spec":{"schedulingGates":[{"$patch":"delete","name":%q}]}}`, gate), metav1.PatchOptions{})
		w.Must(err)
	}

	// Another controller's gate beside ours: the gang waits for it, and says so.
	quota := m.gangOf("quota", 3)
	quota[2].Gate(other)
	w.Pods(quota...)
	w.untilLacks("quota", 2, 3)
	w.checkExplained("quota", "not counted: 1 gated by "+other)
	w.gang.UntilMetricAbove(t, 0, "outrigger_gang_gated", `by="other gate"`)
	if bound := w.bound("quota-"); bound != 0 || !isGated(w.Tracker.Pod("default", "quota-000")) {
		t.Errorf("%d members of quota are bound", bound)
	}
	ungate("quota-002", other)
	w.untilBoundOf("quota-", 3, time.Now())

	// One that is deleted, and created again.
	again := m.gangOf("again", 3)
	w.Pods(again[:2]...)
	w.untilLacks("again", 2, 3)
	w.deletePods("again-000")
	w.untilGone("again-000")
	w.Pods(again[0], again[2])
	w.untilBoundOf("again-", 3, time.Now())

	// A gate that is taken off by hand: the member is refused until the gang has its places.
	hand := m.gangOf("hand", 3)
	w.Pods(hand[:2]...)
	w.untilLacks("hand", 2, 3)
	ungate("hand-000", queueGate)
	w.waitingMessage("hand-000", "gang default/hand waits: members")
	w.Pods(hand[2])
	w.untilBoundOf("hand-", 3, time.Now())

	// No group: it is released at once. Another scheduler's: it stays, and the doctor finds it.
	w.Pods(slot("single").Gate(queueGate), member("foreign", 0, 1).Gate(queueGate).Scheduler("other"))
	w.untilBoundOf("single", 1, time.Now())
	w.Pods(m.gangOf("last", 2)...)
	w.untilBoundOf("last-", 2, time.Now())
	if !isGated(w.Tracker.Pod("default", "foreign-000")) {
		t.Error("a pod of another scheduler is released")
	}
	w.checkExplained("foreign", "1 of another scheduler")
	checkFinds(t, w.doctor(w.Config(map[string]string{"gang": w.gang.URL})), "gate-stays",
		"1 pod that no agent of this file plans, with the gate outrigger.dev/queue")
	w.CheckSettled()
}

// The agent is killed in the middle of releasing a gang, again and again; the next one releases the rest.
func TestAGangOfWhichPartIsReleasedWhenTheAgentDiesBecomesWhole(t *testing.T) {
	// Of each agent so many releases are sent before it is killed; it sends sixteen at once.
	const size, each = 120, 20
	w := gatesAlone.newTrappedWorld(t, size/4)
	began := time.Now()
	var kills []int
	for sprung := w.set("release", each, w.killAgent); len(kills) < 3; sprung = w.set("release", each, w.killAgent) {
		if len(kills) == 0 {
			w.inParallel(8, w.gangOf("train", size))
		} else {
			w.agentBack()
		}
		w.await("a release", sprung)
		kills = append(kills, w.released())
	}
	w.disarm()
	w.agentBack()
	t.Logf("released when the agent was killed: %v of %d", kills, size)
	if kills[2] == size {
		t.Error("all were released when the agent was killed: it was not in the middle")
	}
	took := w.untilBoundOf("train-", size, began)
	t.Logf("whole %.2f s after it began to be made", took.Seconds())
	w.CheckBoundOnce(size)
	w.CheckSettled()
}
