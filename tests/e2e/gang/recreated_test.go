package gang

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
)

// W7: a group that is deleted and created again is another one, whatever its members were at: the barrier of
// the first opens for nobody, and who was bound in it counts for the second. Labels have no object to delete; what other
// dialects have is read likewise.
func TestAGroupThatIsCreatedAgainIsAnotherGroup(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := &gangWorld{world: worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: upstreamServed(t)}))}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	rows := dialects[:1:1]
	w.definePodGroups(client, rows[0])
	if knowsUpstreamGroups(t) {
		rows = append(rows, upstream)
	}
	w.slots("n", 1, 4)
	w.gang = w.serveGang("--gang.scheduler-names", "default-scheduler,"+laterScheduler)
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))
	for _, d := range rows {
		t.Run(d.name, func(t *testing.T) {
			g := &recreated{w, client, d}
			g.whileItWaits(t)
			g.whileOneIsBound(t)
			w.CheckSettled()
			w.deletePods(d.name)
			w.untilGone(d.name)
		})
	}
}

// recreated is the group train of a dialect, again and again.
type recreated struct {
	*gangWorld
	client  dynamic.Interface
	dialect dialect
}

func (g *recreated) group(minimum int64) {
	g.Helper()
	g.create(g.client, g.dialect, g.dialect.object("default", "train", minimum))
}

// noGroup deletes it. Upstream's has a finalizer that would keep it for as long as it has members.
func (g *recreated) noGroup() {
	g.Helper()
	groups := g.client.Resource(g.dialect.resource).Namespace("default")
	_, err := groups.Patch(g.Ctx, "train", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	g.Must(err)
	g.Must(groups.Delete(g.Ctx, "train", metav1.DeleteOptions{}))
}

// pod is the name of a member.
func (g *recreated) pod(index int) string { return g.dialect.member("train", index).Pod().Name }

// members join, each to be bound by that scheduler.
func (g *recreated) members(scheduler string, indices ...int) {
	g.Helper()
	for _, i := range indices {
		g.join(g.client, g.dialect, "train", g.dialect.member("train", i).Scheduler(scheduler))
	}
}

// whileItWaits leaves members 0 and 1 bound, and member 2 to nobody.
func (g *recreated) whileItWaits(t *testing.T) {
	g.group(3)
	g.members("default-scheduler", 0, 1)
	g.members(laterScheduler, 2)
	g.untilWaiting(2)
	began := time.Now()
	g.noGroup()
	g.untilWaiting(0)
	g.Within(2*time.Second, "nobody waits for a group that is gone", time.Since(began))
	g.waitingMessage(g.pod(0), "gang default/train waits: no PodGroup")
	if bound := g.bound(g.dialect.name); bound != 0 {
		t.Fatalf("%d members of a group that is gone are bound", bound)
	}
	began = time.Now()
	g.group(2)
	g.Within(3*time.Second, "the second group is whole", g.untilBoundOf(g.dialect.name, 2, began))
}

// whileOneIsBound goes on from there: one more is lost, and while others are to take their parts the group changes
// again.
func (g *recreated) whileOneIsBound(t *testing.T) {
	for _, i := range []int{1, 2} {
		g.deletePods(g.pod(i))
		g.untilGone(g.pod(i))
	}
	g.noGroup()
	g.members("default-scheduler", 1, 2)
	// The condition may say "members", where the pod was asked about before it was known that the group is gone.
	g.waitingMessage(g.pod(1), "gang default/train waits: ")
	g.waitingMessage(g.pod(2), "gang default/train waits: ")
	g.gang.UntilMetricAbove(t, 0, "outrigger_gang_waiting", `cause="no PodGroup"`)
	if bound := g.bound(g.dialect.name); bound != 1 {
		t.Errorf("%d members are bound, want the first", bound)
	}
	began := time.Now()
	g.group(3)
	g.Within(3*time.Second, "the third group is whole with the member that was bound",
		g.untilBoundOf(g.dialect.name, 3, began))
}
