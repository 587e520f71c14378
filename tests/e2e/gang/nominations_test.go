package gang

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// newAheadWorld is a trappedWorld of which the scheduler asks about members alone. It does not run yet: until
// runScheduler() the agent nominates ahead of it.
func newAheadWorld(t *testing.T, nodes int, args ...string) *trappedWorld {
	t.Helper()
	w := &trappedWorld{gangWorld: &gangWorld{world: newWorld(t)}}
	w.slots("n", nodes, 4)
	w.gang = outrigger.ServeAt(w, 0, "gang", w.Cluster.LogDir(), "gang", append([]string{
		"--kubeconfig", w.throughTrap(&w.line), "--gang.scheduler-lease", "none", readsMembersOnly}, args...)...)
	w.gang.UntilReady(w)
	w.config = w.world.Config(map[string]string{"gang": w.trapped(w.gang)}, "--members-only")
	w.Pods(contender("contender"))
	return w
}

// nominatedOf are the pods of a prefix that wait and are nominated for a node, by name.
func (w *world) nominatedOf(prefix string) map[string]string {
	nodes := map[string]string{}
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName == "" && pod.Status.NominatedNodeName != "" {
			nodes[pod.Name] = pod.Status.NominatedNodeName
		}
	}
	return nodes
}

// untilNominated waits until so many pods of a prefix are nominated, no more and no less.
func (w *world) untilNominated(prefix string, count int) time.Duration {
	w.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return len(w.nominatedOf(prefix)) == count }); err != nil {
		w.Fatalf("not %d pods of %s are nominated, but %v: %v", count, prefix, w.nominatedOf(prefix), err)
	}
	return time.Since(began)
}

func first(pods []*kube.PodBuilder) []*kube.PodBuilder {
	for _, pod := range pods {
		pod.Label("groupPriority", "10")
	}
	return pods
}

// singlesCalled makes pods without a group.
func singlesCalled(prefix string, count int) []*kube.PodBuilder {
	pods := make([]*kube.PodBuilder, count)
	for i := range pods {
		pods[i] = slot(fmt.Sprintf("%s-%03d", prefix, i))
	}
	return pods
}

// Single pods come first in the scheduler's own queue, and the agent is never asked about them: that the gang's members
// are nominated is all that keeps its places.
func TestPlacesHoldBeforeTheSchedulerHasAskedAboutAnyMember(t *testing.T) {
	t.Parallel()
	w := newAheadWorld(t, 4)
	w.inParallel(4, singlesCalled("single", 30))
	w.inParallel(4, first(askingGang("train", 8, false)))
	w.untilNominated("train-", 8)
	began := time.Now()
	w.runScheduler()
	t.Logf("whole %.2f s after the scheduler was started", w.untilBoundOf("train-", 8, began).Seconds())
	w.untilBoundOf("single-", 8, began)
	w.CheckSettled()
}

// A nomination holds against pods of equal or lower priority alone: the rest of the gang is planned again.
func TestAPodOfHigherPriorityTakesAPlaceThatIsNominated(t *testing.T) {
	t.Parallel()
	w := newAheadWorld(t, 2)
	w.priorityClasses(map[string]int32{"high": 1000})
	w.inParallel(4, askingGang("train", 4, false))
	w.untilNominated("train-", 4)
	var taken string
	for _, node := range w.nominatedOf("train-") {
		taken = node
	}
	w.Pods(kube.MakePod("high").Request(corev1.ResourceCPU, "3").PriorityClass("high").
		NodeSelector("kubernetes.io/hostname", taken))
	began := time.Now()
	w.runScheduler()
	high := w.Until("high", "bound", scheduling.IsBound)
	if high.Spec.NodeName != taken {
		t.Errorf("high is on %s, not on %s", high.Spec.NodeName, taken)
	}
	t.Logf("whole %.2f s after the scheduler was started", w.untilBoundOf("train-", 4, began).Seconds())
	w.CheckSettled()
}

