// Package acting tests the leases and events of src/kube on a real API server: the program that
// OUTRIGGER_KUBE_ACTOR names stands for election beside client-go's candidates, through faults, and
// records events that client-go reads.
//
// The program is required: without it every test fails.
package acting

import (
	"context"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/actor"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	base "outrigger.dev/outrigger/tests/support/world"
)

// patience is how long anything may take that has no time of its own.
const patience = 30 * time.Second

// world is a control plane, and an account with the rights to its leases and events, no more.
type world struct {
	base.World
	config *rest.Config // of the account
	binary string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	binary := actor.Binary(t)
	w := &world{World: base.New(t, 5*time.Minute), binary: binary}
	config, err := w.Cluster.ConfigWithRules(w.Ctx, "actor",
		rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}},
		rbacv1.PolicyRule{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}})
	w.Must(err)
	w.config = config
	return w
}

// scene runs play as a subtest, beside others.
func (w *world) scene(name string, play func(*world)) {
	w.Run(name, func(t *testing.T) {
		t.Parallel()
		inner := *w
		inner.T = t
		play(&inner)
	})
}

// eventually waits for a condition.
func (w *world) eventually(limit time.Duration, condition func(context.Context) error) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, limit, condition))
}

// proxy starts a proxy, and returns it with a configuration that leads through it.
func (w *world) proxy(name string) (*faults.Proxy, *rest.Config) {
	w.Helper()
	proxy := w.FaultyServer()
	return proxy, w.ConfigThrough(proxy, name, w.config)
}

// actor starts an actor with its own kubeconfig and log.
func (w *world) actor(name string, config *rest.Config, args ...string) *actor.Actor {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return actor.Start(w, process.Spec{Name: name, Path: w.binary, LogDir: w.Cluster.LogDir()}, kubeconfig, args...)
}
