package acting

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/actor"
)

// brief are times at which one can wait for a lease to expire.
var brief = actor.Terms{LeaseDuration: 3 * time.Second, RenewDeadline: 1800 * time.Millisecond, RetryPeriod: 200 * time.Millisecond}

// haste is how much before the end of a lease client-go may take it: it compares renewTimes in whole
// seconds, and so does not see each renewal.
const haste = time.Second

// slack is what a busy machine may add to what has a time of its own.
const slack = 5 * time.Second

func TestLeases(t *testing.T) {
	w := newWorld(t)
	w.scene("handed over", handedOver)
	w.scene("given back by the last", givenBack)
	for _, killed := range []struct {
		name      string
		off       time.Duration // of the killed one's clock
		candidate func(*contest) candidate
		off2      time.Duration // of the candidate's clock
	}{
		{"killed, ours follows", 0, oursOff(0), 0},
		{"killed, client-go follows", 0, theirsTrue, 0},
		{"an hour slow, ours follows", -time.Hour, oursOff(0), 0},
		{"an hour slow, client-go follows", -time.Hour, theirsTrue, 0},
		{"an hour fast, ours follows", time.Hour, oursOff(0), 0},
		{"right, one an hour fast follows", 0, oursOff(time.Hour), time.Hour},
		{"right, one an hour slow follows", 0, oursOff(-time.Hour), -time.Hour},
	} {
		w.scene(killed.name, func(w *world) { killedHolder(w, killed.off, killed.candidate, killed.off2) })
	}
	cutScenes(w)
}

func oursOff(off time.Duration) func(*contest) candidate {
	return func(c *contest) candidate {
		return c.ours("next", c.config, "--clock-off-s", fmt.Sprint(int(off.Seconds())))
	}
}

func theirsTrue(c *contest) candidate { return c.theirs("next", c.config) }

// handedOver has two of ours and one of client-go lead in turn: whoever leads resigns, the next one
// takes over at once, though the lease is long, and whoever resigned stands again.
func handedOver(w *world) {
	c := w.contest("handed-over", actor.Terms{LeaseDuration: 60 * time.Second, RenewDeadline: 40 * time.Second, RetryPeriod: 200 * time.Millisecond})
	stand := func(seat, round int) candidate {
		name := fmt.Sprintf("seat%d-%d", seat, round)
		if seat == 2 {
			return c.theirs(name, w.config)
		}
		o := c.ours(name, w.config)
		o.bySignal = round%2 == 0
		return o
	}
	seats := []candidate{stand(0, 0), stand(1, 1), stand(2, 0)}
	leader, lease := c.follow(patience, seats...)
	seen := map[string]bool{} // who followed whom
	for round := 2; round < 60 && len(seen) < 5; round++ {
		seat := 0
		for seats[seat] != leader {
			seat++
		}
		before, began := lease, time.Now()
		w.Must(leader.resign())
		seats[seat] = nil
		var others []candidate
		for _, one := range seats {
			if one != nil {
				others = append(others, one)
			}
		}
		var next candidate
		next, lease = c.follow(patience, others...)
		if took := time.Since(began); took > 10*time.Second {
			w.Errorf("%s led %v after %s had resigned: not at once", next.name(), took, leader.name())
		}
		if got, want := *lease.Spec.LeaseTransitions, *before.Spec.LeaseTransitions+1; got != want {
			w.Errorf("%s followed %s: leaseTransitions are %d, not %d", next.name(), leader.name(), got, want)
		}
		if age := time.Since(lease.Spec.RenewTime.Time); age < -time.Second || age > 10*time.Second {
			w.Errorf("renewTime is %v ago", age)
		}
		if quitter, ok := leader.(*ours); ok {
			seen[fmt.Sprintf("ours quit (by signal: %v)", quitter.bySignal)] = true
		}
		seen[fmt.Sprintf("%T after %T", next, leader)] = true
		seats[seat] = stand(seat, round)
		leader = next
	}
	for _, want := range []string{"ours quit (by signal: true)", "ours quit (by signal: false)", "*acting.ours after *acting.ours", "*acting.theirs after *acting.ours", "*acting.ours after *acting.theirs"} {
		if !seen[want] {
			w.Errorf("never came: %s", want)
		}
	}
	c.neverTwo()
}

// givenBack has the only candidate resign: client-go reads a lease that nobody holds.
func givenBack(w *world) {
	for _, bySignal := range []bool{true, false} {
		c := w.contest(fmt.Sprintf("given-back-%v", bySignal), brief)
		only := c.ours("only", w.config)
		only.bySignal = bySignal
		_, lease := c.follow(patience, only)
		if *lease.Spec.LeaseTransitions != 0 {
			w.Errorf("a new lease has changed hands %d times", *lease.Spec.LeaseTransitions)
		}
		w.Must(only.resign())
		free := c.read()
		if free.Spec.HolderIdentity != nil && *free.Spec.HolderIdentity != "" {
			w.Errorf("held by %q after the end", *free.Spec.HolderIdentity)
		}
	}
}

// killedHolder has a leader die: it is followed after the lease's duration and not before, whatever
// the clocks say.
func killedHolder(w *world, off time.Duration, next func(*contest) candidate, nextOff time.Duration) {
	lease := strings.NewReplacer(" ", "-", ",", "").Replace(w.Name()[strings.LastIndex(w.Name(), "/")+1:])
	c := w.contest(strings.ReplaceAll(lease, "_", "-"), brief)
	holder := c.ours("first", w.config, "--clock-off-s", fmt.Sprint(int(off.Seconds())))
	_, first := c.follow(patience, holder)
	follower := next(c)
	c.knows(holder, follower)
	c.outlast(first)
	holder.Kill()
	last := c.read()
	_, taken := c.follow(brief.LeaseDuration+slack, follower)
	waited := taken.Spec.AcquireTime.Add(-nextOff).Sub(last.Spec.RenewTime.Add(-off))
	least := brief.LeaseDuration
	if _, is := follower.(*theirs); is {
		least -= haste
	}
	if waited < least || waited > brief.LeaseDuration+slack {
		w.Errorf("taken %v after it was renewed last, with a duration of %v", waited, brief.LeaseDuration)
	}
	if got := *taken.Spec.LeaseTransitions; got != 1 {
		w.Errorf("leaseTransitions are %d, not 1", got)
	}
	c.neverTwo()
}

// outlast waits until a lease has been renewed for longer than its duration: nobody took it.
func (c *contest) outlast(first *coordinationv1.Lease) {
	c.Helper()
	c.eventually(c.terms.LeaseDuration+patience, func(ctx context.Context) error {
		lease, err := c.Client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(ctx, c.lease, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if *lease.Spec.HolderIdentity != *first.Spec.HolderIdentity || *lease.Spec.LeaseTransitions != *first.Spec.LeaseTransitions {
			c.Fatalf("%s was taken from a holder that renews it: %+v", c.lease, lease.Spec)
		}
		if renewed := lease.Spec.RenewTime.Sub(first.Spec.RenewTime.Time); renewed < c.terms.LeaseDuration+c.terms.LeaseDuration/3 {
			return fmt.Errorf("%s was renewed for %v only", c.lease, renewed)
		}
		return nil
	})
}