// kube-scheduler writes where a pod goes before PreBind, from 1.35 on, and autoscalers do, too: the pod has that place,
// and no second one, until they say something else.
func TestANominationOfAnotherStays(t *testing.T) {
	t.Parallel()
	w := newAheadWorld(t, 3)
	w.inParallel(4, askingGang("train", 4, false))
	w.untilNominated("train-", 4)
	was := w.nominatedOf("train-")["train-000"]
	put := w.nominateFirst("train-000", func(node string) bool { return node != was })
	w.inParallel(4, askingGang("next", 8, false)) // takes all places that are left
	w.untilNominated("next-", 8)
	taken := map[string]int{}
	for _, nodes := range []map[string]string{w.nominatedOf("train-"), w.nominatedOf("next-")} {
		for _, node := range nodes {
			taken[node]++
		}
	}
	for node, count := range taken {
		if count != 4 {
			t.Errorf("%d pods are nominated for %s, which has 4 places", count, node)
		}
	}
	w.deletePods("train-003")
	w.untilNominated("train-", 1)
	if left := w.nominatedOf("train-"); left["train-000"] != put {
		t.Errorf("nominated are %v, want train-000 for %s", left, put)
	}
	w.deletePods("next-")
	w.Pods(askingGang("train", 4, false)[3])
	w.untilNominated("train-", 4)
	if node := w.nominatedOf("train-")["train-000"]; node != put {
		t.Errorf("train-000 is nominated for %s, and was for %s by another", node, put)
	}
	w.runScheduler()
	w.untilBoundOf("train-", 4, time.Now())
	w.CheckSettled()
}

// nominateFirst says of a waiting pod that it goes to one of the nodes, as others than the agent do.
func (w *world) nominateFirst(pod string, wanted func(node string) bool) string {
	w.Helper()
	nodes, err := w.Client.CoreV1().Nodes().List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, node := range nodes.Items {
		if !wanted(node.Name) {
			continue
		}
		_, err := w.Client.CoreV1().Pods("default").Patch(w.Ctx, pod, types.MergePatchType,
			fmt.Appendf(nil, `{"status":{"nominatedNodeName":%q}}`, node.Name), metav1.PatchOptions{}, "status")
		w.Must(err)
		return node.Name
	}
	w.Fatalf("no node is wanted for %s", pod)
	return ""
}

// stream is single pods that run for a while each, and others that wait for their places.
type stream struct {
	w       *gangWorld
	lasts   time.Duration
	waiting int
	cancel  context.CancelFunc
	done    sync.WaitGroup
	placed  map[string]time.Time
	made    int
}

func (w *gangWorld) startStream(lasts time.Duration, waiting int) *stream {
	ctx, cancel := context.WithCancel(w.Ctx)
	s := &stream{w: w, lasts: lasts, waiting: waiting, cancel: cancel, placed: map[string]time.Time{}}
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		for ctx.Err() == nil {
			s.step(ctx)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return s
}

func (s *stream) stop() {
	s.cancel()
	s.done.Wait()
}

// step writes all at once: one after the other, to a slow API server, they would not fill the cluster.
func (s *stream) step(ctx context.Context) {
	pods := s.w.Client.CoreV1().Pods("default")
	var writes sync.WaitGroup
	defer writes.Wait()
	waiting := 0
	for _, pod := range s.w.Tracker.Pods() {
		if !strings.HasPrefix(pod.Name, "stream-") {
			continue
		}
		since, known := s.placed[pod.Name]
		switch {
		case pod.Spec.NodeName == "":
			waiting++
		case !known:
			s.placed[pod.Name] = time.Now()
		case time.Since(since) >= s.lasts:
			writes.Go(func() { _ = pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}) })
		}
	}
	for ; waiting < s.waiting; waiting++ {
		s.made++
		pod := slot(fmt.Sprintf("stream-%05d", s.made)).Pod()
		writes.Go(func() { _, _ = pods.Create(ctx, pod, metav1.CreateOptions{}) })
	}
}

// Single pods that come all the time take each place as it becomes free; with reserve-after gangs start all the same,
// one after another, whether the agent is asked about single pods or not. That is so of members that never preempt, and
// of those that keep the gate: of others kube-scheduler clears the nomination whenever it tries them in vain.
func TestGangsStartBesideAStreamOfSinglePods(t *testing.T) {
	t.Parallel()
	onlyAgent, onlyScheduler := []string{readsMembersOnly}, []string{"--members-only"}
	for name, row := range map[string]streamRow{
		"all-gated":           {gated: true},
		"all-patient":         {patient: true},
		"only-groups-patient": {agent: onlyAgent, scheduler: onlyScheduler, patient: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			startBesideAStream(t, row)
		})
	}
}

