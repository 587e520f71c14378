package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const queueGate = "outrigger.dev/queue"

// startWithoutExtender starts qos, which no scheduler calls, and a scheduler that does not know of it.
func (w *world) startWithoutExtender(args ...string) *outrigger.Server {
	w.Helper()
	agent := w.ServeWithoutExtender("qos", "qos", args...)
	w.StartScheduler(w.SchedulerBase())
	return agent
}

// untilQueued waits until the agent has so many units in its queue.
func untilQueued(t *testing.T, agent *outrigger.Server, units int) {
	t.Helper()
	agent.UntilMetricAbove(t, float64(units-1), "outrigger_qos_queue_length")
}

// Pods go in the order of the queue by gates alone: groupPriority, then priority, then QoS class, whatever the order in
// which they came.
func TestWithoutAnExtenderPodsAreBoundInTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 7, 7)
	// Long before a pod names it: admission hears of it by a watch.
	_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000}, metav1.CreateOptions{})
	w.Must(err)
	agent := w.startWithoutExtender()
	guaranteed := func(pod *corev1.Pod) {
		resources := &pod.Spec.Containers[0].Resources
		resources.Requests[corev1.ResourceMemory] = resource.MustParse("1Mi")
		resources.Limits = resources.Requests.DeepCopy()
	}
	pods := []*kube.PodBuilder{
		queued("f-burstable", 0), queued("e-guaranteed", 0).Change(guaranteed), queued("c-five", 5),
		queued("d-four", 4), queued("b-five-high", 5).PriorityClass("high"), queued("a-ten", 10),
	}
	for _, pod := range pods {
		w.Pods(pod.Gate(queueGate))
	}
	untilQueued(t, agent, len(pods))
	w.checkTakesFreedPlaces("a-ten", "b-five-high", "c-five", "d-four", "e-guaranteed", "f-burstable")
	if inversions := agent.Metric(t, "outrigger_qos_inversions_total"); inversions != 0 {
		t.Errorf("%v inversions", inversions)
	}
	w.CheckSettled()
}

// Pods that come later, and places that become free while pods wait, change nothing about the order.
func TestWithoutAnExtenderPlacesGoToTheFirstWhateverTheArrival(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const count = 16
	w := newWorld(t, count, count)
	agent := w.startWithoutExtender()
	order := rand.New(rand.NewPCG(1, 1)).Perm(count)
	var waiting, want []string
	next := 0
	arrive := func(n int) {
		for range n {
			name := fmt.Sprintf("p%02d", order[next])
			w.Pods(queued(name, order[next]).Gate(queueGate))
			waiting = append(waiting, name)
			next++
		}
		slices.Sort(waiting)
		untilQueued(t, agent, len(waiting))
	}
	arrive(4)
	var slowest time.Duration
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
		slowest = max(slowest, time.Since(began))
		w.Within(3*time.Second, first+" has the freed place", time.Since(began))
	}
	t.Logf("a freed place was taken after %.2f s at most", slowest.Seconds())
}

// A pod of another priority that has no gate does not wait for its turn, and is the scheduler's; those that wait go on in
// order after it.
func TestWithoutAnExtenderAPodWithoutTheGateDoesNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2, 2)
	agent := w.startWithoutExtender()
	w.Pods(queued("gated-late", 1).Gate(queueGate), queued("gated-first", 9).Gate(queueGate))
	untilQueued(t, agent, 2)
	w.Pods(queued("free", 0))
	w.untilTried("free")
	w.freePlaces(2)
	bound := w.untilBindings(2)
	if !slices.Contains(bound, "gated-first") {
		t.Errorf("bound are %v: not the first that waits", bound)
	}
}
