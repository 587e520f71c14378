package gang

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	extender "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// filterCalls counts how often the scheduler asks the agent where each pod may go: each call is a
// scheduling cycle that came so far.
type filterCalls struct {
	mutex  sync.Mutex
	of     map[string]int // by the pod's name
	widest int            // nodes that were asked about at once, at most
	last   time.Time
}

func (c *filterCalls) see(verb string, r *http.Request) {
	if verb != "filter" {
		return
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var args extender.ExtenderArgs
	if err != nil || json.Unmarshal(body, &args) != nil || args.Pod == nil {
		return // the agent says what is wrong with it
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.of[args.Pod.Name]++
	if args.NodeNames != nil {
		c.widest = max(c.widest, len(*args.NodeNames))
	}
	c.last = time.Now()
}

// quietFor is the time since the last call.
func (c *filterCalls) quietFor() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Since(c.last)
}

// callsFor is how often the scheduler has asked for a pod.
func (w *countedWorld) callsFor(pod string) int {
	w.calls.mutex.Lock()
	defer w.calls.mutex.Unlock()
	return w.calls.of[pod]
}

// untilCalls waits until the scheduler has asked so often for a pod.
func (w *countedWorld) untilCalls(pod string, count int) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for w.callsFor(pod) < count {
		if time.Now().After(deadline) {
			w.Fatalf("%d calls of filter for %s, want %d", w.callsFor(pod), pod, count)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// most returns the pod with the most calls, and how many there were for all pods.
func (c *filterCalls) most() (name string, calls, all int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for pod, count := range c.of {
		if all += count; count > calls {
			name, calls = pod, count
		}
	}
	return name, calls, all
}

// countedWorld is a gangWorld where the calls of filter are counted.
type countedWorld struct {
	*gangWorld
	calls filterCalls
}

func countedWorldOf(w *world) *countedWorld {
	return &countedWorld{gangWorld: &gangWorld{world: w}, calls: filterCalls{of: map[string]int{}}}
}

// newCountedWorld starts nodes, the agent and the scheduler with its profiles; none: the default one.
func newCountedWorld(t *testing.T, nodes []*kube.NodeBuilder, profiles []string, args ...string) *countedWorld {
	t.Helper()
	w := countedWorldOf(newWorld(t))
	w.Nodes(nodes...)
	w.gang = w.serveGang(args...)
	w.StartScheduler(w.configOf(profiles))
	return w
}

// configOf is the configuration of a scheduler with profiles, whose calls to the agent are counted; more is added
// to what its users have.
func (w *countedWorld) configOf(profiles []string, more ...string) []byte {
	w.Helper()
	base := append(w.SchedulerBase(), strings.Join(more, "")...)
	for i, profile := range profiles {
		if i == 0 {
			base = append(base, "profiles:\n"...)
		}
		base = append(base, "- schedulerName: "+profile+"\n"...)
	}
	return outrigger.SchedulerConfig(w, base, "--agents", "gang", "--url", "gang="+w.before(w.gang, w.calls.see))
}

// untilQuiet waits until the scheduler has not asked for a while: one that tries the same again and
// again asks at least once in its longest back-off, which is two seconds here.
func (w *countedWorld) untilQuiet() {
	w.Helper()
	const quiet = 3 * time.Second
	deadline := time.Now().Add(scheduling.Patience)
	for w.calls.quietFor() < quiet {
		if time.Now().After(deadline) {
			pod, calls, all := w.calls.most()
			w.Fatalf("the scheduler asks again and again: %d calls of filter, %d for %s", all, calls, pod)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// checkCalls fails the test if the scheduler has asked more often for a pod.
func (w *countedWorld) checkCalls(most int) {
	w.Helper()
	pod, calls, all := w.calls.most()
	pods := len(w.calls.of)
	w.Logf("%d calls of filter for %d pods: %.1f each, %d for %s", all, pods,
		float64(all)/float64(max(pods, 1)), calls, pod)
	if calls > most {
		w.Errorf("%d calls of filter for %s, want %d at most", calls, pod, most)
	}
	if calls == 0 {
		w.Error("filter was never called")
	}
}
