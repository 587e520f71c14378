package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// LogsEnv names the environment variable with the folder below which clusters keep their files;
// the system's temporary folder by default. The files of a failed test stay, but etcd's data.
const LogsEnv = "OUTRIGGER_E2E_LOGS"

// ForTest starts a cluster that lives as long as the test.
func ForTest(t testing.TB) *Cluster {
	t.Helper()
	return ForTestWith(t, Options{})
}

// ForTestWith is ForTest with options.
func ForTestWith(t testing.TB, options Options) *Cluster {
	t.Helper()
	dir := folderFor(t)
	t.Cleanup(func() {
		if t.Failed() {
			keepLogs(t, dir)
			return
		}
		_ = os.RemoveAll(dir)
	})
	c := startIn(t, dir, options)
	t.Cleanup(c.Stop)
	return c
}

// keepLogs leaves the folder of a test that failed, without etcd's data, which would take 124 MB of each.
func keepLogs(t testing.TB, dir string) {
	t.Helper()
	t.Logf("logs are kept in %s", dir)
	data, _ := filepath.Glob(filepath.Join(dir, "etcd*")) // the pattern is no wrong one
	for _, of := range data {
		_ = os.RemoveAll(of)
	}
}

// folderFor makes the folder of a test's cluster.
func folderFor(t testing.TB) string {
	t.Helper()
	parent := os.Getenv(LogsEnv)
	if parent != "" {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp(parent, "outrigger-"+strings.ReplaceAll(t.Name(), "/", "-")+"-")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func startIn(t testing.TB, dir string, options Options) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("control plane ready after %.1f s", c.ReadyAfter.Seconds())
	return c
}

// MustStartScheduler is StartScheduler for a test: the scheduler is killed at the test's end, and
// the test fails if it ended on its own before.
func (c *Cluster) MustStartScheduler(t testing.TB, name string, config []byte, args ...string) *process.Process {
	t.Helper()
	scheduler, err := c.StartScheduler(name, config, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := scheduler.ExitError(); err != nil {
			t.Errorf("the scheduler did not live to the end of the test: %v", err)
		}
		scheduler.Kill()
	})
	return scheduler
}

// MustTrackPods starts a tracker that lives as long as the test.
func (c *Cluster) MustTrackPods(t testing.TB) *kube.Tracker {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	tracker, err := kube.TrackPods(ctx, c.Client)
	if err != nil {
		t.Fatal(err)
	}
	return tracker
}
