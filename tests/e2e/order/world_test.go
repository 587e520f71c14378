// Package order tests with the real kube-scheduler that pods are let through in the order of the queue. What
// counts is what package queuewatch sees from outside.
package order

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/queuewatch"
)

// slotsOfNode is how many pods a node takes. The number of pods is what is scarce, so that pods of all classes
// need a place.
const slotsOfNode = 4

// world is a control plane, and an observer of it.
type world struct {
	*scheduling.World
	observer *queuewatch.Observer
	agent    *outrigger.Server // nil: the scheduler is alone
}

// newWorld makes nodes, and classes of pods that evict no other pod: what is bound stays. Pods of class
// "evicts" do.
func newWorld(t *testing.T, nodes int) *world {
	t.Helper()
	w := &world{World: scheduling.New(t)}
	never := corev1.PreemptNever
	for name, value := range map[string]int32{"low": 0, "middle": 1000, "high": 100_000, "evicts": 10_000} {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		if name != "evicts" {
			class.PreemptionPolicy = &never
		}
		_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, class, metav1.CreateOptions{})
		w.Must(err)
	}
	for i := range nodes {
		w.Nodes(kube.MakeNode(nodeName(i)).Resource(corev1.ResourcePods, fmt.Sprint(slotsOfNode)))
	}
	var err error
	w.observer, err = queuewatch.Start(w.Ctx, w.Client)
	w.Must(err)
	return w
}

func nodeName(i int) string { return fmt.Sprintf("n%03d", i) }

// fill binds pods of priority 0 to all places, and returns their names.
func (w *world) fill(nodes int) (fillers []string) {
	w.Helper()
	for i := range nodes * slotsOfNode {
		name := fmt.Sprintf("filler-%03d", i)
		w.Pods(kube.MakePod(name).Node(nodeName(i / slotsOfNode)))
		fillers = append(fillers, name)
	}
	return fillers
}

// base is a scheduler's configuration with short waits.
func (w *world) base() []byte {
	w.Helper()
	return []byte(strings.Replace(string(w.SchedulerBase()), "podMaxBackoffSeconds: 2", "podMaxBackoffSeconds: 1", 1))
}

// configOf is the configuration of a scheduler with qos at a URL.
func (w *world) configOf(url string) []byte {
	w.Helper()
	return outrigger.SchedulerConfig(w, w.base(), "--agents", "qos", "--url", "qos="+url)
}

// serveQos starts qos, and the scheduler with it.
func (w *world) serveQos(args ...string) {
	w.Helper()
	w.agent = w.Serve("qos", append([]string{"--qos.scheduler-lease", "none"}, args...)...)
	w.StartScheduler(w.configOf(w.observer.Before(w, w.agent.URL)))
}

// schedulerAlone starts the scheduler without an agent, but with an observer of its filter calls.
func (w *world) schedulerAlone() {
	w.Helper()
	w.StartScheduler(w.configOf(w.observer.Before(w, "")))
}

// free deletes a pod at once.
func (w *world) free(pod string) {
	w.Helper()
	grace := int64(0)
	w.Must(w.Client.CoreV1().Pods("default").Delete(w.Ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: &grace}))
}

// mixed returns pods of all groupPriorities, priorities and classes in random order.
func mixed(count int, random *rand.Rand) (pods []*kube.PodBuilder) {
	for i := range count {
		pod := kube.MakePod(fmt.Sprintf("q-%03d", i)).PriorityClass([]string{"low", "middle", "high"}[random.Intn(3)])
		if label := []string{"", "0", "5", "10", "100", "ten"}[random.Intn(6)]; label != "" {
			pod.Label("groupPriority", label)
		}
		pods = append(pods, pod)
		switch random.Intn(3) {
		case 0:
			guaranteed(pod)
		case 1:
			bestEffort(pod)
		}
	}
	return pods
}

// guaranteed and bestEffort change the class of a pod, which is Burstable.
func guaranteed(pod *kube.PodBuilder) *kube.PodBuilder {
	return pod.Change(func(pod *corev1.Pod) {
		resources := &pod.Spec.Containers[0].Resources
		resources.Limits = resources.Requests.DeepCopy()
	})
}

func bestEffort(pod *kube.PodBuilder) *kube.PodBuilder {
	return pod.Change(func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
	})
}

// bound counts the pods of a prefix that have a node.
func (w *world) bound(prefix string) (count int) {
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName != "" {
			count++
		}
	}
	return count
}

// untilBoundOf waits until so many pods of a prefix are bound.
func (w *world) untilBoundOf(prefix string, count int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return w.bound(prefix) >= count }); err != nil {
		w.Fatalf("%d of %d pods of %s are bound: %v\n%s", w.bound(prefix), count, prefix, err, w.sleepers(prefix))
	}
}

// sleepers lists the calls about the first pods that are not bound.
func (w *world) sleepers(prefix string) string {
	var text strings.Builder
	left := 3
	for _, pod := range w.Tracker.Pods() {
		if left > 0 && strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName == "" {
			left--
			fmt.Fprintf(&text, "%s, nominated for %q:\n%s\n", pod.Name, pod.Status.NominatedNodeName,
				w.observer.History("default/"+pod.Name))
		}
	}
	return text.String()
}

// untilRefused waits until each pod of a prefix has been tried.
func (w *world) untilRefused(prefix string, count int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	w.Must(w.Tracker.Until(ctx, func() bool {
		refused := 0
		for _, pod := range w.Tracker.Pods() {
			if strings.HasPrefix(pod.Name, prefix) &&
				kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse {
				refused++
			}
		}
		return refused >= count
	}))
}

// report prints what the observer saw, and returns all inversions.
func (w *world) report(name string) []queuewatch.Inversion {
	w.Helper()
	inversions := w.observer.Inversions()
	refills := w.observer.Refills()
	var longest time.Duration
	if len(refills) > 0 {
		longest = refills[len(refills)-1]
	}
	w.Logf("%s: %d inversions, %d of them took the only place; a freed place is taken after %.3f s (median of %d), "+
		"%.3f s at most; %.2f filter calls for each bound pod; %d preempt calls", name, len(inversions),
		len(queuewatch.Lost(inversions)), queuewatch.Median(refills).Seconds(), len(refills), longest.Seconds(),
		w.observer.CallsPerBound(), len(w.observer.Calls("preempt")))
	return inversions
}

// inOrder fails the test if there is an inversion.
func (w *world) inOrder(name string) {
	w.Helper()
	for i, inversion := range w.report(name) {
		if i < 10 {
			w.Errorf("inversion: %s", inversion)
			w.Logf("%s:\n%s", inversion.First.Name, w.observer.History(inversion.First.Name))
		}
	}
}
