package gang

import (
	"fmt"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// A scheduler that samples offers a hundred nodes here (it never takes fewer), hardly ever that of the plan: who is
// nominated for it is tried there first, so all members are.
func TestGangsAreWholeWhereTheSchedulerSamplesNodes(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes, gangs, size = 200, 10, 40
	w := countedWorldOf(newWorld(t))
	w.slots("n", nodes, 4)
	w.gang = w.serveGang("--gang.nominate", "all")
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
	if written < gangs*size*3/4 { // some may be bound before
		t.Errorf("%.0f of %d members were nominated, want nearly all", written, gangs*size)
	}
}
