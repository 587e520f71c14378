package gang

import (
	"fmt"
	"testing"
	"time"
)

// Pods that name their group and not its minimum are members of it, as in the original plugin, which counts all pods of
// the label: they start with the leader, which names it. Where no pod does each comes by itself.
func TestAWorkerWithTheNameAloneStartsWithItsLeader(t *testing.T) {
	t.Parallel()
	inModes(t, allModesOr(askedAboutAll), atOnce(func(t *testing.T, m mode) {
		t.Helper()
		w := &gangWorld{world: newWorld(t)}
		w.slots("n", 2, 2)
		m.start(w)
		w.Pods(m.dress(slot("leader").Label("podGroup", "train").Label("minAvailable", "2"))...)
		m.waits(w, "leader", "gang default/train waits: members")
		w.Pods(m.dress(slot("single-0").Label("podGroup", "single"), slot("single-1").Label("podGroup", "single"))...)
		w.untilBoundOf("single-", 2, time.Now())
		w.checkHoldsNothing("leader")
		// Nothing wakes members whose gang has one more by now, and their condition follows.
		for _, pod := range m.gangOf("big", 3) {
			w.Pods(pod)
			m.waits(w, "big-000", "gang default/big waits: ")
		}
		for i := range 3 {
			m.waits(w, fmt.Sprintf("big-%03d", i), "gang default/big waits: cpu")
		}
		began := time.Now()
		w.Pods(m.dress(slot("worker").Label("podGroup", "train"))...)
		w.Within(3*time.Second, "the worker starts with its leader", max(
			w.untilBoundOf("worker", 1, began), w.untilBoundOf("leader", 1, began)))
	}))
}
