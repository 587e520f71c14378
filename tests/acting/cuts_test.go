package acting

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/actor"
	"outrigger.dev/outrigger/tests/support/faults"
)

// patient are times with a pause between two tries that would end after the lease.
var patient = actor.Terms{LeaseDuration: 7 * time.Second, RenewDeadline: 6 * time.Second, RetryPeriod: 4 * time.Second}

// forever is longer than any scene.
const forever = 10 * time.Minute

func method(name string) faults.Match {
	return func(r *http.Request) bool { return r.Method == name }
}

// cutScenes are those of holders that are cut off from the server: they have stopped leading when
// another one begins.
func cutScenes(w *world) {
	for _, cut := range []struct {
		name  string
		terms actor.Terms
		cut   func(*faults.Proxy)
	}{
		{"refused", patient, func(p *faults.Proxy) { p.Refuse() }},
		{"without answers", brief, func(p *faults.Proxy) { p.Inject(faults.Rule{Delay: forever}) }},
		// Each call alone would be in time.
		{"with slow answers", brief, func(p *faults.Proxy) {
			p.Inject(faults.Rule{Match: method(http.MethodPut), Delay: forever})
			p.Inject(faults.Rule{Match: method(http.MethodGet), Delay: 1500 * time.Millisecond})
		}},
		{"by errors", brief, func(p *faults.Proxy) { p.Inject(faults.Rule{Answer: faults.Broken()}) }},
		{"by too many requests", brief, func(p *faults.Proxy) { p.Inject(faults.Rule{Answer: faults.TooMany(1)}) }},
	} {
		w.scene("cut off "+cut.name, func(w *world) { cutHolder(w, cut.terms, cut.cut) })
	}
	w.scene("answered late when it was won", wonLate)
}

func cutHolder(w *world, terms actor.Terms, cut func(*faults.Proxy)) {
	c := w.contest(strings.ReplaceAll(w.Name()[strings.LastIndex(w.Name(), "/")+1:], "_", "-"), terms)
	proxy, config := w.proxy(c.lease)
	holder := c.ours("cut", config)
	_, first := c.follow(patience, holder)
	c.terms.RetryPeriod = brief.RetryPeriod
	rivals := []candidate{c.ours("rival", w.config), c.theirs("reference", w.config)}
	c.knows(holder, rivals...)
	c.outlast(first)
	cut(proxy)
	next, _ := c.follow(patience, rivals...)
	if holder.leading() {
		w.Errorf("%s leads, and %s still believes that it does", next.name(), holder.name())
	}
	c.neverTwo()
	w.eventually(patience, func(context.Context) error {
		if warnings := strings.Join(holder.election().Warnings, "\n"); !strings.Contains(warnings, "was not renewed in time") {
			return fmt.Errorf("why it stopped leading is not said: %s", warnings)
		}
		return nil
	})
}

// wonLate has the answer to whom the lease was given come when most of the lease is over, and nothing
// after it.
func wonLate(w *world) {
	terms := actor.Terms{LeaseDuration: 4 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: brief.RetryPeriod}
	c := w.contest("won-late", terms)
	proxy, config := w.proxy(c.lease)
	late := 2800 * time.Millisecond
	proxy.Inject(faults.Rule{Match: method(http.MethodPost), Tamper: func() faults.Tamper {
		return func(s *faults.Stream, piece []byte) error {
			time.Sleep(late) // what the rule is
			late = 0
			return s.Send(piece)
		}
	}})
	proxy.Inject(faults.Rule{Match: method(http.MethodPut), Delay: forever})
	holder := c.ours("late", config)
	c.eventually(patience, func(ctx context.Context) error {
		_, err := w.Client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(ctx, c.lease, metav1.GetOptions{})
		return err
	})
	next, lease := c.follow(patience, c.ours("rival", w.config), c.theirs("reference", w.config))
	if got := *lease.Spec.LeaseTransitions; got != 1 {
		w.Errorf("leaseTransitions are %d, not 1", got)
	}
	if holder.leading() {
		w.Errorf("%s leads, and %s still believes that it does", next.name(), holder.name())
	}
	if terms := holder.election().Terms; terms > 1 {
		w.Errorf("led %d times", terms)
	}
	c.neverTwo()
}
