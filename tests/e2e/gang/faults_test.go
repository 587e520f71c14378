package gang

import (
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
)

// W8: whoever dies at whatever step of a gang's life: once it is back the gang is whole, nobody was
// bound twice and no pod is lost.
func TestAGangIsWholeWhoeverDiesAtWhateverStep(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	eachMode(t, atOnce(wholeWhoeverDies))
}

func wholeWhoeverDies(t *testing.T, m mode) {
	t.Helper()
	const size = 8
	w := m.newTrappedWorld(t, size/4)
	killAgent, agentBack := w.killAgent, w.agentBack
	killServer, serverBack := w.Cluster.KillServer, func() { w.Must(w.Cluster.StartServer(w.Ctx)) }
	type row struct {
		name string
		kind string // of the call that is the last
		at   int
		kill func()
		back func()
	}
	rows := []row{
		{"agent-at-first-filter", "filter", 1, killAgent, agentBack},
		{"agent-half-waiting", "bind", size / 2, killAgent, agentBack},
		{"agent-at-last-waiter", "bind", size, killAgent, agentBack},
		{"agent-first-binding-sent", "binding", 1, killAgent, agentBack},
		{"agent-first-binding-answered", "bound", 1, killAgent, agentBack},
		{"agent-half-bound", "binding", size/2 + 1, killAgent, agentBack},
		{"agent-last-binding-sent", "binding", size, killAgent, agentBack},
		{"scheduler-half-waiting", "bind", size / 2, func() { w.scheduler.Kill() }, w.runScheduler},
		{"scheduler-half-bound", "binding", size/2 + 1, func() { w.scheduler.Kill() }, w.runScheduler},
		{"server-half-waiting", "bind", size / 2, killServer, serverBack},
		{"server-half-bound", "binding", size/2 + 1, killServer, serverBack},
	}
	if m.asksAll {
		w.Pods(contender("contender"))
		rows = append(rows, row{"agent-first-nomination-sent", "nomination", 1, killAgent, agentBack},
			row{"agent-half-nominated", "nominated", size / 2, killAgent, agentBack})
	}
	if m.gated {
		rows = append(rows, row{"agent-first-release-sent", "release", 1, killAgent, agentBack},
			row{"agent-half-released", "released", size / 2, killAgent, agentBack},
			row{"server-half-released", "release", size/2 + 1, killServer, serverBack})
	}
	for _, row := range rows {
		sprung := w.set(row.kind, row.at, row.kill)
		began := time.Now()
		w.inParallel(4, w.gangOf(row.name, size))
		w.await(row.name, sprung)
		row.back()
		t.Logf("%s: whole %.2f s after it began", row.name, w.untilBoundOf(row.name+"-", size, began).Seconds())
		w.CheckSettled()
		w.deletePods(row.name + "-")
		w.untilGone(row.name + "-")
	}
}

// A scheduler that is away answers no nomination, which looks as if it refused all of them: once it is back
// the gang comes all the same, though neither nodes nor pods have changed.
func TestAGangIsWholeOnceASchedulerThatWasAwayIsBack(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	test := atOnce(wholeOnceTheSchedulerIsBack)
	if scheduling.AllAreWanted() {
		eachMode(t, test) // where all are nominated it takes half a minute
		return
	}
	inModes(t, []mode{askedAboutAll}, test)
}

func wholeOnceTheSchedulerIsBack(t *testing.T, m mode) {
	t.Helper()
	const size = 8
	w := m.newTrappedWorld(t, size/4)
	w.allButOneSleep("train", size)
	w.scheduler.Kill()
	w.Pods(w.member("train", size-1, size))
	// Refused on the one node and on the other.
	w.UntilEventWith("GangWaiting", "gang default/train waits: 8 members need")
	w.runScheduler()
	began := time.Now()
	w.Within(2*time.Second, "whole once the scheduler is back", w.untilBoundOf("train-", size, began))
	w.CheckSettled()
}
