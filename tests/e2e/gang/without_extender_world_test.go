package gang

import (
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// withoutExtender is the mode in which no scheduler calls the agent: nothing of it is in the scheduler's configuration.
var withoutExtender = mode{name: "without an extender", gated: true, alone: true}

// newWorldWithoutExtender starts nodes of four slots each, one replica of the agent, and a scheduler that does not know
// of it. Members are made by withoutExtender.gangOf().
func newWorldWithoutExtender(t *testing.T, nodes int, args ...string) *gangWorld {
	t.Helper()
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", nodes, 4)
	withoutExtender.start(w, args...)
	return w
}

// serveAlone starts a replica of the agent that no scheduler calls.
func (w *world) serveAlone(name string, args ...string) *outrigger.Server {
	w.Helper()
	return w.ServeWithoutExtender(name, "gang", args...)
}

// untilLeads waits until a replica holds the agents' own Lease.
func (w *world) untilLeads(replica *outrigger.Server) {
	w.Helper()
	replica.UntilMetricAbove(w, 0, "outrigger_gang_leading")
}

// takeover is how long another replica may take to go on once one has died.
const takeover = 2 * scheduling.LeaseSeconds
