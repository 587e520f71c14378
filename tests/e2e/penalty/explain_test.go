package penalty

import (
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// explain penalty prints the ledger: from the agent that leads, or from the journal, also when no agent is there.
func TestExplainPrintsTheLedger(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	w.serve(settings{"start": "flat 500"})
	w.run("gold", "job-1")
	w.untilSound(gold, 500)
	kubeconfig := w.kubeconfig("explain", nil)
	explain := func(from ...string) string {
		return string(outrigger.Run(t, append([]string{"explain", "penalty"}, from...)...))
	}
	byAgent := explain("--agent", w.agent.AdminURL)
	w.Must(w.agent.Stop(scheduling.Patience)) // the last changes are written within ten seconds, or at the end
	for from, text := range map[string]string{"agent": byAgent, "journal": explain("--kubeconfig", kubeconfig)} {
		for _, word := range []string{"gold", "start default/job-1", "1000", "500", "batch", "1 started"} {
			if !strings.Contains(text, word) {
				t.Errorf("by the %s explain penalty prints no %q:\n%s", from, word, text)
			}
		}
	}
}
