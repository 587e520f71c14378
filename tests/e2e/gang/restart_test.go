package gang

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// heldWorld is a gangWorld in which no gate is taken off before letGo is set.
type heldWorld struct {
	*gangWorld
	letGo atomic.Bool
}

func (m mode) newHeldWorld(t *testing.T, nodes int, args ...string) *heldWorld {
	t.Helper()
	w := &heldWorld{gangWorld: &gangWorld{world: newWorld(t), mode: m}}
	w.slots("n", nodes, 4)
	proxy := w.FaultyServer()
	proxy.Inject(faults.Rule{Match: func(r *http.Request) bool { return isRelease(r) && !w.letGo.Load() }, Answer: faults.Broken()})
	manifest := []string{"agents", "--rbac", "gang"}
	if m.alone {
		manifest = append(manifest, "--mode", "alone")
	}
	rights, err := w.Cluster.ConfigWithManifest(w.Ctx, outrigger.Run(w, manifest...))
	w.Must(err)
	args = append(args, "--kubeconfig", w.KubeconfigThrough(proxy, "held", rights))
	if m.alone {
		w.gang = outrigger.ServeWithoutExtender(w, "gang", w.Cluster.LogDir(), "gang", append(args, "--gang.mode=alone")...)
	} else {
		w.holdLease("host_1")
		w.gang = outrigger.ServeAt(w, 0, "gang", w.Cluster.LogDir(), "gang", append(m.with(args),
			"--gang.scheduler-lease", "kube-system/scheduler", "--gang.host-name", "host")...)
	}
	w.gang.UntilReady(w)
	w.StartScheduler(m.schedulerConfig(w.gangWorld))
	return w
}

// again kills the agent and starts it anew, and waits until it has planned.
func (w *heldWorld) again(by string) {
	w.Helper()
	w.gang.Kill()
	w.gang.Restart(w)
	w.gang.UntilMetricAbove(w, 0, "outrigger_gang_gated", `by="`+by+`"`)
}

// watchMoved follows the nominations that pods of a prefix have while they are gated; what it returns gives each that was
// changed.
func (w *world) watchMoved(prefix string) func() []string {
	w.Helper()
	var mutex sync.Mutex
	var moved []string
	informer := informers.NewSharedInformerFactory(w.Client, 0).Core().V1().Pods().Informer()
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		was, is := before.(*corev1.Pod), after.(*corev1.Pod)
		if strings.HasPrefix(is.Name, prefix) && isGated(is) && was.Status.NominatedNodeName != is.Status.NominatedNodeName {
			mutex.Lock()
			defer mutex.Unlock()
			moved = append(moved, fmt.Sprintf("%s: %q, was %q", is.Name, is.Status.NominatedNodeName, was.Status.NominatedNodeName))
		}
	}})
	w.Must(err)
	go informer.Run(w.Ctx.Done())
	if !cache.WaitForCacheSync(w.Ctx.Done(), handler.HasSynced) {
		w.Fatal("pods cannot be watched")
	}
	return func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		return slices.Clone(moved)
	}
}

// waitInVain makes single pods, and waits until kube-scheduler has tried each.
func (w *world) waitInVain(prefix string, count int) {
	w.Helper()
	pods := singlesCalled(prefix, count)
	w.inParallel(4, pods)
	for _, pod := range pods {
		w.untilTriedInVain(pod.Pod().Name)
	}
}

func (w *world) untilTriedInVain(pod string) {
	w.Helper()
	w.Until(pod, "tried in vain", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
	})
}

// checkKept checks that nominations of gated members are as they were, and that no single pod has a place.
func (w *world) checkKept(prefix string, before map[string]string, moved func() []string) {
	w.Helper()
	if after := w.nominatedOf(prefix); !maps.Equal(before, after) {
		w.Errorf("nominated are %v, and were %v", after, before)
	}
	if changes := moved(); len(changes) != 0 {
		w.Errorf("nominations changed meanwhile: %v", changes)
	}
	if bound := w.bound("single-"); bound != 0 {
		w.Errorf("%d single pods are bound", bound)
	}
}

// restarts is how often the agent dies.
func restarts() int {
	if scheduling.AllAreWanted() {
		return 3
	}
	return 1
}

// restartModes are those in which places are kept in different ways: every day the one without a scheduler that asks.
func restartModes() []mode {
	if scheduling.AllAreWanted() {
		return []mode{gatesAndMembers, withoutExtender}
	}
	return []mode{withoutExtender}
}

