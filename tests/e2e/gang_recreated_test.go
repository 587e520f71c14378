package e2e

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// W7: a group that is deleted and created again is another one, whatever its members were at: the barrier of
// the first opens for nobody, and who was bound in it counts for the second.
func TestAGroupThatIsCreatedAgainIsAnotherGroup(t *testing.T) {
	t.Parallel()
	w, client, plugins := newPodGroupWorld(t)
	groups := client.Resource(plugins.resource).Namespace("default")
	w.slots("n", 1, 4)
	w.gang = w.serveGang("--gang.scheduler-names", "default-scheduler,"+laterScheduler)
	w.startScheduler(w.config(map[string]string{"gang": w.gang.URL}))

	w.create(client, plugins, plugins.object("default", "train", 3))
	w.pods(plugins.member("train", 0), plugins.member("train", 1), plugins.member("train", 2).Scheduler(laterScheduler))
	w.untilWaiting(2)
	began := time.Now()
	w.must(groups.Delete(w.ctx, "train", metav1.DeleteOptions{}))
	w.untilWaiting(0)
	w.within(2*time.Second, "nobody waits for a group that is gone", time.Since(began))
	w.waitingMessage("plugins-train-000", "gang default/train waits: no PodGroup")
	if bound := w.bound("plugins-train-"); bound != 0 {
		t.Fatalf("%d members of a group that is gone are bound", bound)
	}
	began = time.Now()
	w.create(client, plugins, plugins.object("default", "train", 2))
	w.within(3*time.Second, "the second group is whole", w.untilBoundOf("plugins-train-", 2, began))

	// One is lost, and while others are to take its part the group changes again.
	for _, member := range []string{"plugins-train-001", "plugins-train-002"} {
		w.deletePods(member)
		w.untilGone(member)
	}
	w.must(groups.Delete(w.ctx, "train", metav1.DeleteOptions{}))
	w.pods(plugins.member("train", 1), plugins.member("train", 2))
	w.waitingMessage("plugins-train-001", "gang default/train waits: no PodGroup")
	w.waitingMessage("plugins-train-002", "gang default/train waits: no PodGroup")
	began = time.Now()
	w.create(client, plugins, plugins.object("default", "train", 3))
	w.within(3*time.Second, "the third group is whole with the member that was bound",
		w.untilBoundOf("plugins-train-", 3, began))
	w.nobodyBoundAgain()
}
