// Package world is what the tests on a real control plane begin with: e2e, acting and follow embed it.
package world

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/cluster"
)

// World is a control plane of one test, and the time that the test has.
type World struct {
	*testing.T
	Ctx     context.Context // ends with the test, or when its time is over
	Cluster *cluster.Cluster
	Client  kubernetes.Interface // an administrator's
}

// New gives a test that may take as long as limit a control plane; see cluster.SharedForTest.
func New(t *testing.T, limit time.Duration) World {
	t.Helper()
	return Of(t, cluster.SharedForTest(t), limit)
}

// Of makes the world around a cluster that was started in a special way.
func Of(t *testing.T, c *cluster.Cluster, limit time.Duration) World {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return World{T: t, Ctx: ctx, Cluster: c, Client: c.Client}
}

// Must fails the test at once if there is an error.
func (w *World) Must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}
