package gang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// replica is a scheduler with its agent, as in one pod: they share a host name.
type replica struct {
	host      string
	agent     *outrigger.Server
	scheduler *process.Process
	config    string // file
	line      line
}

func (r *replica) killAgent() {
	r.agent.Kill()
	r.line.cut.Store(true)
}

func (w *trappedWorld) agentBackOf(r *replica) {
	w.Helper()
	r.line.cut.Store(false)
	r.agent.Restart(w)
}

// newReplica starts an agent, and makes the configuration of a scheduler beside it.
func (w *trappedWorld) newReplica(host string, args ...string) *replica {
	w.Helper()
	r := &replica{host: host}
	args = append(args, w.mode.args...)
	r.agent = outrigger.ServeAt(w, 0, "gang-"+host, w.Cluster.LogDir(), "gang",
		append([]string{"--kubeconfig", w.throughTrap(&r.line), "--gang.host-name", host}, args...)...)
	base := strings.Replace(string(w.SchedulerBase()), "leaderElect: false",
		"leaderElect: true\n  leaseDuration: 6s\n  renewDeadline: 5s\n  retryPeriod: 500ms", 1)
	config := outrigger.SchedulerConfig(w, []byte(base),
		append([]string{"--agents", "gang", "--url", "gang=" + w.trapped(r.agent)}, w.mode.config...)...)
	r.config = filepath.Join(w.Cluster.Dir, host+".yaml")
	w.Must(os.WriteFile(r.config, config, 0o600))
	return r
}

// run starts the scheduler under the replica's host name, by which it holds the Lease.
func (w *trappedWorld) run(r *replica) {
	w.Helper()
	var err error
	r.scheduler, err = process.Start(process.Spec{
		Name: "kube-scheduler-" + r.host, Path: "unshare", LogDir: w.Cluster.LogDir(),
		Args: []string{"--uts", "sh", "-c", "hostname \"$0\" && exec \"$@\"", r.host,
			w.Cluster.Binary("kube-scheduler"), "--config=" + r.config, "--secure-port=0", "-v=2"},
	})
	w.Must(err)
	w.Cleanup(r.scheduler.Kill)
}

// leads tells whether the replica's scheduler holds the Lease.
func (w *trappedWorld) leads(r *replica) bool {
	lease, err := w.Client.CoordinationV1().Leases("kube-system").Get(w.Ctx, "kube-scheduler", metav1.GetOptions{})
	return err == nil && lease.Spec.HolderIdentity != nil && strings.HasPrefix(*lease.Spec.HolderIdentity, r.host+"_")
}

// untilLeads waits until the replica's scheduler holds the Lease. A scheduler that cannot renew it ends, and is started
// again, as kubelet does.
func (w *trappedWorld) untilLeads(r *replica) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for !w.leads(r) || !r.scheduler.Running() {
		if !r.scheduler.Running() {
			w.run(r)
		}
		if time.Now().After(deadline) {
			w.Fatalf("%s does not get the Lease", r.host)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// W8: of two replicas the one that leads dies, scheduler and agent at once, at whatever step of a gang's
// life: the other one makes the gang whole, and nobody is bound twice.
func TestAGangIsWholeWhenItsLeaderDiesAtWhateverStep(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	inModes(t, allModesOr(gatesAndMembers), atOnce(wholeWhenItsLeaderDies))
}

func wholeWhenItsLeaderDies(t *testing.T, m mode) {
	t.Helper()
	const size, nodes = 8, 2
	w := &trappedWorld{gangWorld: &gangWorld{world: newWorld(t), mode: m}}
	w.slots("n", nodes, size/nodes)
	w.Pods(contender("contender"))
	leads, waits := w.newReplica("host-a"), w.newReplica("host-b")
	w.run(leads)
	w.untilLeads(leads)
	w.run(waits)
	die := func() {
		leads.scheduler.Kill()
		leads.killAgent()
	}
	// while makes a gang whose leader dies at a call.
	while := func(kind string, at int) func(gang string) {
		return func(gang string) {
			sprung := w.set(kind, at, die)
			w.inParallel(4, w.gangOf(gang, size))
			w.await(gang, sprung)
		}
	}
	type row struct {
		name string
		dies func(gang string)
	}
	rows := []row{
		{"planned", func(gang string) {
			leads.scheduler.Kill()
			seen := leads.agent.Metric(t, scheduling.NodeEvents, `resource="pods"`)
			w.inParallel(4, w.gangOf(gang, size))
			// It has seen them all, and each is a reason to plan.
			leads.agent.UntilMetricAbove(t, seen+size-1, scheduling.NodeEvents, `resource="pods"`)
			leads.killAgent()
		}},
		{"nominated", func(gang string) {
			w.allButOneSleep(gang, size, leads.agent)
			sprung := w.set("nominated", 1, die)
			w.Pods(w.member(gang, size-1, size))
			w.await(gang, sprung)
		}},
		{"first-filter", while("filter", 1)},
		{"half-waiting", while("bind", size/2)},
		{"first-binding-sent", while("binding", 1)},
		{"first-binding-answered", while("bound", 1)},
		{"half-bound", while("binding", size/2+1)},
	}
	if m.gated {
		rows = append(rows, row{"first-release-sent", while("release", 1)},
			row{"half-released", while("released", size/2)})
	}
	for _, row := range rows {
		// Both agents must be able to answer; only that of the leader may act.
		leads.agent.UntilMetricAbove(t, nodes-1, scheduling.NodesKnown, `resource="nodes"`)
		waits.agent.UntilMetricAbove(t, nodes-1, scheduling.NodesKnown, `resource="nodes"`)
		began := time.Now()
		row.dies(row.name)
		died := time.Now()
		took := w.untilBoundOf(row.name+"-", size, began)
		w.untilLeads(waits)
		t.Logf("%s: the leader dies after %.2f s; whole %.2f s after it began, by %s", row.name,
			died.Sub(began).Seconds(), took.Seconds(), waits.host)
		w.CheckSettled()
		w.agentBackOf(leads)
		w.run(leads)
		leads, waits = waits, leads
		w.deletePods(row.name + "-")
		w.untilGone(row.name + "-")
	}
	if bound := len(w.Tracker.Bindings()); bound != size*len(rows) {
		t.Errorf("%d bindings, want %d", bound, size*len(rows))
	}
}

// holdLease has a scheduler's host hold the Lease kube-system/scheduler, for an hour.
func (w *world) holdLease(holder string) {
	w.Helper()
	leases := w.Client.CoordinationV1().Leases("kube-system")
	lease, err := leases.Get(w.Ctx, "scheduler", metav1.GetOptions{})
	if err != nil {
		lease, err = leases.Create(w.Ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "scheduler"}},
			metav1.CreateOptions{})
		w.Must(err)
	}
	duration := int32(3600)
	lease.Spec.HolderIdentity, lease.Spec.LeaseDurationSeconds = &holder, &duration
	_, err = leases.Update(w.Ctx, lease, metav1.UpdateOptions{})
	w.Must(err)
}

// untilNotInCharge waits until the agent has said so once more.
func (w *gangWorld) untilNotInCharge(times int) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for strings.Count(inItsLog(w.world, w.gang), "not in charge: the Lease") < times {
		if time.Now().After(deadline) {
			w.Fatal("the agent does not see that another holds the Lease")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