// Ten gangs have places, and none is let go yet: single pods that wait beside a full cluster get none of these, whether
// the agent dies or another holds the Lease for a while.
func TestTenGatedGangsKeepTheirPlacesWhenTheAgentComesBack(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const gangs, size = 10, 4
	inModes(t, restartModes(), atOnce(func(t *testing.T, m mode) {
		w := m.newHeldWorld(t, gangs)
		w.Pods(contender("contender"))
		w.untilTriedInVain("contender") // before 1.37 a scheduler that starts does not know what gated pods are nominated for
		for i := range gangs {
			w.inParallel(4, w.gangOf(fmt.Sprintf("g%d", i), size))
		}
		w.untilNominated("g", gangs*size)
		before, moved := w.nominatedOf("g"), w.watchMoved("g")
		w.waitInVain("single", 20)
		for range restarts() {
			w.again("failing")
			w.checkKept("g", before, moved)
		}
		if !m.alone {
			w.holdLease("other_2")
			w.untilNotInCharge(1)
			w.changeANode()
			w.holdLease("host_3")
			w.waitInVain("single-more", 1)
			w.checkKept("g", before, moved)
		}
		w.deletePods("single") // from here on it is a race
		w.letGo.Store(true)
		w.untilBoundOf("g", gangs*size, time.Now())
		for _, pod := range w.Tracker.Pods() {
			if node, was := before[pod.Name]; was && pod.Spec.NodeName != node {
				t.Errorf("%s is on %s, and was nominated for %s", pod.Name, pod.Spec.NodeName, node)
			}
		}
		w.CheckSettled()
	}))
}

// What is kept at the gate for a gang that does not fit yet is kept through the agent's end: it is known from the
// cluster alone.
func TestPlacesThatAreKeptForAGatedGangOutliveTheAgent(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes, size = 4, 8
	inModes(t, restartModes(), atOnce(func(t *testing.T, m mode) {
		w := m.newHeldWorld(t, nodes, "--gang.reserve-after", "5")
		w.letGo.Store(true)
		w.inParallel(4, singlesCalled("old", 4*nodes))
		w.untilBoundOf("old-", 4*nodes, time.Now())
		w.waitInVain("single", 8) // else the gang is let go without a place, for autoscalers to see
		w.inParallel(4, first(w.gangOf("train", size)))
		w.untilNominated("train-", size)
		before, moved := w.nominatedOf("train-"), w.watchMoved("train-")
		for range restarts() {
			w.again("no place")
			w.checkKept("train-", before, moved)
		}
		w.gang.Kill()
		freed := map[string]bool{}
		for _, node := range before {
			freed[node] = true
		}
		for _, pod := range w.Tracker.Pods() {
			if strings.HasPrefix(pod.Name, "old-") && freed[pod.Spec.NodeName] {
				w.deletePods(pod.Name)
			}
		}
		w.changeANode()
		w.waitInVain("single-more", 1)
		w.checkKept("train-", before, moved)
		w.gang.Restart(t)
		w.untilBoundOf("train-", size, time.Now())
		w.CheckSettled()
	}))
}

// Pods are going for a gang when the agent dies: it keeps what they leave, and no others have to go.
func TestPlacesThatPodsAreEvictedForOutliveTheAgent(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes, size = 3, 4
	inModes(t, restartModes(), atOnce(func(t *testing.T, m mode) {
		w := m.newHeldWorld(t, nodes, "--gang.preempt")
		w.letGo.Store(true)
		w.priorityClasses(map[string]int32{"high": 1000})
		old := singlesCalled("old", 4*nodes)
		for _, pod := range old {
			pod.GracePeriod(3600) // and there is no kubelet
		}
		w.inParallel(4, old)
		w.untilBoundOf("old-", 4*nodes, time.Now())
		w.haveRunLong()
		w.waitInVain("single", 8)
		train := w.gangOf("train", size)
		for _, pod := range train {
			pod.PriorityClass("high")
		}
		w.inParallel(4, train)
		w.gang.UntilMetricAbove(t, size-1, "outrigger_gang_evictions_total", `result="evicted"`)
		w.untilNominated("train-", size)
		before, moved := w.nominatedOf("train-"), w.watchMoved("train-")
		for range restarts() {
			w.again("no place")
			w.checkKept("train-", before, moved)
		}
		w.gang.Kill()
		if going := w.going("old-"); len(going) != size {
			t.Errorf("%v are going, for a gang of %d", going, size)
		}
		for _, pod := range w.going("old-") {
			w.deletePod("default", pod)
		}
		w.waitInVain("single-more", 1)
		w.checkKept("train-", before, moved)
		w.gang.Restart(t)
		w.untilBoundOf("train-", size, time.Now())
		w.CheckSettled()
	}))
}

// going are the pods of a prefix that are being deleted.
func (w *world) going(prefix string) (names []string) {
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.DeletionTimestamp != nil {
			names = append(names, pod.Name)
		}
	}
	return names
}
