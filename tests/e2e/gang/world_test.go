// Package gang tests the agent gang with the real kube-scheduler: what counts is what the API server
// says in the end.
package gang

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// world has helpers of its own for gangs.
type world struct{ *scheduling.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{scheduling.New(t)}
}

// worldOf is the world around a cluster that was started in a special way.
func worldOf(t *testing.T, c *cluster.Cluster) *world {
	t.Helper()
	return &world{scheduling.Of(t, c)}
}

// gangWorld is a world with the gang agent beside the scheduler.
type gangWorld struct {
	*world
	gang *outrigger.Server
	mode mode
}

func (w *world) serveGang(args ...string) *outrigger.Server {
	w.Helper()
	return w.Serve("gang", append([]string{"--gang.scheduler-lease", "none"}, args...)...)
}

// slots creates nodes with room for so many pods of slot().
func (w *world) slots(prefix string, nodes, slots int) {
	w.Helper()
	for i := range nodes {
		w.Nodes(kube.MakeNode(fmt.Sprintf("%s%03d", prefix, i)).
			Resource(corev1.ResourceCPU, fmt.Sprint(slots)))
	}
}

// slot is a pod that takes one cpu.
func slot(name string) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, "1")
}

// member is a slot of a gang of the labels' dialect.
func member(gang string, index, minimum int) *kube.PodBuilder {
	pod := slot(fmt.Sprintf("%s-%03d", gang, index)).
		Label("podGroup", gang).Label("minAvailable", fmt.Sprint(minimum))
	return usual().dress(pod)[0]
}

// gangOf is all members of a gang.
func gangOf(gang string, size int) []*kube.PodBuilder {
	pods := make([]*kube.PodBuilder, 0, size)
	for i := range size {
		pods = append(pods, member(gang, i, size))
	}
	return pods
}

// bound counts pods of the test whose name begins with prefix and that have a node.
func (w *world) bound(prefix string) int {
	count := 0
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			count++
		}
	}
	return count
}

// untilBoundOf waits until count pods of a prefix are bound, and returns how long after began the last
// of them was seen bound.
func (w *world) untilBoundOf(prefix string, count int, began time.Time) time.Duration {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return w.bound(prefix) >= count }); err != nil {
		w.Fatalf("not %d pods of %s bound, but %d: %v", count, prefix, w.bound(prefix), err)
	}
	var last time.Time
	for _, binding := range w.Tracker.Bindings() {
		if strings.HasPrefix(binding.Name, prefix) && binding.At.After(last) {
			last = binding.At
		}
	}
	return last.Sub(began)
}

// inParallel creates pods by so many clients at once, in the order given as far as that goes.
func (w *world) inParallel(clients int, pods []*kube.PodBuilder) {
	w.Helper()
	queue := make(chan *kube.PodBuilder)
	var group sync.WaitGroup
	for range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			for builder := range queue {
				pod := builder.Pod()
				if _, err := w.Client.CoreV1().Pods(pod.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{}); err != nil {
					w.Errorf("create %s: %v", pod.Name, err)
				}
			}
		}()
	}
	for _, pod := range pods {
		queue <- pod
	}
	close(queue)
	group.Wait()
}

// deletePods deletes all pods of a prefix, at once.
func (w *world) deletePods(prefix string) {
	w.Helper()
	grace := int64(0)
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) {
			w.Must(w.Client.CoreV1().Pods(pod.Namespace).Delete(w.Ctx, pod.Name,
				metav1.DeleteOptions{GracePeriodSeconds: &grace}))
		}
	}
}

// interleaved takes one of each list after the other.
func interleaved(lists ...[]*kube.PodBuilder) []*kube.PodBuilder {
	var all []*kube.PodBuilder
	for i := 0; ; i++ {
		before := len(all)
		for _, list := range lists {
			if i < len(list) {
				all = append(all, list[i])
			}
		}
		if len(all) == before {
			return all
		}
	}
}

// checkWhole fails the test if a gang is bound in part.
func (w *world) checkWhole(size int, gangs ...string) {
	w.Helper()
	for _, gang := range gangs {
		if bound := w.bound(gang + "-"); bound != 0 && bound != size {
			w.Errorf("gang %s: %d of %d members are bound", gang, bound, size)
		}
	}
}

// checkHoldsNothing fails the test if a gang that waits, of a prefix, has a node, waits for its bind calls to be
// answered, which holds one as well, or is nominated for one.
func (w *gangWorld) checkHoldsNothing(prefix string) {
	w.Helper()
	if waiters := w.gang.Metric(w, "outrigger_gang_waiters"); waiters != 0 {
		w.Errorf("%v members wait at barriers", waiters)
	}
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName+pod.Status.NominatedNodeName != "" {
			w.Errorf("%s is on %q, nominated for %q", pod.Name, pod.Spec.NodeName, pod.Status.NominatedNodeName)
		}
	}
}

// waitingMessage waits until a pod's condition has the agent's reason for a gang.
func (w *world) waitingMessage(pod, want string) string {
	w.Helper()
	return kube.Condition(w.Until(pod, "told why it waits", func(pod *corev1.Pod) bool {
		return strings.Contains(kube.Condition(pod, corev1.PodScheduled).Message, want)
	}), corev1.PodScheduled).Message
}

// allButOneSleep creates all members of a gang but the last, and waits until they are told that it lacks
// one: when it comes, they are nominated.
func (w *gangWorld) allButOneSleep(gang string, size int) {
	w.Helper()
	w.inParallel(4, w.gangOf(gang, size)[:size-1])
	if w.mode.gated {
		w.UntilEventWith("GangWaiting", fmt.Sprintf("gang default/%s waits: %d of %d members exist", gang, size-1, size))
		return
	}
	for i := range size - 1 {
		w.waitingMessage(fmt.Sprintf("%s-%03d", gang, i), fmt.Sprintf("gang default/%s waits: members", gang))
	}
	// That condition wakes each of them once, at once: who is being tried again needs no nomination.
	time.Sleep(500 * time.Millisecond)
}

// firstWhole waits until one of two gangs is bound as a whole, and returns it first.
func (w *world) firstWhole(size int, a, b string) (first, second string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool {
		return w.bound(a+"-") == size || w.bound(b+"-") == size
	}); err != nil {
		w.Fatalf("neither %s nor %s is whole: %v", a, b, err)
	}
	if w.bound(a+"-") == size {
		return a, b
	}
	return b, a
}

// untilGone waits until no pod of the prefixes is there.
func (w *world) untilGone(prefixes ...string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool {
		for _, pod := range w.Tracker.Pods() {
			for _, prefix := range prefixes {
				if strings.HasPrefix(pod.Name, prefix) {
					return false
				}
			}
		}
		return true
	}); err != nil {
		w.Fatalf("pods of %v are not gone: %v", prefixes, err)
	}
}
