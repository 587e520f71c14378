// Package apiserver tests `outrigger lab apiserver` with the clients that it is made for: kubectl, client-go and the
// real kube-scheduler, next to the real kube-apiserver.
package apiserver

import (
	"context"
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// startLab starts the lab's API server for a test.
func startLab(t *testing.T, args ...string) *cluster.Cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "outrigger-lab-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
	defer cancel()
	c, err := cluster.StartLab(ctx, dir, outrigger.Binary(t), cluster.Options{}, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Stop()
		if t.Failed() {
			t.Logf("logs are kept in %s", dir)
			return
		}
		_ = os.RemoveAll(dir)
	})
	return c
}
