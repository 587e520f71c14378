package penalty

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// journal are the names of all ConfigMaps of the journal.
func (w *world) journal() (names []string) {
	w.Helper()
	maps, err := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, object := range maps.Items {
		if strings.HasPrefix(object.Name, "outrigger-penalty-") {
			names = append(names, object.Name)
		}
	}
	return names
}

// Restore puts classes back, also after an agent that died in the gap, and as often as one likes.
func TestRestorePutsClassesBackWhenTheAgentIsGone(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold, silver := class("gold", 1000), class("silver", 600)
	w.create(gold, silver)
	proxy := w.FaultyServer()
	writes := penalty.WatchWrites(proxy)
	w.serveThrough(proxy, settings{"lease-seconds": fmt.Sprint(leaseTime)})
	w.run("silver", "job-1")
	w.untilSound(silver, 590)
	// The agent dies when it has deleted a class.
	writes.Open()
	w.run("gold", "job-2")
	w.untilSound(gold, 990)
	deletes := func(write penalty.Write) bool { return write.String() == "DELETE priorityclasses/gold" }
	ended := writes.EndAtMatch(deletes, 1, true, w.agent.Kill)
	w.run("gold", "job-3")
	select {
	case <-ended:
	case <-time.After(scheduling.Patience):
		t.Fatalf("the class was not deleted, but %v", writes.Log())
	}
	if is := w.class("gold"); is != nil {
		t.Logf("the class is there again: %s", valueOf(is)) // the create was sent early
	}
	kubeconfig := w.kubeconfig("restore", nil)
	began := time.Now()
	for range 2 {
		text := outrigger.Run(t, "penalty", "restore", "--all", "--kubeconfig", kubeconfig)
		t.Logf("restore prints %s", text)
		w.untilSound(gold, 1000)
		w.untilSound(silver, 600)
		if left := w.journal(); len(left) > 0 {
			t.Errorf("the journal still has %v", left)
		}
	}
	w.Within(2*leaseTime*time.Second, "restored twice", time.Since(began))
	w.eventually(func(context.Context) error {
		for _, class := range []string{"gold", "silver"} {
			if len(w.events("PenaltyRestored", class)) == 0 {
				return fmt.Errorf("no Event says that class %s is restored", class)
			}
		}
		return nil
	})
}

// One class is put back once the agent has ended; others keep their penalties.
func TestRestorePutsOneClassBack(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold, silver := class("gold", 1000), class("silver", 600)
	w.create(gold, silver)
	w.serve(nil)
	w.run("gold", "job-1")
	w.run("silver", "job-2")
	w.untilSound(gold, 990)
	w.untilSound(silver, 590)
	w.Must(w.agent.Stop(scheduling.Patience))
	outrigger.Run(t, "penalty", "restore", "gold", "--kubeconfig", w.kubeconfig("restore", nil))
	w.untilSound(gold, 1000)
	w.untilSound(silver, 590)
}

// As long as the agent is alive nothing is restored, and the command says what to stop.
func TestRestoreWaitsForTheAgentsLease(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	w.serve(nil)
	w.run("gold", "job-1")
	w.untilSound(gold, 990)
	kubeconfig := w.kubeconfig("restore", nil)
	restore := exec.Command(outrigger.Binary(t), "penalty", "restore", "gold", "--wait", "8", "--kubeconfig", kubeconfig)
	text, err := restore.CombinedOutput()
	t.Logf("restore prints %s", text)
	if err == nil || !strings.Contains(string(text), " holds it: stop the agent") {
		t.Errorf("restore with an agent that is alive: %v", err)
	}
	w.untilSound(gold, 990)
	w.Must(w.agent.Stop(scheduling.Patience))
	outrigger.Run(t, "penalty", "restore", "gold", "--kubeconfig", kubeconfig)
	w.untilSound(gold, 1000)
}
