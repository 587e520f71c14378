package outrigger

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Run runs the program with arguments to its end and returns its stdout; the test fails, with its
// stderr, unless the exit code is 0.
func Run(t testing.TB, args ...string) []byte {
	t.Helper()
	command := exec.Command(Binary(t), args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("outrigger %v: %v: %s", args, err, stderr.Bytes())
	}
	return stdout.Bytes()
}

// SchedulerConfig returns what `outrigger scheduler-config` prints. base, unless it is empty, is
// merged in (--in).
func SchedulerConfig(t testing.TB, base []byte, args ...string) []byte {
	t.Helper()
	args = append([]string{"scheduler-config"}, args...)
	if len(base) > 0 {
		path := filepath.Join(t.TempDir(), "base.yaml")
		if err := os.WriteFile(path, base, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--in", path)
	}
	return Run(t, args...)
}
