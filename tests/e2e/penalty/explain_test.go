package penalty

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// explained is what `outrigger explain penalty -o json` prints, as far as it is compared here.
type explained struct {
	Classes []struct {
		Class               string
		Base, Value         int64
		Penalty             float64
		Starts, Completions int64
	}
	Changes []struct {
		Class, Cause  string
		Before, After int64
	}
	Sums []struct {
		Kind, Name string
		Starts     int64
	}
	Groups []struct{ Namespace, Name, Phase, Class, Queue, Counted string }
	Pods   []struct {
		Class               string
		Value, Pods, Lowest int
	}
}

// explain reads `outrigger explain penalty`.
func (w *world) explain(from ...string) (is explained, err error) {
	text := outrigger.Run(w, append([]string{"explain", "penalty", "-o", "json"}, from...)...)
	return is, json.Unmarshal(text, &is)
}

// The journal in the cluster says what the running agent says, but for the recovery, of which there is none here.
func TestExplainReadsTheJournalAsTheAgentHasIt(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold, class("silver", 600))
	w.serve(nil)
	w.run("gold", "job-1")
	w.untilSound(gold, 990)
	w.untilCounted("gold", 1, 0)
	kubeconfig := w.kubeconfig("explain", nil)
	var journal explained
	w.eventually(func(context.Context) (err error) { // sums and changes are written later
		if journal, err = w.explain("--kubeconfig", kubeconfig); err != nil {
			return err
		}
		agent, err := w.explain("--agent", w.agent.AdminURL)
		if err == nil && fmt.Sprint(journal) != fmt.Sprint(agent) {
			err = fmt.Errorf("the journal has\n%+v\nthe agent\n%+v", journal, agent)
		}
		return err
	})
	if len(journal.Classes) != 2 || len(journal.Changes) != 1 || len(journal.Groups) != 1 || len(journal.Sums) != 2 {
		t.Fatalf("the journal has %+v", journal)
	}
	if group := fmt.Sprint(journal.Groups[0]); group != "{default job-1 Running gold batch 1 started}" {
		t.Errorf("the group is %s", group)
	}
	change := journal.Changes[0]
	if change.Before != 1000 || change.After != 990 || !strings.Contains(change.Cause, "default/job-1") {
		t.Errorf("the change is %+v", change)
	}
	t.Logf("%s", outrigger.Run(t, "explain", "penalty", "--kubeconfig", kubeconfig))

	page := browser.Look(w, w.Cluster.LogDir(), w.agent.AdminURL, "#table/penalty", "gold", "silver", "990")
	page.Until("one with the value of each class over time", "document.querySelectorAll('#charts svg').length === 2")
}
