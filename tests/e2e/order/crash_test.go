package order

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
}

// startReplica starts an agent and a scheduler of a host of their own.
func (w *world) startReplica(host, kubeconfig string) *replica {
	w.Helper()
	r := &replica{host: host}
	r.agent = outrigger.ServeAt(w, 0, "qos-"+host, w.Cluster.LogDir(), "qos",
		"--kubeconfig", kubeconfig, "--qos.host-name", host)
	config := strings.Replace(string(w.configOf(w.observer.Before(w, r.agent.URL))), "leaderElect: false",
		"leaderElect: true\n  leaseDuration: 8s\n  renewDeadline: 6s\n  retryPeriod: 500ms", 1)
	path := filepath.Join(w.Cluster.Dir, host+".yaml")
	w.Must(os.WriteFile(path, []byte(config), 0o600))
	var err error
	r.scheduler, err = process.Start(process.Spec{
		Name: "kube-scheduler-" + host, Path: "unshare", LogDir: w.Cluster.LogDir(),
		Args: []string{"--uts", "sh", "-c", "hostname \"$0\" && exec \"$@\"", host,
			w.Cluster.Binary("kube-scheduler"), "--config=" + path, "--secure-port=0", "-v=2"},
	})
	w.Must(err)
	w.Cleanup(r.scheduler.Kill)
	return r
}

// untilLeads waits until the replica's scheduler holds the Lease.
func (w *world) untilLeads(r *replica) {
	w.Helper()
	for deadline := time.Now().Add(scheduling.Patience); ; time.Sleep(20 * time.Millisecond) {
		lease, err := w.Client.CoordinationV1().Leases("kube-system").Get(w.Ctx, "kube-scheduler", metav1.GetOptions{})
		if err == nil && lease.Spec.HolderIdentity != nil &&
			strings.HasPrefix(*lease.Spec.HolderIdentity, r.host+"_") {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("%s does not get the Lease", r.host)
		}
	}
}

// Q4: the agent is killed in the middle of Q1, and comes again.
func TestTheOrderIsKeptWhenTheAgentIsKilled(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	d := drain{pods: queued(t) / 2, seed: 3}
	w := newWorld(t, d.nodes())
	w.serveQos()
	d.middle = func() {
		w.agent.Kill()
		time.Sleep(50 * time.Millisecond)
		w.agent.Restart(t)
	}
	d.run(w)
	w.inOrder("Q4, the agent is killed")
}

// Q4: the leader, scheduler and agent at once, is killed in the middle of Q1; another one goes on.
func TestTheOrderIsKeptWhenTheLeaderChanges(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	d := drain{pods: queued(t) / 2, seed: 4}
	w := newWorld(t, d.nodes())
	kubeconfig := w.AgentKubeconfig("qos")
	leads := w.startReplica("host-a", kubeconfig)
	w.untilLeads(leads)
	waits := w.startReplica("host-b", kubeconfig)
	d.middle = func() {
		leads.scheduler.Kill()
		leads.agent.Kill()
	}
	d.run(w)
	w.untilLeads(waits)
	w.inOrder("Q4, the leader changes")
}
