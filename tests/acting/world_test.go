// Package acting tests the leases and events of src/kube on a real API server: the program that
// OUTRIGGER_KUBE_ACTOR names stands for election beside client-go's candidates, through faults, and
// records events that client-go reads.
//
// The program is required: without it every test fails.
package acting

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/actor"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	base "outrigger.dev/outrigger/tests/support/world"
)

// patience is how long anything may take that has no time of its own.
const patience = process.Patience

// world is a control plane, and an account with the rights to its leases and events, no more.
type world struct {
	base.World
	config *rest.Config // of the account
	binary string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	binary := actor.Binary(t)
	w := &world{World: base.New(t, 20*time.Minute), binary: binary}
	w.config = w.account("actor",
		rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}},
		rbacv1.PolicyRule{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}})
	return w
}

// account makes a service account that may do what rules say, and nothing else, and waits until the API server has heard
// of that: before, it refuses everything.
func (w *world) account(name string, rules ...rbacv1.PolicyRule) *rest.Config {
	w.Helper()
	config, err := w.Cluster.ConfigWithRules(w.Ctx, name, rules...)
	w.Must(err)
	client, err := kube.NewClient(config)
	w.Must(err)
	resource, subresource, _ := strings.Cut(rules[0].Resources[0], "/")
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Group: rules[0].APIGroups[0], Resource: resource,
			Subresource: subresource, Verb: rules[0].Verbs[0]}}}
	w.eventually(patience, func(ctx context.Context) error {
		answer, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = fmt.Errorf("%s still may not %s %s", name, rules[0].Verbs[0], rules[0].Resources[0])
		}
		return err
	})
	return config
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
