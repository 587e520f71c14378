package penalty

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// killedEnv is how many rounds more the agent is killed in, at random writes.
const killedEnv = "OUTRIGGER_PENALTY_KILLED"

var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// killedWorld is a world in which any write of the agent may be its last.
type killedWorld struct {
	*world
	writes *penalty.Writes
	was    *schedulingv1.PriorityClass // as the user made it
	round  int32                       // each costs 10
}

func newKilledWorld(t *testing.T) *killedWorld {
	t.Helper()
	w := &killedWorld{world: newWorld(t), was: class("gold", 100_000)}
	w.create(w.was)
	proxy := w.FaultyServer()
	w.writes = penalty.WatchWrites(proxy)
	w.serveThrough(proxy, nil)
	w.start()
	w.settled()
	return w
}

// start begins the next round: a PodGroup starts.
func (w *killedWorld) start() {
	w.Helper()
	w.round++
	w.run("gold", fmt.Sprintf("job-%03d", w.round))
}

func (w *killedWorld) value() int32 { return w.was.Value - 10*w.round }

// settled waits until the round's replacement is done and has been counted once.
func (w *killedWorld) settled() {
	w.Helper()
	w.untilCounted("gold", int64(w.round), 0)
	w.untilSound(w.was, w.value())
	w.untilMarked(groupOf("gold", fmt.Sprintf("job-%03d", w.round)), "1 started")
}

// killedAt runs a round in which the agent is killed before or after the n-th write that matches, and tells whether it
// came to that, and at which.
func (w *killedWorld) killedAt(match func(penalty.Write) bool, n int, after bool) (died bool, at string) {
	w.Helper()
	ended := w.writes.EndAtMatch(match, n, after, w.agent.Kill)
	w.start()
	if !w.dies(ended) {
		w.settled()
		return false, ""
	}
	at = w.writes.Ending()
	w.checkNotLost()
	w.writes.Open()
	w.agentBack()
	w.settled()
	return true, at
}

// dies waits until the agent has ended at a write, and tells whether it has: not if the round is over without that write.
// Else everything gets through again.
func (w *killedWorld) dies(ended <-chan struct{}) bool {
	w.Helper()
	for began, wait := time.Now(), 3*time.Second; time.Since(began) < scheduling.Patience; wait = time.Second {
		select {
		case <-ended:
			return true
		case <-time.After(wait):
		}
		if w.isOver() {
			break
		}
	}
	w.writes.Open()
	select {
	case <-ended: // just before that
		return true
	default:
		return false
	}
}

// isOver tells whether the round is counted and its replacement done.
func (w *killedWorld) isOver() bool {
	w.Helper()
	row, err := w.row(w.agent, "gold")
	is := w.class("gold")
	return err == nil && row.Starts == int64(w.round) && is != nil && is.Value == w.value() && len(w.intents()) == 0
}

func anyWrite(penalty.Write) bool { return true }

// step is what a write does, whichever PodGroup it is about.
func step(write penalty.Write) string {
	text := write.String()
	if method, _, of := strings.Cut(text, " podgroups/"); of {
		return method + " podgroups"
	}
	return text
}

// checkNotLost fails the test if, with nobody at work, the class is neither there nor in the journal.
func (w *killedWorld) checkNotLost() {
	w.Helper()
	is, open := w.class("gold"), w.intents()
	if is == nil && len(open) == 0 {
		w.Fatal("the class is gone, and the journal knows nothing of it")
	}
	if is != nil {
		if is.Value != w.value() && is.Value != w.value()+10 {
			w.Errorf("the class has %d, want %d or %d", is.Value, w.value(), w.value()+10)
		}
		w.checkCarried(is, w.was)
	}
}

// The agent is killed before and after each write of a replacement, and comes again: the class is there with the value
// that it should have, and everything is counted once.
func TestNothingIsLostWhicheverWriteIsTheLast(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newKilledWorld(t)
	w.writes.Open()
	w.start()
	w.settled()
	usual := w.writes.Log()
	t.Logf("a start is %v", usual)
	// By what a write does and not by its number: one that was late in the round before would shift them all.
	deaths, seen := map[string]int{}, map[string]int{}
	for _, write := range usual {
		what := step(write)
		if seen[what]++; seen[what] > 3 { // a create is sent until the delete is done: how often is a matter of chance
			continue
		}
		same := func(other penalty.Write) bool { return step(other) == what }
		for _, after := range []bool{false, true} {
			began := time.Now()
			died, at := w.killedAt(same, seen[what], after)
			if died {
				deaths[what]++
			}
			t.Logf("%s, number %d, after its answer: %v: killed: %v at %s; settled after %.2f s", what, seen[what], after,
				died, at, time.Since(began).Seconds())
		}
	}
	for _, must := range []string{"DELETE priorityclasses/gold", "POST priorityclasses", "POST configmaps"} {
		if deaths[must] < 2 {
			t.Errorf("it died %d times at %s, want before and after its answer: %v", deaths[must], must, deaths)
		}
	}
}

func TestNothingIsLostInRoundsOfRandomDeaths(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	rounds := 10
	if text := os.Getenv(killedEnv); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil || rounds < 1 {
			t.Fatalf("%s=%s is not accepted: a number from 1 on", killedEnv, text)
		}
	}
	w := newKilledWorld(t)
	random := rand.New(rand.NewSource(1))
	deaths := 0
	for range rounds {
		// Up to the next start of the agent, and then once more while it recovers what it finds.
		if died, _ := w.killedAt(anyWrite, 1+random.Intn(10), random.Intn(2) == 0); died {
			deaths++
		}
		w.killedWhileItRecovers(random)
	}
	t.Logf("killed in %d of %d rounds", deaths, rounds)
	if deaths < rounds/2 {
		t.Errorf("it was killed in %d rounds of %d only", deaths, rounds)
	}
}

// killedWhileItRecovers kills the agent at a write of a replacement, and the next one at a write of its recovery.
func (w *killedWorld) killedWhileItRecovers(random *rand.Rand) {
	w.Helper()
	ended := w.writes.EndAt(3+random.Intn(6), random.Intn(2) == 0, w.agent.Kill)
	w.start()
	if !w.dies(ended) {
		w.settled()
		return
	}
	w.checkNotLost()
	w.writes.Open()
	ended = w.writes.EndAt(1+random.Intn(4), random.Intn(2) == 0, w.agent.Kill)
	w.removeLease()
	w.agent.Restart(w)
	if w.dies(ended) {
		w.checkNotLost()
		w.writes.Open()
		w.agentBack()
	}
	w.settled()
}
