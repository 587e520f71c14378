package gang

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/fakeextender"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// A scheduler that samples offers a hundred nodes here (it never takes fewer), often without that of the plan: members are
// nominated for it, and tried there first.
func TestGangsAreWholeWhereTheSchedulerSamplesNodes(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes, gangs, size = 200, 10, 40
	w := countedWorldOf(newWorld(t))
	w.slots("n", nodes, 4)
	w.gang = w.serveGang()
	w.StartScheduler(w.configOf(nil, "percentageOfNodesToScore: 20\n"))
	var lists [][]*kube.PodBuilder
	var names []string
	for g := range gangs {
		names = append(names, fmt.Sprintf("g%02d", g))
		lists = append(lists, gangOf(names[g], size))
	}
	began := time.Now()
	w.inParallel(8, interleaved(lists...))
	w.Within(6*time.Second, "all gangs are whole", w.untilBoundOf("g", gangs*size, began))
	w.CheckBoundOnce(gangs * size)
	w.checkCalls(mostCalls)
	if w.calls.widest >= nodes {
		t.Errorf("the scheduler has asked about %d of %d nodes at once: it does not sample", w.calls.widest, nodes)
	}
	w.Within(3*time.Second, "the gang that was bound in part for longest is whole", kube.LongestInPart(w.Tracker.Bindings(), names))
	written := w.gang.Metric(t, "outrigger_gang_nominations_total", `result="written"`)
	t.Logf("nominations written: %.0f", written)
	if written == 0 {
		t.Errorf("no member of %d was nominated", gangs*size)
	}
}

// withManagedResource is the user's configuration with an extender of others that manages a resource.
func (w *world) withManagedResource() []byte {
	w.Helper()
	url := (&fakeextender.Extender{}).Serve(w, "127.0.0.1:0")
	return append(w.SchedulerBase(), []byte(`extenders:
- urlPrefix: `+url+`/score
  prioritizeVerb: prioritize
  weight: 1
  httpTimeout: 1s
  nodeCacheCapable: true
  managedResources: [{name: example.com/score, ignoredByScheduler: true}]
profiles:
- schedulerName: default-scheduler
  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [example.net]}}]
`)...)
}

// schedulerFile is the path of a configuration for agents to read.
func (w *world) schedulerFile(config []byte) string {
	w.Helper()
	file := filepath.Join(w.TempDir(), "scheduler.yaml")
	w.Must(os.WriteFile(file, config, 0o600))
	return file
}

// What kube-scheduler does not compare no node has: a single pod runs, and so does a gang whose agent knows of it.
func TestAGangStartsThoughNoNodeHasWhatIsNotCompared(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.slots("n", 2, 2)
	gang := w.serveGang("--scheduler-config", w.schedulerFile(w.withManagedResource()))
	config := outrigger.SchedulerConfig(w, w.withManagedResource(), "--agents", "gang", "--url", "gang="+gang.URL)
	w.StartScheduler(config)
	asking := func(pod *kube.PodBuilder) *kube.PodBuilder {
		return pod.Request("example.com/score", "1").Request("example.net/licence", "3")
	}
	w.Pods(asking(slot("single")))
	w.Until("single", "bound", scheduling.IsBound)
	w.Pods(asking(member("train", 0, 2)), asking(member("train", 1, 2)))
	w.UntilBound(3)

	// What is compared, the gang waits for.
	w.Pods(member("short", 0, 2).Request("example.com/other", "1"), member("short", 1, 2).Request(corev1.ResourceCPU, "1"))
	w.UntilEventWith("GangWaiting", "gang default/short waits")
	if bound := w.bound("short-"); bound != 0 {
		t.Errorf("%d members of a gang that lacks a resource are bound", bound)
	}
}
