package gang

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const (
	aloneFile = "../../../deploy/controller.gang.yaml"
	aloneName = "outrigger-gang" // of all that the file has
)

// applyAlone installs a controller, as a file of deploy/ or as the program prints it, and the guard of the gate for its
// account, as users do.
func (w *world) applyAlone(name string, manifest []byte) {
	w.Helper()
	guard, err := os.ReadFile(deployed(guardPolicyFile))
	w.Must(err)
	guard = bytes.ReplaceAll(guard, []byte("kube-system:"+aloneName+`"`), []byte("kube-system:"+name+`"`))
	guardFile := filepath.Join(w.TempDir(), "guard.yaml")
	w.Must(os.WriteFile(guardFile, guard, 0o644))
	file := filepath.Join(w.TempDir(), "alone.yaml")
	w.Must(os.WriteFile(file, manifest, 0o644))
	_, err = w.Cluster.Kubectl(w.Ctx, "apply", "-f", file, "-f", guardFile)
	w.Must(err)
	w.Cleanup(func() { // the control plane is the next test's, too
		_, err := w.Cluster.Kubectl(w.Ctx, "delete", "--ignore-not-found", "-f", guardFile)
		w.Must(err)
		ranked := slot("ranked").Label("groupPriority", "1").Pod()
		w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
			_, err := w.Client.CoreV1().Pods("default").Create(ctx, ranked, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}))
	})
}

// startAlone runs a replica as the Deployment has it, with the settings of the ConfigMap and the rights of the account;
// only addresses and the kubeconfig differ.
func (w *world) startAlone(of, agents, name string) *outrigger.Server {
	w.Helper()
	d := scheduling.Deployed{Name: of}
	file, credentials := w.WriteSettings(d), w.Account(d)
	w.UntilGranted(credentials, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}})
	w.UntilGranted(credentials, rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
		Verbs: []string{"get"}, ResourceNames: []string{"outrigger-gang"}}, metav1.NamespaceSystem)
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, credentials)
	w.Must(err)
	replica := outrigger.ServeWithoutExtender(w, name, w.Cluster.LogDir(), agents, "--config", file, "--kubeconfig", kubeconfig)
	replica.UntilReady(w)
	return replica
}

// leaderOf returns the replica that holds the Lease first, once there is one.
func (w *world) leaderOf(a, b *outrigger.Server) (leads, waits *outrigger.Server) {
	w.Helper()
	for deadline := time.Now().Add(scheduling.Patience); ; time.Sleep(20 * time.Millisecond) {
		switch {
		case a.Metric(w, "outrigger_gang_leading") == 1:
			return a, b
		case b.Metric(w, "outrigger_gang_leading") == 1:
			return b, a
		case time.Now().After(deadline):
			w.Fatal("no replica leads")
		}
	}
}

// checkNothingRefused fails the test if a replica was refused anything by the API server.
func (w *world) checkNothingRefused(replicas ...*outrigger.Server) {
	w.Helper()
	for _, replica := range replicas {
		for line := range strings.Lines(inItsLog(w, replica)) {
			if strings.Contains(line, "forbidden") || strings.Contains(line, "cannot ") && strings.Contains(line, "resource") {
				w.Errorf("a right is missing: %s", line)
			}
		}
	}
}

// The file's roles have what the agent needs in this mode, and nothing else; what qos needs is among them.
func TestTheRolesWithoutAnExtenderHaveTheRightsOfTheAgent(t *testing.T) {
	t.Parallel()
	manifest, err := os.ReadFile(aloneFile)
	if err != nil {
		t.Fatal(err)
	}
	granted := scheduling.GrantsOf(t, manifest, aloneName+"-agents")
	of := func(agents string) []scheduling.Grant {
		printed := outrigger.Run(t, "agents", agents, "--rbac", "--mode", "alone", "--namespace", metav1.NamespaceSystem)
		return scheduling.GrantsOf(t, printed, "outrigger-"+strings.ReplaceAll(agents, ",", "-"))
	}
	scheduling.CheckGrants(t, granted, of("gang"))
	scheduling.CheckGrants(t, granted, of("gang,qos"))
	for _, grant := range granted {
		if grant.Resource == "pods/binding" || grant.Verb == "get" && grant.Resource == "leases" && !grant.Local {
			t.Errorf("%+v is of no use without an extender", grant)
		}
	}
}

