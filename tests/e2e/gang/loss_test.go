package gang

import (
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// A gang that does not become complete in its time gives its places to others of its priority, and its
// members, its PodGroup and an Event say so.
func TestAGangThatIsNotCompleteInTimeGivesUpItsPlaces(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w, client, plugins := newPodGroupWorld(t)
	w.slots("n", 1, 4)
	w.gang = w.serveGang("--gang.scheduler-names", "default-scheduler,"+laterScheduler, "--gang.write-status")
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))
	group := plugins.object("default", "train", 3)
	group.Object["spec"].(map[string]any)["scheduleTimeoutSeconds"] = int64(3)
	w.create(client, plugins, group)

	began := time.Now()
	w.Pods(plugins.member("train", 0), plugins.member("train", 1), plugins.member("train", 2).Scheduler(laterScheduler))
	w.untilWaiting(2)
	// It comes after the first one, also by its name, and that one has three of four places.
	w.inParallel(2, gangOf("younger", 2))
	took := w.untilBoundOf("younger-", 2, began)
	w.Within(3*time.Second, "the other gang has the places", took)
	if took < 3*time.Second {
		t.Errorf("the gang gave up its places after %v, its time is 3 s", took)
	}
	w.UntilEventWith("GangTimedOut", "gang default/train is still incomplete 3s after it got nodes. "+
		"They are released; it now queues last in its priority")
	const told = "gang default/train waits: cpu, after it gave up its nodes"
	w.waitingMessage("plugins-train-000", told)
	w.waitingMessage("plugins-train-001", told)
	w.untilStatus(client, plugins, "phase:Pending")
	w.UntilEventWith("GangWaiting", "it gave up its nodes after 3s")
	w.explainTells("train", "it gave up its nodes after 3s")
	if bound := w.bound("plugins-train-"); bound != 0 {
		t.Errorf("%d members of a gang that is not complete are bound", bound)
	}

	// Its places and its last member come: it is whole, behind or not.
	w.deletePods("younger-")
	w.deletePods("plugins-train-002")
	w.untilGone("plugins-train-002")
	began = time.Now()
	w.Pods(plugins.member("train", 2))
	w.Within(3*time.Second, "whole", w.untilBoundOf("plugins-train-", 3, began))
	w.CheckSettled()
}

// explainTells runs "explain gang", whose plan does not know what the agent remembers.
func (w *world) explainTells(gang, want string) {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig("person", w.Cluster.Config)
	w.Must(err)
	text := string(outrigger.Run(w, "explain", "gang", gang, "-n", "default", "--kubeconfig", kubeconfig))
	_, told, _ := strings.Cut(text, "Told: ")
	if line, _, _ := strings.Cut(told, "\n"); !strings.Contains(line, want) {
		w.Errorf("explain gang %s does not tell that %s:\n%s", gang, want, text)
	}
}

// The place of a member that is lost goes to who takes its part, before others of its priority, or in its turn,
// as the group wants.
func TestThePlaceOfALostMemberIsTakenAsItsGroupWants(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	rows := []struct {
		policy        string
		first, second string // who is bound once a place is free, and who waits until there is another
		groupPriority string // of urgent; train has 0
		replaced      bool
	}{
		{"replace", "train-004", "urgent-000", "0", true},
		{"ignore", "urgent-000", "train-004", "10", false},
	}
	for _, row := range rows {
		t.Run(row.policy, func(t *testing.T) {
			const size = 4
			w := newGangWorld(t, 1, partialSoon...)
			of := func(index int) *kube.PodBuilder {
				return member("train", index, size).Annotation("outrigger.dev/on-member-loss", row.policy)
			}
			for i := range size {
				w.Pods(of(i))
			}
			w.untilBoundOf("train-", size, time.Now())
			w.Pods(of(size))
			w.Pods(member("urgent", 0, 1).Label("groupPriority", row.groupPriority))
			w.UntilEventWith("GangWaiting", "gang default/urgent waits: ")

			w.deletePods("train-000")
			w.Until(row.first, "bound", scheduling.IsBound)
			if pod := w.Tracker.Pod("default", row.second); pod.Spec.NodeName != "" {
				t.Errorf("%s is bound, too, to a cluster without room", row.second)
			}
			if row.replaced {
				w.deletePods(row.first)
				w.untilGone(row.first)
				// Nobody replaces it: what is free goes to who waits, and the gang is bound in part.
				w.Until(row.second, "bound", scheduling.IsBound)
				w.UntilEventWith("GangPartial", "gang default/train is bound in part: 3 of 4 members run; "+
					"its missing members are first in its priority when there is room")
				return
			}
			w.deletePods("train-001")
			w.Until(row.second, "bound", scheduling.IsBound)
			w.UntilEventWith("GangPartial", "of 4 members run; it keeps running, since it ignores lost members")
		})
	}
}
