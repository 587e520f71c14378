// Package gang tests the agent gang with the real kube-scheduler: what counts is what the API server
// says in the end.
package gang

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// partialSoon has a gang be in part for five seconds before an Event says so, or it is restarted.
var partialSoon = []string{"--gang.timeout", "5"}

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
	return slot(fmt.Sprintf("%s-%03d", gang, index)).
		Label("podGroup", gang).Label("minAvailable", fmt.Sprint(minimum))
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
	return w.untilBoundBefore(ctx, prefix, count, began)
}

// untilBoundInTheEnd is untilBoundOf for pods before which kube-scheduler has a long queue: the test's time is the limit.
func (w *world) untilBoundInTheEnd(prefix string, count int, began time.Time) time.Duration {
	w.Helper()
	return w.untilBoundBefore(w.Ctx, prefix, count, began)
}

func (w *world) untilBoundBefore(ctx context.Context, prefix string, count int, began time.Time) time.Duration {
	w.Helper()
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

// inParallel creates pods by so many clients at once, in the order given as far as that goes. As controllers do, it tries
// again what was not answered.
func (w *world) inParallel(clients int, pods []*kube.PodBuilder) {
	w.Helper()
	queue := make(chan *kube.PodBuilder)
	var group sync.WaitGroup
	for range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			for builder := range queue {
				pod, tried := builder.Pod(), false
				if err := kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
					_, err := w.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
					if tried {
						err = ignoreExists(err)
					}
					tried = true
					return err
				}); err != nil {
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

// deletePods deletes all pods of a prefix, at once. Some may be gone already: the tracker hears of it later.
func (w *world) deletePods(prefix string) {
	w.Helper()
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) {
			w.deletePod(pod.Namespace, pod.Name)
		}
	}
}

// deletePod deletes a pod, of which the tracker need not know, at once.
func (w *world) deletePod(namespace, name string) {
	w.Helper()
	grace := int64(0)
	err := w.Client.CoreV1().Pods(namespace).Delete(w.Ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &grace})
	if !apierrors.IsNotFound(err) {
		w.Must(err)
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

// checkWhole fails the test if a gang is bound in part, and stays so: it may be in the middle of being bound.
func (w *world) checkWhole(size int, gangs ...string) {
	w.Helper()
	for _, gang := range gangs {
		ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
		if w.Tracker.Until(ctx, func() bool { bound := w.bound(gang + "-"); return bound == 0 || bound == size }) != nil {
			w.Errorf("gang %s: %d of %d members are bound", gang, w.bound(gang+"-"), size)
		}
		cancel()
	}
}

// checkHoldsNothing fails the test if a gang that waits, of a prefix, has a node, waits for its bind calls to be
// answered, which holds one as well, or is nominated for one, and does not stop to. Waiters are counted at the next
// plan, and what has no place any more is withdrawn once that is known.
func (w *gangWorld) checkHoldsNothing(prefix string) {
	w.Helper()
	if err := kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
		var held []error
		if waiters := w.gang.Metric(w, "outrigger_gang_waiters"); waiters != 0 {
			held = append(held, fmt.Errorf("%v members wait at barriers", waiters))
		}
		for _, pod := range w.Tracker.Pods() {
			if strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName+pod.Status.NominatedNodeName != "" {
				held = append(held,
					fmt.Errorf("%s is on %q, nominated for %q", pod.Name, pod.Spec.NodeName, pod.Status.NominatedNodeName))
			}
		}
		return errors.Join(held...)
	}); err != nil {
		w.Error(err)
	}
}

// waitingMessage waits until a pod's condition has the agent's reason for a gang. The agent writes it where
// kube-scheduler, which was told another reason, lets the pod sleep.
func (w *world) waitingMessage(pod, want string) string {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	message := ""
	if w.Tracker.Until(ctx, func() bool {
		message = kube.Condition(w.Tracker.Pod("default", pod), corev1.PodScheduled).Message
		return strings.Contains(message, want)
	}) != nil {
		w.Fatalf("pod %s is not told %q, but %q", pod, want, message)
	}
	return message
}

// changeANode is news that wakes who was refused, and changes nothing for the plan.
func (w *world) changeANode() {
	w.Helper()
	nodes, err := w.Client.CoreV1().Nodes().List(w.Ctx, metav1.ListOptions{Limit: 1})
	w.Must(err)
	for _, node := range nodes.Items {
		w.Annotate(node.Name, map[string]string{"example.com/changed": time.Now().Format(time.RFC3339Nano)})
	}
}

// untilLacks waits until an Event says that a gang lacks members, and checks that "explain gang" counts those that there
// are. The Event is written once as long as that is the cause: of members that come slowly it has counted fewer.
func (w *world) untilLacks(gang string, exist, minimum int) {
	w.Helper()
	lacks := regexp.MustCompile(fmt.Sprintf(`^gang default/%s waits: (\d+) of %d members exist`, gang, minimum))
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
		events, err := w.Client.EventsV1().Events("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			found := lacks.FindStringSubmatch(event.Note)
			if event.Reason != "GangWaiting" || found == nil {
				continue
			}
			if count, err := strconv.Atoi(found[1]); err == nil && count <= exist {
				return nil
			}
		}
		return fmt.Errorf("no event says that %d of %d members of %s exist", exist, minimum, gang)
	}))
	w.checkExplained(gang, fmt.Sprintf("%d of %d members exist", exist, minimum))
}

// allButOneSleep creates all members of a gang but the last, and waits until they are told that it lacks
// one, by these agents (none: the world's own): when it comes, they are nominated.
func (w *gangWorld) allButOneSleep(gang string, size int, agents ...*outrigger.Server) {
	w.Helper()
	if len(agents) == 0 {
		agents = []*outrigger.Server{w.gang}
	}
	before := w.filterCalls(agents)
	w.inParallel(4, w.gangOf(gang, size)[:size-1])
	if w.mode.gated {
		w.untilLacks(gang, size-1, size)
		return
	}
	for i := range size - 1 {
		w.waitingMessage(fmt.Sprintf("%s-%03d", gang, i), fmt.Sprintf("gang default/%s waits: members", gang))
	}
	// That condition wakes each of them once, at once: who is being tried again needs no nomination.
	count, since := w.filterCalls(agents), time.Now()
	for deadline := time.Now().Add(scheduling.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if now := w.filterCalls(agents); now != count {
			count, since = now, time.Now()
		}
		quiet := 500 * time.Millisecond
		if count-before < float64(2*(size-1)) {
			quiet = 3 * time.Second
		}
		if time.Since(since) >= quiet {
			return
		}
	}
}

// filterCalls are those that agents have answered.
func (w *world) filterCalls(agents []*outrigger.Server) (count float64) {
	w.Helper()
	for _, agent := range agents {
		count += agent.Metric(w, "outrigger_extender_requests_total", `agent="gang"`, `verb="filter"`)
	}
	return count
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
