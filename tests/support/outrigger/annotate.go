package outrigger

import (
	"path/filepath"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
)

// Annotate starts `outrigger annotate <what>` with more arguments and waits until its admin port is served;
// UntilReady waits until it knows the cluster. Its log is <logDir>/<name>.log. It has no URL. It is killed at the
// test's end, and the test fails if it ended on its own before.
func Annotate(t testing.TB, name, logDir, what string, args ...string) *Server {
	t.Helper()
	s := &Server{scheme: "http", adminOnly: true, portFile: filepath.Join(t.TempDir(), name+"-ports.json")}
	s.spec = process.Spec{Name: name, Path: Binary(t), LogDir: logDir, Args: append([]string{
		"annotate", what, "--log-level", "debug", "--port-file", s.portFile,
	}, args...)}
	if err := s.start(0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.process.ExitError(); err != nil && !s.stopped {
			t.Errorf("the annotator did not live to the end of the test: %v", err)
		}
		s.process.Kill()
	})
	return s
}
