package cluster

import (
	"context"
	"os"
	"sync"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
)

// shared is a cluster that tests have one after another.
type shared struct {
	*Cluster
	first start
}

// idle are those that no test has; nil: tests do not share.
var idle struct {
	mutex    sync.Mutex
	on       bool
	options  Options
	clusters []*shared
}

// Main is the body of a package's TestMain: the package's tests share clusters (SharedForTest). It
// returns the exit code.
func Main(m *testing.M) int { return MainWith(m, Options{}) }

// MainWith is Main with options for the clusters that are shared.
func MainWith(m *testing.M, options Options) int {
	idle.on, idle.options = true, options
	defer func() {
		for _, c := range idle.clusters {
			c.Stop()
			_ = os.RemoveAll(c.Dir)
		}
	}()
	return m.Run()
}

// SharedForTest is ForTest for tests that change nothing that kube-apiserver has from its start. No other
// test has the cluster at the same time; a later one gets it, without what this test has made there.
// After a test that failed, the cluster stops and its logs are kept. Without Main this is ForTest.
func SharedForTest(t testing.TB) *Cluster {
	t.Helper()
	if !idle.on || IsLab() {
		return ForTest(t)
	}
	c := takeIdle()
	if c == nil {
		c = startShared(t)
	} else {
		t.Logf("control plane of an earlier test in %s", c.Dir)
	}
	t.Cleanup(func() { giveBack(t, c) })
	return c.Cluster
}

func takeIdle() *shared {
	idle.mutex.Lock()
	defer idle.mutex.Unlock()
	last := len(idle.clusters) - 1
	if last < 0 {
		return nil
	}
	c := idle.clusters[last]
	idle.clusters = idle.clusters[:last]
	return c
}

func startShared(t testing.TB) *shared {
	t.Helper()
	c := startIn(t, folderFor(t), idle.options)
	ctx, cancel := context.WithTimeout(context.Background(), process.Patience)
	defer cancel()
	first, err := c.state(ctx)
	if err != nil {
		c.Stop()
		t.Fatal(err)
	}
	return &shared{c, first}
}

// giveBack makes the cluster idle if the test has passed and left it as it was.
func giveBack(t testing.TB, c *shared) {
	if t.Failed() {
		c.Stop()
		keepLogs(t, c.Dir)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), process.Patience)
	defer cancel()
	if err := c.reset(ctx, c.first); err != nil {
		t.Logf("the control plane is not shared any more: %v", err)
		c.Stop()
		_ = os.RemoveAll(c.Dir)
		return
	}
	idle.mutex.Lock()
	defer idle.mutex.Unlock()
	idle.clusters = append(idle.clusters, c)
}
