package gang

import (
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// isRelease matches writes that take a gate off.
func isRelease(r *http.Request) bool {
	return r.Method == http.MethodPatch && path.Base(path.Dir(r.URL.Path)) == "pods"
}

// newLateWorld starts an agent whose nominations and releases reach the API server so much later, or when that is over.
func (m mode) newLateWorld(t *testing.T, late time.Duration, args ...string) *trappedWorld {
	t.Helper()
	w := &trappedWorld{gangWorld: &gangWorld{world: newWorld(t), mode: m}}
	var err error
	w.rights, err = w.Cluster.ConfigWithManifest(w.Ctx, outrigger.Run(w, "agents", "--rbac", "gang"))
	w.Must(err)
	proxy := w.FaultyServer()
	w.seeWrites(proxy, &w.line, "nomination", "nominated", isNomination)
	w.seeWrites(proxy, &w.line, "release", "released", isRelease)
	proxy.Inject(faults.Rule{Delay: late, Match: func(r *http.Request) bool { return isNomination(r) || isRelease(r) }})
	w.gang = outrigger.ServeAt(w, 0, "gang", w.Cluster.LogDir(), "gang",
		append(append([]string{"--kubeconfig", w.KubeconfigThrough(proxy, "late", w.rights)}, m.args...), args...)...)
	w.gang.UntilReady(w)
	return w
}

// An API server that has too much to do takes its time for each write: the gang comes all the same, and nothing is
// written twice.
func TestAGangComesThroughAnAPIServerThatIsSlow(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 4
	m := gatesAndMembers
	w := m.newLateWorld(t, 4*time.Second, "--gang.scheduler-lease", "none")
	w.slots("n", 1, size)
	w.Pods(contender("contender"))
	w.StartScheduler(w.world.Config(map[string]string{"gang": w.gang.URL}, m.config...))
	began := time.Now()
	w.Pods(w.gangOf("train", size)...)
	t.Logf("whole after %.2f s", w.untilBoundOf("train-", size, began).Seconds())
	for name, result := range map[string]string{"outrigger_gang_nominations_total": "written",
		"outrigger_gang_releases_total": "released"} {
		if failed := w.gang.Metric(t, name, `result="failed"`); failed != 0 {
			t.Errorf("%s: %v writes failed", name, failed)
		}
		w.gang.UntilMetricAbove(w, size-1, name, `result="`+result+`"`) // counted once answered
		if written := w.gang.Metric(t, name, `result="`+result+`"`); written != size {
			t.Errorf("%s: %v of %d are %s", name, written, size, result)
		}
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

// The Lease goes to another host in the middle of a gang's nominations, and in the middle of its release: once the
// agent has seen that, nothing more is written, and nothing is taken back; with the Lease it goes on.
func TestAnAgentThatLosesTheLeaseInTheMiddleWritesNothingMore(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 100
	const late = 500 * time.Millisecond
	w := gatesAndMembers.newLateWorld(t, late, "--gang.scheduler-lease", "kube-system/scheduler", "--gang.host-name", "host")
	w.slots("n", size/4, 4)
	w.Pods(contender("contender"))
	w.holdLease("host_1")
	done := map[string]func() int{
		"nomination": func() int { return len(w.nominatedOf("train-")) },
		"release":    w.released,
	}
	sprung := w.set("nomination", 3, func() { w.holdLease("other_2") })
	w.inParallel(8, w.gangOf("train", size))
	for i, kind := range []string{"nomination", "release"} {
		w.await(kind, sprung)
		w.untilNotInCharge(i + 1)
		before, after := -1, done[kind]()
		for tries := 0; after != before && tries < 10; tries++ { // what is under way ends, after half a second or later
			before = after
			time.Sleep(3 * time.Second) // long enough for all others
			after = done[kind]()
		}
		nominated := len(w.nominatedOf("train-"))
		t.Logf("%s: %d of %d when the Lease is lost", kind, before, size)
		if before == 0 || before == size || after != before {
			t.Errorf("%s: %d of %d when the Lease is lost, and then %d", kind, before, size, after)
		}
		if kind == "release" && nominated != size {
			t.Errorf("%d of %d are still nominated", nominated, size)
		}
		if kind == "nomination" {
			sprung = w.set("release", 3, func() { w.holdLease("other_4") })
		}
		w.holdLease([]string{"host_3", "host_5"}[i])
	}
	for deadline := time.Now().Add(scheduling.Patience); done["release"]() < size; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d are released in the end", done["release"](), size)
		}
	}
}
