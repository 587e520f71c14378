package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// queued is a pod that takes a place, of a groupPriority.
func queued(name string, groupPriority int) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, "1").Label("groupPriority", fmt.Sprint(groupPriority))
}

// Pods that come later, and places that become free while pods are in backoff or asleep, change nothing about the order.
func TestPlacesGoToTheFirstOfTheQueueWhateverTheArrival(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const count = 16
	w := newWorld(t, count, count)
	agents := w.Serve("gang,qos", "--gang.scheduler-lease", "none")
	w.StartScheduler(w.Config(map[string]string{"gang": agents.URL, "qos": agents.URL}))
	var pods []*kube.PodBuilder
	for i := range count {
		pods = append(pods, queued(fmt.Sprintf("p%02d", i), i))
	}
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	waiting := []string{}
	var want []string
	next := 0
	arrive := func(n int) {
		for range n {
			w.Pods(pods[next])
			waiting = append(waiting, pods[next].Pod().Name)
			w.untilTried(pods[next].Pod().Name)
			next++
		}
		slices.Sort(waiting)
	}
	arrive(4)
	for range count {
		if next < count {
			arrive(1)
		}
		first := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		want = append(want, first)
		began := time.Now()
		w.freePlace()
		if bound := w.untilBindings(len(want)); !slices.Equal(bound, want) {
			t.Fatalf("bound are %v, want %v", bound, want)
		}
		w.Within(3*time.Second, first+" has the freed place", time.Since(began))
	}
}

// A gang that is first takes the places that become free, once there are enough; until then, pods after it do.
func TestAGangTakesItsPlacesOnceTheyAreEnough(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t, 8, 8)
	agents := w.Serve("gang,qos", "--gang.scheduler-lease", "none")
	w.StartScheduler(w.Config(map[string]string{"gang": agents.URL, "qos": agents.URL}))
	for i := range 3 {
		w.Pods(queued(fmt.Sprintf("gang-%d", i), 10).Label("podGroup", "gang").Label("minAvailable", "3"))
	}
	w.Pods(queued("later", 0), queued("late", 1))
	w.untilTried("gang-0", "gang-1", "gang-2", "late", "later")
	w.checkTakesFreedPlaces("late", "later")
	began := time.Now()
	w.freePlaces(3)
	w.untilBindings(5)
	w.Within(3*time.Second, "the gang has its places", time.Since(began))
}

// Several places become free at once, some of them while pods are being tried: those that are first have them, whatever
// the scheduler tries first. With qos alone, which does not see bind calls.
func TestWithQosAloneSeveralPlacesGoToTheFirst(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const rounds, atOnce = 4, 4
	w := newWorld(t, rounds*atOnce, rounds*atOnce)
	agent := w.Serve("qos", "--qos.scheduler-lease", "none")
	w.StartScheduler(w.Config(map[string]string{"qos": agent.URL}))
	for i := range rounds * atOnce {
		w.Pods(queued(fmt.Sprintf("p%02d", i), i))
	}
	for i := range rounds * atOnce {
		w.untilTried(fmt.Sprintf("p%02d", i))
	}
	for round := range rounds {
		began := time.Now()
		w.freePlaces(atOnce)
		bound := w.untilBindings((round + 1) * atOnce)[round*atOnce:]
		for _, pod := range bound {
			if first := fmt.Sprintf("p%02d", (rounds-round-1)*atOnce); pod < first {
				t.Fatalf("round %d: bound are %v, all of them before %s", round, bound, first)
			}
		}
		w.Within(4*time.Second, "the places are taken", time.Since(began))
	}
}

// A pod that kube-scheduler refuses for reasons of its own keeps no place from those after it: one without its volume
// claim, one that others hold by a scheduling gate.
func TestAPodThatTheSchedulerRefusesHoldsUpNoOther(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t, 2, 2)
	agents := w.Serve("gang,qos", "--qos.scheduler-lease", "none")
	w.StartScheduler(w.Config(map[string]string{"gang": agents.URL, "qos": agents.URL}))
	gated := queued("gated", 20).Pod()
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/later"}}
	_, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, gated, metav1.CreateOptions{})
	w.Must(err)
	w.Pods(queued("no-claim", 10).Claim("missing"), queued("late", 1))
	w.untilTried("no-claim", "late")
	w.checkTakesFreedPlaces("late")
}
