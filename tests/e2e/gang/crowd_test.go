package gang

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// watchedEnv is for how many seconds gangs that wait are watched.
const watchedEnv = "OUTRIGGER_WATCHED"

// W2: many gangs at once on a cluster that just holds them; most of their members wait at once.
func TestGangsThatFillAClusterAreAllBound(t *testing.T) {
	scheduling.Long(t)
	for _, row := range []struct {
		name    string
		backlog bool // they are there before the scheduler
		mode    mode // where not all are wanted
	}{{"Arriving", false, askedAboutAll}, {"Backlog", true, gatesAndMembers}} {
		t.Run(row.name, func(t *testing.T) {
			inModes(t, allModesOr(row.mode), func(t *testing.T, m mode) { gangsFillACluster(t, m, row.backlog) })
		})
	}
}

func gangsFillACluster(t *testing.T, m mode, backlog bool) {
	t.Helper()
	const size = 40
	gangs := 12
	if scheduling.AllAreWanted() {
		gangs = 20
	}
	nodes := gangs * size / 4
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", nodes, 4)
	w.gang = m.serve(w)
	config := m.schedulerConfig(w)
	var names []string
	var lists [][]*kube.PodBuilder
	for g := range gangs {
		names = append(names, fmt.Sprintf("g%02d", g))
		lists = append(lists, m.gangOf(names[g], size))
	}
	steps := []func(){func() { w.StartScheduler(config) }, func() { w.inParallel(20, interleaved(lists...)) }}
	if backlog {
		slices.Reverse(steps)
	}
	steps[0]()
	began := time.Now()
	steps[1]()
	took := w.untilBoundAsLongAsMoreAre("g", gangs*size, began)
	t.Logf("%d pods in %d gangs bound in %.2f s, %.0f a second", gangs*size, gangs, took.Seconds(),
		float64(gangs*size)/took.Seconds())
	w.CheckBoundOnce(gangs * size)
	inPart := time.Second
	if m.alone { // no bindings wait for one another
		inPart *= 2
	}
	w.Within(inPart, "the gang that was bound in part for longest is whole", kube.LongestInPart(w.Tracker.Bindings(), names))
	t.Logf("nominations written: %.0f", w.gang.Metric(t, "outrigger_gang_nominations_total", `result="written"`))
}

// kube-scheduler offers a part of the nodes of such a cluster. A member whose place is not offered takes one that is as
// good: a free one, or where no node is free, that of a member of another gang, which gets its place.
func TestGangsOnALargeClusterNeedNoNominations(t *testing.T) {
	t.Parallel()
	const nodes, size = 150, 50
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", nodes, 1)
	w.gang = gatesAndMembers.serve(w)
	const gangs = nodes / size
	for g := range gangs {
		w.Pods(gatesAndMembers.gangOf(fmt.Sprintf("train-%d", g), size)...)
	}
	w.StartScheduler(gatesAndMembers.schedulerConfig(w))
	w.untilBoundOf("train-", nodes, time.Now())
	w.CheckBoundOnce(nodes)
	written := w.gang.Metric(t, "outrigger_gang_nominations_total", `result="written"`)
	t.Logf("%.0f nominations of %d members were written", written, nodes)
	if written > nodes/3 {
		t.Errorf("%.0f nominations of %d members were written", written, nodes)
	}
}

// untilBoundAsLongAsMoreAre is untilBoundOf, however slow the machine is: as long as more pods are bound now and then.
func (w *world) untilBoundAsLongAsMoreAre(prefix string, count int, began time.Time) time.Duration {
	w.Helper()
	for bound := w.bound(prefix); bound < count; bound = w.bound(prefix) {
		ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
		if w.Tracker.Until(ctx, func() bool { return w.bound(prefix) > bound }) != nil {
			cancel()
			break // untilBoundOf says what waits
		}
		cancel()
	}
	return w.untilBoundOf(prefix, count, began)
}

// mostWritten is the pod whose reason why it waits was written most often, and how often.
func mostWritten(failures []kube.Failure) (pod string, most int) {
	times := map[string]int{}
	for _, failure := range failures {
		name := failure.Namespace + "/" + failure.Name
		if times[name]++; times[name] > most {
			pod, most = name, times[name]
		}
	}
	return pod, most
}

// W3: more gangs than there is room for: those that fit are whole, the others hold nothing and cost
// nothing; each freed place is taken by a whole gang.
func TestGangsThatWaitHoldNothingAndTakeWhatIsFreed(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	eachMode(t, atOnce(gangsThatWait))
}

func gangsThatWait(t *testing.T, m mode) {
	t.Helper()
	const gangs, room, size = 15, 10, 4
	watched := time.Duration(numberOf(t, watchedEnv, 8)) * time.Second
	// A gang a node; what is quiet must not be taken for lost before the two minutes of --full are over.
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", room, 4)
	m.start(w, "--max-staleness", "60s")
	var lists [][]*kube.PodBuilder
	for g := range gangs {
		lists = append(lists, m.gangOf(fmt.Sprintf("g%02d", g), size))
	}
	w.inParallel(8, interleaved(lists...))
	w.untilBoundOf("g", room*size, time.Now())
	// The first half is to settle.
	failures := 0
	for half := range 2 {
		failures = len(w.Tracker.Failures())
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
	all := w.Tracker.Failures()[failures:]
	pod, most := mostWritten(all)
	t.Logf("conditions of %d waiting pods were written %d times while nothing changed, of one at most %d times",
		(gangs-room)*size, len(all), most)
	if most > 2 {
		t.Errorf("the condition of %s was written %d times, want 2 at most", pod, most)
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
		w.Within(3*time.Second, "next whole", time.Since(freed))
		for _, name := range waiting {
			w.checkWhole(size, name)
		}
	}
}
