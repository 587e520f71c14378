package e2e

import (
	"fmt"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/kube"
)

// watchedEnv is for how many seconds gangs that wait are watched.
const watchedEnv = "OUTRIGGER_WATCHED"

// W2: many gangs at once on a cluster that just holds them; most of their members wait at once.
func TestGangsThatFillAClusterAreAllBound(t *testing.T) {
	const gangs, size, nodes = 20, 40, 200
	w := newGangWorld(t, 0)
	w.slots("n", nodes, 4)
	var lists [][]*kube.PodBuilder
	for g := range gangs {
		lists = append(lists, gangOf(fmt.Sprintf("g%02d", g), size))
	}
	began := time.Now()
	w.inParallel(20, interleaved(lists...))
	took := w.untilBoundOf("g", gangs*size, began)
	t.Logf("%d pods in %d gangs bound in %.2f s, %.0f a second", gangs*size, gangs, took.Seconds(),
		gangs*size/took.Seconds())
	w.checkBoundOnce(gangs * size)
	t.Logf("nominations written: %.0f", w.gang.Metric(t, "outrigger_gang_nominations_total", `result="written"`))
}

// W3: more gangs than there is room for: those that fit are whole, the others hold nothing and cost
// nothing; each freed place is taken by a whole gang.
func TestGangsThatWaitHoldNothingAndTakeWhatIsFreed(t *testing.T) {
	t.Parallel()
	const gangs, room, size = 15, 10, 4
	watched := time.Duration(numberOf(t, watchedEnv, 30)) * time.Second
	// A gang a node; what is quiet must not be taken for lost before the two minutes of --full are over.
	w := newGangWorld(t, room, "--max-staleness", "60s")
	var lists [][]*kube.PodBuilder
	for g := range gangs {
		lists = append(lists, gangOf(fmt.Sprintf("g%02d", g), size))
	}
	w.inParallel(8, interleaved(lists...))
	w.untilBoundOf("g", room*size, time.Now())
	// The first half is to settle.
	failures := 0
	for half := range 2 {
		failures = len(w.tracker.Failures())
		for until := time.Now().Add(watched / 2); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
			if bound := w.bound("g"); bound != room*size {
				t.Fatalf("%d pods are bound, want %d (half %d)", bound, room*size, half)
			}
			// Quiet is not the same as lost: whoever frees a place now must not find it closed.
			if status, text := w.gang.Ask("/readyz"); status != 200 {
				t.Fatalf("the agent is not ready while nothing changes: %s", text)
			}
		}
	}
	written, most := len(w.tracker.Failures())-failures, 2*(gangs-room)*size
	t.Logf("conditions of %d waiting pods were written %d times while nothing changed", most/2, written)
	if written > most {
		t.Errorf("conditions of waiting pods were written %d times, want %d at most", written, most)
	}
	var whole, waiting []string
	for g := range gangs {
		name := fmt.Sprintf("g%02d", g)
		switch w.bound(name + "-") {
		case size:
			whole = append(whole, name)
		case 0:
			waiting = append(waiting, name)
		default:
			t.Errorf("gang %s is bound in part", name)
		}
	}
	if len(whole) != room {
		t.Fatalf("%d gangs are whole, want %d", len(whole), room)
	}
	for _, gone := range whole[:len(waiting)] {
		want := w.bound("g") // all slots again
		freed := time.Now()
		w.deletePods(gone + "-")
		w.untilGone(gone + "-")
		w.untilBoundOf("g", want, freed)
		w.within(30*time.Second, "next whole", time.Since(freed))
		for _, name := range waiting {
			w.checkWhole(size, name)
		}
	}
}
