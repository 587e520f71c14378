package penalty

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// Of two replicas the one that leads stops in the middle of a replacement, with a call on its way: the other one takes
// the Lease and ends the replacement, and the call that arrives then changes nothing.
func TestALateCallOfADeposedReplicaChangesNothing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	for name, call := range map[string]faults.Match{"delete": penalty.Deletes("gold"), "create": penalty.Creates,
		"account": func(r *http.Request) bool { return r.Method == http.MethodPut && penalty.IsWrite(r) },
		"intent":  func(r *http.Request) bool { return r.Method == http.MethodPost && penalty.IsWrite(r) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			gold := class("gold", 1000)
			w.create(gold)
			proxy := w.FaultyServer()
			short := settings{"lease-seconds": fmt.Sprint(leaseTime)}
			w.serveThrough(proxy, short)
			w.run("gold", "job-0")
			w.untilSound(gold, 990)
			first, second := w.agent, w.replica("second", proxy, short)

			let := make(chan struct{})
			held := proxy.Inject(faults.Rule{Match: call, Hold: let, Times: 1})
			w.run("gold", "job-1")
			w.eventually(func(context.Context) error {
				if held.Hits() == 0 {
					return fmt.Errorf("the %s is not sent", name)
				}
				return nil
			})
			// A busy machine may have cost the first one its Lease.
			if second.Metric(t, "outrigger_penalty_leading") != 0 {
				first, second = second, first
			}
			w.Must(syscall.Kill(first.Pid(), syscall.SIGSTOP))
			began := time.Now()
			w.untilLeads(second)
			w.agent = second
			w.untilSound(gold, 980)
			w.Within(2*leaseTime*time.Second, "the other one has ended it", time.Since(began))
			is := w.class("gold")

			close(let) // the call reaches the API server, whose answer waits for the one that stands still
			time.Sleep(300 * time.Millisecond)
			w.Must(syscall.Kill(first.Pid(), syscall.SIGCONT))
			w.eventually(func(context.Context) error {
				if first.Metric(t, "outrigger_penalty_leading") != 0 {
					return fmt.Errorf("the first one still leads")
				}
				return nil
			})
			if now := w.class("gold"); now == nil || now.UID != is.UID || now.ResourceVersion != is.ResourceVersion {
				t.Errorf("the late %s has changed %+v to %+v", name, is, now)
			}
			w.untilCounted("gold", 2, 0)
			w.run("gold", "job-2")
			w.untilSound(gold, 970)
			w.untilCounted("gold", 3, 0)
		})
	}
}

// A leader that ends as asked gives the Lease back: the other one goes on at once.
func TestALeaderThatEndsHandsOver(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	short := settings{"lease-seconds": fmt.Sprint(leaseTime)}
	w.serve(short)
	second := w.replica("second", nil, short)
	w.run("gold", "job-1")
	w.untilSound(gold, 990)
	w.Must(w.agent.Stop(scheduling.Patience))
	w.run("gold", "job-2")
	began := time.Now()
	w.agent = second
	w.untilSound(gold, 980)
	w.untilCounted("gold", 2, 0)
	w.Within(2*time.Second, "the other one leads and has acted", time.Since(began))
}
