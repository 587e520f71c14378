package gang

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
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
	scheduling.Long(t)
	t.Parallel()
	rounds, seed := numberOf(t, roundsEnv, 2), numberOf(t, seedEnv, 1)
	outcomes := make([]outcome, rounds)
	began := time.Now()
	t.Cleanup(func() {
		var sum outcome
		deaths := map[string]int{}
		for _, of := range outcomes {
			for _, step := range of.deaths {
				deaths[step]++
			}
			sum.whole, sum.nothing, sum.healed, sum.anew =
				sum.whole+of.whole, sum.nothing+of.nothing, sum.healed+of.healed, sum.anew+of.anew
		}
		t.Logf("%d rounds in %.0f s: deaths: %v; %d gangs whole, %d held nothing, %d healed after members were lost; "+
			"%d pods were made anew", rounds, time.Since(began).Seconds(), deaths, sum.whole, sum.nothing, sum.healed, sum.anew)
	})
	for i := range rounds {
		t.Run(fmt.Sprintf("seed-%d", seed+i), func(t *testing.T) {
			// Each has a control plane of its own: who follows a server that died waits the longer the
			// more often it did, and a round is to begin the same whether it runs alone or not.
			t.Parallel()
			r := newRound(int64(seed + i))
			w := newRoundWorld(t, r)
			w.outcome = &outcomes[i]
			w.run(r)
		})
	}
}

// outcome is what rounds came to.
type outcome struct {
	deaths                       []string // at which steps
	whole, nothing, healed, anew int      // the last are pods
}

func (w *roundWorld) run(r *round) {
	w.Helper()
	w.Logf("%s", r)
	began := time.Now()
	var release func()
	for i, death := range r.deaths {
		sprung := w.arm(death)
		if i == 0 {
			release = w.keep(r.pods())
		}
		settled := w.settlesBefore(r, sprung)
		w.disarm()
		// It may have sprung in between.
		if !settled || isClosed(sprung) {
			w.revive(death)
		} else if i == 0 && death.isSure() {
			w.Errorf("%s: it does not come to this: %s", r, death)
		}
	}
	w.untilSettled(r)
	release()
	w.Logf("settled after %.2f s; %d pods were made anew", time.Since(began).Seconds(), w.anew)
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

// settlesBefore tells whether the round is settled before the trap springs.
func (w *roundWorld) settlesBefore(r *round, sprung <-chan struct{}) bool {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	settled := make(chan error, 1)
	go func() { settled <- w.Tracker.Until(ctx, func() bool { return r.unsettled(w.Tracker.Pods()) == "" }) }()
	select {
	case <-sprung:
		return false
	case err := <-settled:
		if err != nil {
			w.Fatalf("%s: %s", r, r.unsettled(w.Tracker.Pods()))
		}
		return true
	}
}

// untilSettled waits until the round is settled and stays so for a moment: a gang whose last members have come late may
// be about to be evicted.
func (w *roundWorld) untilSettled(r *round) {
	w.Helper()
	w.settlesBefore(r, nil)
	for tries := 0; tries < 20; tries++ {
		time.Sleep(300 * time.Millisecond)
		if r.unsettled(w.Tracker.Pods()) == "" {
			break
		}
		w.settlesBefore(r, nil)
	}
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
	if why := r.unsettled(w.Tracker.Pods()); why != "" {
		w.Errorf("%s: it had settled, but now %s", r, why)
	}
	w.CheckSettled()
}

// loseMembers takes one member more from a gang than it can do without. It is reported, or what is left runs on, or
// is evicted, too, and it is whole again once its controller has made anew who is gone.
func (w *roundWorld) loseMembers(r *round) {
	w.Helper()
	gang := r.gangs[0]
	if len(r.pods()) > roundSlots {
		return // somebody else takes the place
	}
	lost := gang.members(r.mode)[:gang.size-gang.minimum+1]
	for _, member := range lost {
		w.deletePods(member.Pod().Name)
		w.untilGone(member.Pod().Name)
	}
	if gang.onLoss != "ignore" {
		w.UntilEventWith("GangPartial", fmt.Sprintf("gang default/%s is bound in part: %d of %d members run",
			gang.name, gang.minimum-1, gang.minimum))
	}
	if gang.onLoss == "restart" {
		w.untilGone(gang.name + "-")
		lost = gang.members(r.mode)
	}
	w.createAll(lost)
	w.untilSettled(r)
	w.check(r)
	w.healed++
}
