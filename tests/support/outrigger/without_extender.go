package outrigger

import (
	"path/filepath"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
)

// ServeWithoutExtender is Serve for agents that no scheduler calls, as the arguments have it: there is no URL, and no
// port for calls. It does not wait until the agent is ready.
func ServeWithoutExtender(t testing.TB, name, logDir, agents string, args ...string) *Server {
	t.Helper()
	s := &Server{scheme: "http", adminOnly: true, portFile: filepath.Join(t.TempDir(), name+"-ports.json")}
	s.spec = process.Spec{Name: name, Path: Binary(t), LogDir: logDir, Args: append([]string{
		"serve", "--agents", agents, "--log-level", "debug", "--port-file", s.portFile,
	}, args...)}
	if err := s.start(0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.process.ExitError(); err != nil && !s.stopped {
			t.Errorf("the agent did not live to the end of the test: %v", err)
		}
		s.process.Kill()
	})
	return s
}

// StartWithoutExtender is ServeWithoutExtender for commands that are no tests: files are in dir.
func StartWithoutExtender(binary, dir, agents string, args ...string) (*Server, error) {
	s := &Server{scheme: "http", adminOnly: true, portFile: filepath.Join(dir, agents+"-ports.json")}
	s.spec = process.Spec{Name: agents, Path: binary, LogDir: dir, Args: append([]string{
		"serve", "--agents", agents, "--port-file", s.portFile,
	}, args...)}
	return s, s.start(0, 0)
}
