package acting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/actor"
)

// brief are times at which one can wait for a lease to expire. A busy machine may keep a holder back for seconds before it
// loses its lease, and for one before another one leads beside it.
var brief = actor.Terms{LeaseDuration: 5 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: 200 * time.Millisecond}

// haste is how much before the end of a lease client-go may take it: it compares renewTimes in whole
// seconds, and so does not see each renewal.
const haste = time.Second

func TestLeases(t *testing.T) {
	w := newWorld(t)
	for _, pair := range handovers() {
		w.scene("handed over "+pair.name, func(w *world) { handedOver(w, pair) })
	}
	w.scene("in turn", inTurn)
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

// long are times at which no lease expires during a test: only a leader that resigns frees it.
var long = actor.Terms{LeaseDuration: 60 * time.Second, RenewDeadline: 40 * time.Second, RetryPeriod: 200 * time.Millisecond}

// handover is a leader that resigns, and the only candidate that can follow it.
type handover struct {
	name         string
	first, after func(c *contest, name string) candidate
}

func handovers() []handover {
	bySignal := func(c *contest, name string) candidate {
		o := c.ours(name, c.config)
		o.bySignal = true
		return o
	}
	quits := func(c *contest, name string) candidate { return c.ours(name, c.config) }
	theirs := func(c *contest, name string) candidate { return c.theirs(name, c.config) }
	return []handover{
		{"by signal, ours follows", bySignal, quits},
		{"by signal, client-go follows", bySignal, theirs},
		{"ours follows", quits, bySignal},
		{"client-go follows", quits, theirs},
		{"of client-go, ours follows", theirs, quits},
	}
}

// handedOver has a leader resign while one candidate waits: that one takes over.
func handedOver(w *world, pair handover) {
	c := w.contest(w.leaseName(), long)
	first := pair.first(c, "first")
	leader, lease := c.follow(patience, first)
	after := pair.after(c, "after")
	c.knows(leader, after)
	c.handOver(leader, lease, after)
	c.neverTwo()
}

// inTurn has two of ours and one of client-go lead in turn: each resigns and stands again. Which of two
// candidates takes over is not determined.
func inTurn(w *world) {
	c := w.contest(w.leaseName(), long)
	stand := func(seat, round int) candidate {
		name := fmt.Sprintf("seat%d-%d", seat, round)
		if seat == 2 {
			return c.theirs(name, w.config)
		}
		o := c.ours(name, w.config)
		o.bySignal = round%2 == 0
		return o
	}
	seats := []candidate{stand(0, 0), stand(1, 0), stand(2, 0)}
	leader, lease := c.follow(patience, seats...)
	for round := 1; round <= 6; round++ {
		seat := slices.Index(seats, leader)
		others := slices.Delete(slices.Clone(seats), seat, seat+1)
		leader, lease = c.handOver(leader, lease, others...)
		seats[seat] = stand(seat, round)
	}
	c.neverTwo()
}

// handOver has the leader resign, and returns the one of the others that follows it and the Lease. It
// fails the test unless the lease, which is far from its end, changes hands once and at once.
func (c *contest) handOver(leader candidate, before *coordinationv1.Lease, others ...candidate) (candidate, *coordinationv1.Lease) {
	c.Helper()
	began := time.Now()
	c.Must(leader.resign())
	next, lease := c.follow(patience, others...)
	if took := time.Since(began); took > c.terms.RenewDeadline {
		c.Errorf("%s led %v after %s had resigned: it waited for the lease's end", next.name(), took, leader.name())
	}
	if got, want := *lease.Spec.LeaseTransitions, *before.Spec.LeaseTransitions+1; got != want {
		c.Errorf("%s followed %s: leaseTransitions are %d, not %d", next.name(), leader.name(), got, want)
	}
	if age := time.Since(lease.Spec.RenewTime.Time); age < -time.Second || age > c.terms.RenewDeadline {
		c.Errorf("renewTime is %v ago", age)
	}
	return next, lease
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
	c := w.contest(w.leaseName(), brief)
	holder := c.ours("first", w.config, "--clock-off-s", fmt.Sprint(int(off.Seconds())))
	_, first := c.follow(patience, holder)
	follower := next(c)
	c.knows(holder, follower)
	c.outlast(first)
	holder.Kill()
	last := c.read()
	_, taken := c.follow(patience, follower)
	waited := taken.Spec.AcquireTime.Add(-nextOff).Sub(last.Spec.RenewTime.Add(-off))
	least := brief.LeaseDuration
	if _, is := follower.(*theirs); is {
		least -= haste
	}
	if waited < least {
		w.Errorf("taken %v after it was renewed last, with a duration of %v", waited, brief.LeaseDuration)
	}
	if got := *taken.Spec.LeaseTransitions; got != 1 {
		w.Errorf("leaseTransitions are %d, not 1", got)
	}
	c.neverTwo()
}

// leaseName makes a valid name of a Lease of the scene's name.
func (w *world) leaseName() string {
	scene := w.Name()[strings.LastIndex(w.Name(), "/")+1:]
	return strings.NewReplacer("_", "-", ",", "").Replace(scene)
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
