package acting

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/actor"
	"outrigger.dev/outrigger/tests/support/kube"
)

// candidate stands in a contest.
type candidate interface {
	name() string
	leading() bool
	leader() string // as it has seen
	overlaps() int
	resign() error
}

// contest is an election for one Lease. Whoever leads holds a file that only one can hold: that no
// two lead at once is judged by the kernel, not by any clock.
type contest struct {
	*world
	lease string
	stage string
	terms actor.Terms
	all   []candidate
}

func (w *world) contest(lease string, terms actor.Terms) *contest {
	w.Helper()
	c := &contest{world: w, lease: lease, stage: filepath.Join(w.Cluster.Dir, lease+".stage"), terms: terms}
	w.Must(os.WriteFile(c.stage, nil, 0o600))
	return c
}

// ours and theirs are the two kinds of candidates.
type ours struct {
	*actor.Actor
	contest  *contest
	bySignal bool // whether it resigns on SIGTERM
}

type theirs struct {
	*actor.Reference
	id string
}

func (c *contest) ours(name string, config *rest.Config, args ...string) *ours {
	c.Helper()
	args = append([]string{"--lease", "default/" + c.lease, "--identity", name, "--stage", c.stage,
		"--lease-duration-s", fmt.Sprint(int(c.terms.LeaseDuration.Seconds())),
		"--renew-deadline-ms", fmt.Sprint(c.terms.RenewDeadline.Milliseconds()),
		"--retry-period-ms", fmt.Sprint(c.terms.RetryPeriod.Milliseconds())}, args...)
	o := &ours{Actor: c.actor(c.lease+"-"+name, config, args...), contest: c}
	c.all = append(c.all, o)
	return o
}

func (c *contest) theirs(name string, config *rest.Config) *theirs {
	c.Helper()
	client, err := kube.NewClient(config)
	c.Must(err)
	reference, err := actor.StartReference(c.Ctx, client, metav1.NamespaceDefault, c.lease, name, c.stage, c.terms)
	c.Must(err)
	c.Cleanup(reference.Resign)
	t := &theirs{reference, name}
	c.all = append(c.all, t)
	return t
}

func (o *ours) name() string { return o.Spec.Name[len(o.contest.lease)+1:] }

func (o *ours) election() actor.Election {
	election, err := o.Election()
	if err != nil && o.Running() {
		o.contest.Errorf("%s: %v", o.name(), err)
	}
	return election
}

func (o *ours) leading() bool  { return o.election().Leading }
func (o *ours) leader() string { return o.election().Leader }
func (o *ours) overlaps() int  { return o.election().Overlaps }

// resign counts overlaps before they are lost.
func (o *ours) resign() error {
	if n := o.overlaps(); n > 0 {
		return fmt.Errorf("%s led %d times while another one did", o.name(), n)
	}
	if o.bySignal {
		_ = syscall.Kill(o.Pid(), syscall.SIGTERM) // it may have ended, which Wait tells
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return o.Wait(ctx)
	}
	return o.Quit()
}

func (t *theirs) name() string   { return t.id }
func (t *theirs) leading() bool  { return t.Leading() }
func (t *theirs) leader() string { return t.Leader() }
func (t *theirs) overlaps() int  { return t.Overlaps() }
func (t *theirs) resign() error  { t.Resign(); return nil }

// read returns the Lease as client-go reads it.
func (c *contest) read() *coordinationv1.Lease {
	c.Helper()
	lease, err := c.Client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(c.Ctx, c.lease, metav1.GetOptions{})
	c.Must(err)
	return lease
}

// follow waits until one of the candidates leads and the Lease says so, and returns it and the Lease.
func (c *contest) follow(limit time.Duration, among ...candidate) (candidate, *coordinationv1.Lease) {
	c.Helper()
	var leader candidate
	c.eventually(limit, func(context.Context) error {
		for _, one := range among {
			if one.leading() {
				leader = one
				return nil
			}
		}
		return fmt.Errorf("lease %s: nobody leads", c.lease)
	})
	lease := c.read()
	c.valid(lease, leader)
	return leader, lease
}

// knows waits until candidates have seen who leads.
func (c *contest) knows(leader candidate, candidates ...candidate) {
	c.Helper()
	c.eventually(patience, func(context.Context) error {
		for _, one := range candidates {
			if got := one.leader(); got != leader.name() {
				return fmt.Errorf("%s believes that %q leads, not %s", one.name(), got, leader.name())
			}
		}
		return nil
	})
}

// valid checks every field of a Lease that is held by leader.
func (c *contest) valid(lease *coordinationv1.Lease, leader candidate) {
	c.Helper()
	spec := lease.Spec
	if spec.HolderIdentity == nil || *spec.HolderIdentity != leader.name() {
		c.Fatalf("%s leads, but the lease says %+v", leader.name(), spec)
	}
	if spec.LeaseDurationSeconds == nil || *spec.LeaseDurationSeconds != int32(c.terms.LeaseDuration.Seconds()) ||
		spec.LeaseTransitions == nil || spec.AcquireTime == nil || spec.RenewTime == nil {
		c.Fatalf("%s: fields are missing or wrong: %+v", c.lease, spec)
	}
	if spec.RenewTime.Before(spec.AcquireTime) {
		c.Errorf("%s: renewed at %v, before it was acquired at %v", c.lease, spec.RenewTime, spec.AcquireTime)
	}
}

// neverTwo fails the test if two have ever led at once.
func (c *contest) neverTwo() {
	c.Helper()
	for _, one := range c.all {
		if o, ok := one.(*ours); ok && !o.Running() {
			continue // resign has looked
		}
		if n := one.overlaps(); n > 0 {
			c.Errorf("%s led %d times while another one did", one.name(), n)
		}
	}
}
