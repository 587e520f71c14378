package gang

import (
	"fmt"
	"os"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/cluster"
)

// W1: two gangs of 30 on 40 slots, created interleaved.
func TestGangOfTwoThatDoNotFitTogetherOneIsWholeAndTheOtherHoldsNothing(t *testing.T) {
	t.Parallel()
	eachMode(t, atOnce(twoThatDoNotFitTogether))
}

func twoThatDoNotFitTogether(t *testing.T, m mode) {
	t.Helper()
	const size = 30
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", 10, 4)
	m.start(w)
	for round := range 2 {
		a, b := fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)
		began := time.Now()
		w.inParallel(8, interleaved(m.gangOf(a, size), m.gangOf(b, size)))
		created := time.Since(began)
		first, second := w.firstWhole(size, a, b)
		took := w.untilBoundOf(first+"-", size, began)
		m.waits(w, second+"-000", fmt.Sprintf("gang default/%s waits: cpu", second))
		// Told once, perhaps while the first one got its places: what is short in the end, explain says.
		const need = "30 members need cpu 1, memory 16Mi each, "
		w.UntilEventWith("GangWaiting", fmt.Sprintf("gang default/%s waits: %s", second, need))
		w.untilExplained(second, need+"10 fit; 20 more nodes with cpu 1, memory 16Mi free would do")
		// It holds nothing: no pod is bound, and none is assumed, waiting for its bind call to be answered.
		w.untilWaiting(0)
		if bound := w.bound(second + "-"); bound != 0 {
			t.Errorf("%d members of %s are bound beside %s", bound, second, first)
		}

		freed := time.Now()
		w.deletePods(first + "-")
		next := w.untilBoundOf(second+"-", size, freed)
		t.Logf("created in %.2f s; %s whole after %.2f s, %s after %.2f s more", created.Seconds(),
			first, took.Seconds(), second, next.Seconds())
		w.deletePods(second + "-")
		w.untilGone(a+"-", b+"-")
	}
}

// W4: a gang one slot short holds nothing, so singles run at once.
func TestGangThatIsOneSlotShortHoldsUpNobody(t *testing.T) {
	t.Parallel()
	eachMode(t, atOnce(oneSlotShort))
}

func oneSlotShort(t *testing.T, m mode) {
	t.Helper()
	const nodes, singles = 100, 20
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", nodes, 1)
	m.start(w)
	w.inParallel(8, m.gangOf("big", nodes+1))
	m.waits(w, "big-000", "gang default/big waits: cpu")
	w.UntilEventWith("GangWaiting",
		"101 members need cpu 1, memory 16Mi each, 100 fit; 1 more node with cpu 1, memory 16Mi free would do")
	w.checkHoldsNothing("big-")

	began := time.Now()
	for i := range singles {
		w.Pods(slot(fmt.Sprintf("single-%02d", i)))
	}
	// Where all pods are asked about each binding wakes the members that wait: the scheduler tries thousands of times.
	w.Within(2*time.Second, "all singles are bound", w.untilBoundOf("single-", singles, began))
	if bound := w.bound("big-"); bound != 0 {
		t.Errorf("%d members of the gang are bound", bound)
	}

	freed := time.Now()
	w.deletePods("single-")
	w.slots("more", 1, 1)
	w.Within(3*time.Second, "the gang is whole behind its release", w.untilBoundOf("big-", nodes+1, freed))
}

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }
