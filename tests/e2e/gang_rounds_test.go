package e2e

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

const (
	// roundsEnv is how many rounds are run; seedEnv is the seed of the first, each next one has one
	// more. One round alone: OUTRIGGER_ROUNDS=1 OUTRIGGER_SEED=17.
	roundsEnv, seedEnv = "OUTRIGGER_ROUNDS", "OUTRIGGER_SEED"

	roundNodes, slotsOfNode = 5, 4
	roundSlots              = roundNodes * slotsOfNode
)

// numberOf is a number of the environment.
func numberOf(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		t.Fatalf("%s=%s is not accepted: a number from 1 on", name, text)
	}
	return number
}

// W8, at random: gangs and singles of any number and size, of which agent, scheduler or API server die
// at any step. Once things settle every gang is whole or holds nothing, and nothing that fits waits.
func TestGangsSurviveSeededRounds(t *testing.T) {
	t.Parallel()
	rounds, seed := numberOf(t, roundsEnv, 2), numberOf(t, seedEnv, 1)
	outcomes := make([]outcome, rounds)
	began := time.Now()
	t.Cleanup(func() {
		var sum outcome
		for _, of := range outcomes {
			sum.deaths, sum.whole, sum.nothing, sum.healed =
				sum.deaths+of.deaths, sum.whole+of.whole, sum.nothing+of.nothing, sum.healed+of.healed
		}
		t.Logf("%d rounds in %.0f s: %d deaths; %d gangs whole, %d held nothing, %d healed after members were lost",
			rounds, time.Since(began).Seconds(), sum.deaths, sum.whole, sum.nothing, sum.healed)
	})
	for i := range rounds {
		t.Run(fmt.Sprintf("seed-%d", seed+i), func(t *testing.T) {
			// Each has a control plane of its own: who follows a server that died waits the longer the
			// more often it did, and a round is to begin the same whether it runs alone or not.
			t.Parallel()
			r := newRound(int64(seed + i))
			w := newRoundWorld(t, r.replicas)
			w.outcome = &outcomes[i]
			w.run(r)
		})
	}
}

// outcome is what rounds came to.
type outcome struct{ deaths, whole, nothing, healed int }

// roundWorld is where one round takes place.
type roundWorld struct {
	*trappedWorld
	*outcome
	replicas []*replica // none: one scheduler, which elects no leader
	dead     *replica   // one of which something has died
}

func newRoundWorld(t *testing.T, replicas bool) *roundWorld {
	t.Helper()
	args := []string{"--gang.partial-timeout", "1"}
	if !replicas {
		return &roundWorld{trappedWorld: newTrappedWorld(t, roundNodes, args...)}
	}
	w := &roundWorld{trappedWorld: &trappedWorld{gangWorld: &gangWorld{world: newWorld(t)}}}
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

func (w *roundWorld) run(r *round) {
	w.Helper()
	w.Logf("%s", r)
	began := time.Now()
	sprung := w.arm(r.deaths[0])
	created := make(chan struct{})
	go func() {
		defer close(created)
		w.createAll(r.pods())
	}()
	w.await(r.deaths[0].String(), sprung)
	w.revive(r.deaths[0])
	for _, death := range r.deaths[1:] {
		sprung := w.arm(death)
		settled := w.settlesBefore(r, sprung)
		w.disarm()
		// It may have sprung in between.
		if !settled || isClosed(sprung) {
			w.revive(death)
		}
	}
	w.untilSettled(r)
	<-created
	w.Logf("settled after %.2f s", time.Since(began).Seconds())
	w.check(r)
	for _, gang := range r.gangs {
		if w.bound(gang.name+"-") == 0 {
			w.nothing++
		} else {
			w.whole++
		}
	}
	if r.loses {
		w.loseMembers(r)
	}
}

func isClosed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

// arm makes what is to die do so.
func (w *roundWorld) arm(d death) <-chan struct{} {
	return w.set(d.step, d.at, func() {
		if d.victim == "server" {
			w.cluster.KillServer()
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
		w.must(w.cluster.StartServer(w.ctx))
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
	w.deaths++
}

// createAll creates pods as a controller does: until they are there.
func (w *roundWorld) createAll(pods []*kube.PodBuilder) {
	for _, builder := range pods {
		pod := builder.Pod()
		if err := kube.Eventually(w.ctx, patience, func(ctx context.Context) error {
			_, err := w.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
			return ignoreExists(err)
		}); err != nil {
			w.Errorf("create %s: %v", pod.Name, err)
		}
	}
}

// settlesBefore tells whether the round is settled before the trap springs.
func (w *roundWorld) settlesBefore(r *round, sprung <-chan struct{}) bool {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	settled := make(chan error, 1)
	go func() { settled <- w.tracker.Until(ctx, func() bool { return r.unsettled(w.tracker.Pods()) == "" }) }()
	select {
	case <-sprung:
		return false
	case err := <-settled:
		if err != nil {
			w.Fatalf("%s: %s", r, r.unsettled(w.tracker.Pods()))
		}
		return true
	}
}

func (w *roundWorld) untilSettled(r *round) {
	w.Helper()
	w.settlesBefore(r, nil)
	// Who holds nothing does not wait at a barrier either.
	if len(w.replicas) == 0 {
		w.untilWaiting(0)
	}
	for _, r := range w.replicas {
		(&gangWorld{world: w.world, gang: r.agent}).untilWaiting(0)
	}
}

// check fails the test if a round that has settled has not come to a good end.
func (w *roundWorld) check(r *round) {
	w.Helper()
	if why := r.unsettled(w.tracker.Pods()); why != "" {
		w.Errorf("%s: it had settled, but now %s", r, why)
	}
	onNode := map[string]int{}
	for _, pod := range w.tracker.Pods() {
		onNode[pod.Spec.NodeName]++
	}
	for node, pods := range onNode {
		if node != "" && pods > slotsOfNode {
			w.Errorf("%s: %d pods are on %s, which has %d slots", r, pods, node, slotsOfNode)
		}
	}
	w.nobodyBoundAgain()
}

// loseMembers takes one member more from a gang than it can do without: it is reported, and whole again
// once its controller has made them anew.
func (w *roundWorld) loseMembers(r *round) {
	w.Helper()
	gang := r.gangs[0]
	if len(r.pods()) > roundSlots {
		return // somebody else takes the place
	}
	lost := gang.members()[:gang.size-gang.minimum+1]
	for _, member := range lost {
		w.deletePods(member.Pod().Name)
	}
	w.untilEventWith("GangPartial", fmt.Sprintf("gang default/%s is bound in part: %d of %d members run",
		gang.name, gang.minimum-1, gang.minimum))
	w.createAll(lost)
	w.untilSettled(r)
	w.check(r)
	w.healed++
}

// untilEventWith waits until there is an event of that reason whose note has a text.
func (w *world) untilEventWith(reason, text string) {
	w.Helper()
	w.must(kube.Eventually(w.ctx, patience, func(ctx context.Context) error {
		var others []string
		events, err := w.client.EventsV1().Events("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == reason && strings.Contains(event.Note, text) {
				return nil
			}
			if event.Reason == reason {
				others = append(others, event.Note)
			}
		}
		return fmt.Errorf("no event %s with %q, but %q", reason, text, others)
	}))
}
