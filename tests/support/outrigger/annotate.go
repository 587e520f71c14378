package outrigger

import (
	"path/filepath"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
)

// Annotate starts `outrigger annotate <kind>` with more arguments. Its log is <logDir>/<name>.log. It is killed
// at the test's end, and the test fails if it ended on its own before.
func Annotate(t testing.TB, name, logDir, kind string, args ...string) *Server {
	t.Helper()
	s := newAnnotator(Binary(t), t.TempDir(), name, logDir, kind, append([]string{"--log-level", "debug"}, args...))
	s.forTest(t, 0)
	return s
}

// StartAnnotate is Annotate outside tests: the caller names the program and stops it.
func StartAnnotate(binary, dir, kind string, args ...string) (*Server, error) {
	s := newAnnotator(binary, dir, "annotate-"+kind, dir, kind, args)
	return s, s.start(0, 0)
}

func newAnnotator(binary, dir, name, logDir, kind string, args []string) *Server {
	s := &Server{adminOnly: true, portFile: filepath.Join(dir, name+"-ports.json")}
	s.spec = process.Spec{Name: name, Path: binary, LogDir: logDir,
		Args: append([]string{"annotate", kind, "--port-file", s.portFile}, args...)}
	return s
}
