package gang

import (
	"context"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// roundWorld is where one round takes place.
type roundWorld struct {
	*trappedWorld
	*outcome
	replicas []*replica // none: one scheduler, which elects no leader
	dead     *replica   // one of which something has died
}

func newRoundWorld(t *testing.T, r *round) *roundWorld {
	t.Helper()
	args := []string{"--gang.timeout", "10"}
	if !r.replicas {
		return &roundWorld{trappedWorld: r.mode.newTrappedWorld(t, roundNodes, args...)}
	}
	w := &roundWorld{trappedWorld: &trappedWorld{gangWorld: &gangWorld{world: newWorld(t), mode: r.mode}}}
	w.slots("n", roundNodes, slotsOfNode)
	for _, host := range []string{"host-a", "host-b"} {
		w.replicas = append(w.replicas, w.newReplica(host, args...))
	}
	for _, r := range w.replicas {
		w.trappedWorld.run(r)
	}
	return w
}

// leading is the replica that holds the Lease, or the first one while none does.
func (w *roundWorld) leading() *replica {
	for _, r := range w.replicas {
		if w.leads(r) {
			return r
		}
	}
	return w.replicas[0]
}

// arm makes what is to die do so.
func (w *roundWorld) arm(d death) <-chan struct{} {
	return w.set(d.step, d.at, func() {
		if d.victim == "server" {
			w.Cluster.KillServer()
			return
		}
		killAgent, scheduler := w.killAgent, w.scheduler
		if len(w.replicas) > 0 {
			w.dead = w.leading()
			killAgent, scheduler = w.dead.killAgent, w.dead.scheduler
		}
		if d.victim != "agent" {
			scheduler.Kill()
		}
		if d.victim != "scheduler" {
			killAgent()
		}
	})
}

// revive brings back what has died, after a while.
func (w *roundWorld) revive(d death) {
	w.Helper()
	time.Sleep(d.pause)
	switch {
	case d.victim == "server":
		w.Must(w.Cluster.StartServer(w.Ctx))
		// A scheduler that cannot renew its Lease exits, and a kubelet starts it again.
		for _, r := range w.replicas {
			r.scheduler.Kill()
			w.trappedWorld.run(r)
		}
	case len(w.replicas) > 0:
		if d.victim != "scheduler" {
			w.agentBackOf(w.dead)
		}
		if d.victim != "agent" {
			w.trappedWorld.run(w.dead)
		}
	case d.victim == "agent":
		w.agentBack()
	case d.victim == "scheduler":
		w.runScheduler()
	}
	w.deaths = append(w.deaths, d.step)
}

// keep creates pods as controllers do, until they are there, and whoever goes again, until it is told to stop.
func (w *roundWorld) keep(pods []*kube.PodBuilder) (stop func()) {
	ctx, cancel := context.WithCancel(w.Ctx)
	var stopped sync.WaitGroup
	stopped.Go(func() {
		w.createAll(pods)
		for {
			var gone []*kube.PodBuilder
			if w.Tracker.Until(ctx, func() bool { gone = w.notThere(pods); return len(gone) > 0 }) != nil {
				return
			}
			w.anew += w.createAll(gone)
		}
	})
	return func() {
		cancel()
		stopped.Wait()
	}
}

// notThere are those of the pods that are gone.
func (w *roundWorld) notThere(pods []*kube.PodBuilder) (gone []*kube.PodBuilder) {
	for _, builder := range pods {
		if pod := builder.Pod(); w.Tracker.Pod(pod.Namespace, pod.Name) == nil {
			gone = append(gone, builder)
		}
	}
	return gone
}

// createAll creates pods as a controller does: until they are there. It returns how many were not.
func (w *roundWorld) createAll(pods []*kube.PodBuilder) (created int) {
	for _, builder := range pods {
		pod := builder.Pod()
		if err := kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
			_, err := w.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			if err == nil {
				created++
			}
			return ignoreExists(err)
		}); err != nil {
			w.Errorf("create %s: %v", pod.Name, err)
		}
	}
	return created
}