// streamRow is how the scheduler asks the agent.
type streamRow struct {
	agent, scheduler []string
	// patient members have preemptionPolicy Never: the scheduler leaves their nominations alone when it has tried them
	// in vain, and clears those of others.
	patient bool
	gated   bool
}

func startBesideAStream(t *testing.T, row streamRow) {
	t.Helper()
	const nodes, size = 4, 8
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", nodes, 4)
	w.gang = w.serveGang(append(row.agent, "--gang.reserve-after", "1")...)
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}, row.scheduler...))
	if row.patient {
		never := corev1.PreemptNever
		_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: "patient"}, PreemptionPolicy: &never}, metav1.CreateOptions{})
		w.Must(err)
	}
	s := w.startStream(time.Second, 6)
	defer s.stop()
	w.untilBoundOf("stream-", 4*nodes, time.Now())
	gangs := []string{"a", "b", "c"}
	for _, gang := range gangs {
		pods := askingGang(gang, size, false)
		for _, pod := range pods {
			if row.gated {
				pod.Gate(queueGate)
			}
			if row.patient {
				pod.PriorityClass("patient")
			}
		}
		w.inParallel(4, pods)
	}
	began := time.Now()
	for number := range gangs {
		var whole string
		ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
		err := w.Tracker.Until(ctx, func() bool {
			for _, gang := range gangs {
				if w.bound(gang+"-") == size {
					whole = gang
				}
			}
			return whole != ""
		})
		cancel()
		if err != nil {
			t.Fatalf("no gang is whole: %v, nominated %v", err, w.nominatedOf(""))
		}
		w.checkWhole(size, gangs...)
		// It waits for reserve-after, and then for those that run on the nodes which are kept for it.
		w.Within(time.Duration(number+1)*3*time.Second, fmt.Sprintf("gang %d of 3 whole beside the stream", number+1),
			time.Since(began))
		w.deletePods(whole + "-")
		w.untilGone(whole + "-")
	}
	t.Logf("%d single pods came meanwhile", s.made)
}

// A nomination for a place that is still used blocks it for ever, unless it is withdrawn when the reservation ends:
// also if the agent that wrote it is no more.
func TestANominationEndsWithItsReservation(t *testing.T) {
	t.Parallel()
	w := newAheadWorld(t, 2, "--gang.reserve-after", "1")
	w.runScheduler()
	w.inParallel(4, singlesCalled("old", 8))
	w.untilBoundOf("old-", 8, time.Now())
	w.inParallel(4, askingGang("train", 6, false))
	w.untilNominated("train-", 6)

	// The agent comes back to a gang that still waits: its nominations stay as they are.
	before := w.nominatedOf("train-")
	for len(before) != 6 { // the scheduler clears the nominations of those whom it has tried, and the agent writes them again
		w.untilNominated("train-", 6)
		before = w.nominatedOf("train-")
	}
	w.killAgent()
	w.agentBack()
	w.gang.UntilMetricAbove(t, 0, "outrigger_gang_reserved_nodes")
	for name, node := range w.nominatedOf("train-") {
		if before[name] != node {
			t.Errorf("%s is nominated for %s, and was for %s", name, node, before[name])
		}
	}

	// And to one that lacks a member.
	w.killAgent()
	w.deletePods("train-005")
	w.agentBack()
	t.Logf("nothing is nominated %.2f s after the agent is back", w.untilNominated("train-", 0).Seconds())

	// The agent that runs sees it, too.
	w.Pods(askingGang("train", 6, false)[5])
	w.untilNominated("train-", 6)
	w.deletePods("train-000")
	t.Logf("nothing is nominated %.2f s after a member has gone", w.untilNominated("train-", 0).Seconds())
	w.Pods(slot("late"))
	w.deletePods("old-000")
	w.untilBoundOf("late", 1, time.Now())
}