// The file as it is, with a scheduler that has no extender: gangs of a template with the gate are whole, the replicas
// take turns, and nothing is refused.
func TestWithoutAnExtenderTheDeployedReplicasTakeTurns(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.slots("n", 4, 4)
	manifest, err := os.ReadFile(aloneFile)
	w.Must(err)
	w.applyAlone(aloneName, manifest)
	leads, waits := w.leaderOf(w.startAlone(aloneName, "gang", "replica-a"), w.startAlone(aloneName, "gang", "replica-b"))
	w.StartScheduler(w.SchedulerBase())
	gang := withoutExtender.gangOf

	w.inParallel(4, gang("first", 8))
	t.Logf("whole after %.2f s", w.untilBoundOf("first-", 8, time.Now()).Seconds())
	if _, ready := waits.Ask("/readyz"); ready != "ok" {
		t.Errorf("the replica that waits is not ready: %s", ready)
	}
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
		log := inItsLog(w, waits)
		if !strings.Contains(log, "not in charge: ") || !strings.Contains(log, "holds the Lease kube-system/outrigger-gang") {
			return errors.New("the replica that waits does not name the holder")
		}
		return nil
	}))
	for _, metric := range []string{"outrigger_gang_nominations_total", "outrigger_gang_releases_total"} {
		if written := waits.Metric(t, metric); written != 0 {
			t.Errorf("the replica that waits has written: %s %v", metric, written)
		}
	}

	leads.Kill()
	died := time.Now()
	w.inParallel(4, gang("second", 4))
	took := w.untilBoundOf("second-", 4, died)
	t.Logf("the leader is killed: the next gang is whole after %.2f s", took.Seconds())
	w.Within(2*scheduling.LeaseSeconds*time.Second, "the next gang is whole", took)

	leads.Restart(t)
	leads.UntilReady(t)
	w.Must(waits.Stop(scheduling.Patience))
	ended := time.Now()
	w.inParallel(4, gang("third", 4))
	took = w.untilBoundOf("third-", 4, ended)
	t.Logf("the leader ends: the next gang is whole after %.2f s", took.Seconds())
	w.Within(scheduling.LeaseSeconds*time.Second/2, "the next gang is whole", took)

	w.checkWhole(8, "first")
	w.checkWhole(4, "second", "third")
	w.checkNothingRefused(leads, waits)
	w.CheckBoundOnce(16)
	w.CheckSettled()
}

// With qos it keeps the order of single pods, too.
func TestWithoutAnExtenderTheDeployedQueueKeepsTheOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.slots("n", 1, 2)
	const name = "outrigger-gang-qos"
	w.applyAlone(name, outrigger.Run(t, "manifests", "gang", "qos", "--alone"))
	_, err := w.Cluster.Kubectl(w.Ctx, "label", "namespace", "default", "outrigger.dev/group-priority=allowed")
	w.Must(err)
	t.Cleanup(func() { // another test may get this control plane
		_, err := w.Cluster.Kubectl(context.Background(), "label", "namespace", "default", "outrigger.dev/group-priority-")
		w.Must(err)
	})
	w.Pods(slot("runs-0").Node("n000"), slot("runs-1").Node("n000"))
	replica := w.startAlone(name, "gang,qos", "replica")
	w.StartScheduler(w.SchedulerBase())
	for i, name := range []string{"late", "middle", "early"} {
		w.Pods(slot(name).Gate(queueGate).Label("groupPriority", []string{"1", "2", "3"}[i]))
	}
	w.inParallel(2, withoutExtender.gangOf("train", 2))
	replica.UntilMetricAbove(t, 3, "outrigger_qos_queue_length")
	order := func() (names []string) {
		for _, binding := range w.Tracker.Bindings() {
			if !strings.HasPrefix(binding.Name, "runs-") {
				names = append(names, strings.SplitN(binding.Name, "-", 2)[0])
			}
		}
		return names
	}
	for i, ends := range []string{"runs-0", "runs-1", "early"} {
		w.deletePods(ends)
		w.UntilBound(2 + i + 1)
	}
	w.deletePods("middle")
	w.deletePods("late")
	w.UntilBound(2 + 5)
	if want := []string{"early", "middle", "late", "train", "train"}; !slices.Equal(order(), want) {
		t.Errorf("bound are %v, want %v", order(), want)
	}
	w.checkNothingRefused(replica)
}

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