// isNomination matches writes of nominations.
func isNomination(r *http.Request) bool {
	return r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status")
}

// Whatever happens while a gang is being nominated: in the end all of its members are, and it is whole.
func TestAllMembersAreNominatedWhateverHappensMeanwhile(t *testing.T) {
	t.Parallel()
	const size = 8
	w := newAheadWorld(t, size/4)
	proxy := w.FaultyServer()
	w.gang.Kill()
	w.gang = outrigger.ServeAt(w, 0, "gang", w.Cluster.LogDir(), "gang", "--kubeconfig",
		w.KubeconfigThrough(proxy, "faulty", w.rights), "--gang.scheduler-lease", "none", readsMembersOnly)
	w.gang.UntilReady(w)
	w.config = w.world.Config(map[string]string{"gang": w.trapped(w.gang)}, "--members-only")

	// at does something once, before the n-th nomination of a gang goes on to the API server.
	at := func(n int, do func(pod string)) faults.Rule {
		var mutex sync.Mutex
		seen := 0
		return faults.Rule{Match: func(r *http.Request) bool {
			if !isNomination(r) {
				return false
			}
			mutex.Lock()
			defer mutex.Unlock()
			if seen++; seen == n {
				parts := strings.Split(r.URL.Path, "/")
				do(parts[len(parts)-2])
			}
			return false
		}, Answer: faults.Broken()}
	}
	again := func(name string) *kube.PodBuilder {
		for _, pod := range askingGang(name[:strings.LastIndex(name, "-")], size, false) {
			if pod.Pod().Name == name {
				return pod
			}
		}
		return nil
	}
	later := make(chan func(), 1) // what is done once the fault has come
	for _, row := range []struct {
		name  string
		rule  faults.Rule
		after bool
	}{
		{"too-many", faults.Rule{Match: isNomination, Times: 2 * size, Answer: faults.TooMany(1)}, false},
		{"broken", faults.Rule{Match: isNomination, Times: size, Answer: faults.Broken()}, false},
		{"recreated", at(3, func(pod string) {
			w.deletePod("default", pod)
			w.Pods(again(pod))
		}), false},
		{"gone", at(3, func(pod string) {
			w.deletePod("default", pod)
			later <- func() { w.Pods(again(pod)) }
		}), true},
		{"server-away", at(4, func(string) {
			w.Cluster.KillServer()
			later <- func() { w.Must(w.Cluster.StartServer(w.Ctx)) }
		}), true},
		{"agent-killed", at(4, func(string) {
			w.gang.Kill()
			later <- func() { w.gang.Restart(t) }
		}), true},
	} {
		proxy.Inject(row.rule)
		w.inParallel(1, askingGang(row.name, size, false))
		if row.after {
			select {
			case do := <-later:
				do()
			case <-time.After(scheduling.Patience):
				t.Fatalf("%s: it does not come to this", row.name)
			}
		}
		t.Logf("%s: all are nominated after %.2f s more", row.name, w.untilNominated(row.name+"-", size).Seconds())
		w.deletePods(row.name + "-")
		w.untilGone(row.name + "-")
	}
	if failed := w.gang.Metric(t, "outrigger_gang_nominations_total", `result="failed"`); failed != 0 {
		t.Logf("%v writes of the agent that runs now failed", failed)
	}
	w.inParallel(4, askingGang("last", size, false))
	w.untilNominated("last-", size)
	began := time.Now()
	w.runScheduler()
	t.Logf("whole %.2f s after the scheduler was started", w.untilBoundOf("last-", size, began).Seconds())
	w.CheckSettled()
}

// The agent dies once all members are nominated, and none has been asked about.
func TestAGangIsWholeIfTheAgentDiesOnceItsMembersAreNominated(t *testing.T) {
	t.Parallel()
	w := newAheadWorld(t, 2)
	w.inParallel(4, askingGang("train", 8, false))
	w.untilNominated("train-", 8)
	w.killAgent()
	w.runScheduler()
	w.Until("train-000", "tried in vain", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Message != ""
	})
	began := time.Now()
	w.agentBack()
	t.Logf("whole %.2f s after the agent is back", w.untilBoundOf("train-", 8, began).Seconds())
	w.CheckSettled()
}
