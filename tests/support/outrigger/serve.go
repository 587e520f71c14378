// Package outrigger runs the program under test as tests' child process.
package outrigger

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// BinaryEnv names the environment variable with the path of the program under test.
const BinaryEnv = "OUTRIGGER_BIN"

// Binary returns the path of the program under test; without one the test fails.
func Binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv(BinaryEnv)
	if path == "" {
		t.Fatalf("%s is not set: it must name the outrigger program", BinaryEnv)
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		t.Fatalf("%s=%s is no program: %v", BinaryEnv, path, err)
	}
	return path
}

// Server is one `outrigger serve` on the loopback address. It keeps its ports over restarts.
type Server struct {
	// URL is where kube-scheduler calls (https:// if the arguments have --tls-cert), AdminURL where
	// probes and metrics are.
	URL, AdminURL string

	scheme   string
	spec     process.Spec
	portFile string
	process  *process.Process
	stopped  bool                // on purpose
	held     []*process.HeldPort // its ports, while it is stopped

	adminOnly bool // an annotator, which no scheduler calls
}

// Serve starts `outrigger serve --agents <agents>` with more arguments and waits until it is ready.
// Its log is <logDir>/<name>.log. It is killed at the test's end, and the test fails if it ended on
// its own before.
func Serve(t testing.TB, name, logDir, agents string, args ...string) *Server {
	t.Helper()
	return ServeAt(t, 0, name, logDir, agents, args...)
}

// ServeAt is Serve on a port that is known beforehand.
func ServeAt(t testing.TB, port int, name, logDir, agents string, args ...string) *Server {
	t.Helper()
	args = append([]string{"--log-level", "debug"}, args...)
	s := newServer(Binary(t), t.TempDir(), name, logDir, agents, args)
	if err := s.start(port, 0); err != nil {
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

// Start is Serve outside tests, with the program's own log level: the caller names the program and
// stops the server. The log and the file with the ports are in dir.
func Start(binary, dir, agents string, args ...string) (*Server, error) {
	return StartNamed(binary, dir, agents, agents, args...)
}

// StartNamed is Start with a name of its own for the log, for several servers in one dir.
func StartNamed(binary, dir, name, agents string, args ...string) (*Server, error) {
	s := newServer(binary, dir, name, dir, agents, args)
	return s, s.start(0, 0)
}

func newServer(binary, dir, name, logDir, agents string, args []string) *Server {
	s := &Server{scheme: "http", portFile: filepath.Join(dir, name+"-ports.json")}
	if slices.Contains(args, "--tls-cert") {
		s.scheme = "https"
	}
	s.spec = process.Spec{Name: name, Path: binary, LogDir: logDir, Args: append([]string{
		"serve", "--agents", agents, "--bind", "127.0.0.1", "--port-file", s.portFile,
	}, args...)}
	return s
}

// Stop ends the agent as a kubelet would (SIGTERM); an error means that it did not go well.
func (s *Server) Stop(grace time.Duration) error {
	s.stopped = true
	defer s.holdPorts()
	return s.process.Stop(grace)
}

// Kill ends the agent as a crash would (SIGKILL).
func (s *Server) Kill() {
	s.stopped = true
	s.process.Kill()
	s.holdPorts()
}

// holdPorts keeps others from the ports that the agent has after Restart, as far as it can.
func (s *Server) holdPorts() {
	for _, port := range []int{portOf(s.URL), portOf(s.AdminURL)} {
		if port == 0 {
			continue
		}
		if held, err := process.HoldPort(port); err == nil {
			s.held = append(s.held, held)
		}
	}
}

func (s *Server) releasePorts() {
	for _, held := range s.held {
		held.Release()
	}
	s.held = nil
}

// Restart starts the agent again after Kill, on the ports that it had.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.StartAgain(); err != nil {
		t.Fatal(err)
	}
}

// StartAgain is Restart outside tests.
func (s *Server) StartAgain() error {
	if err := s.start(portOf(s.URL), portOf(s.AdminURL)); err != nil {
		return err
	}
	s.stopped = false
	return nil
}

// Pid is the process id of the running agent.
func (s *Server) Pid() int { return s.process.Pid() }

// LogPath is where its log is.
func (s *Server) LogPath() string { return s.process.LogPath }

func (s *Server) start(port, adminPort int) error {
	s.releasePorts()
	if err := os.RemoveAll(s.portFile); err != nil {
		return err
	}
	spec := s.spec
	spec.Args = append(append([]string{}, spec.Args...), "--admin-port", fmt.Sprint(adminPort))
	if !s.adminOnly {
		spec.Args = append(spec.Args, "--port", fmt.Sprint(port))
	}
	var err error
	if s.process, err = process.Start(spec); err != nil {
		return err
	}
	deadline := time.Now().Add(process.Patience)
	for {
		var ports struct {
			Port  int `json:"port"`
			Admin int `json:"admin_port"`
		}
		text, err := os.ReadFile(s.portFile)
		if err == nil {
			err = json.Unmarshal(text, &ports)
		}
		if err == nil && (ports.Port > 0 || s.adminOnly) && ports.Admin > 0 {
			s.URL, s.AdminURL = loopback(s.scheme, ports.Port), loopback("http", ports.Admin)
			return nil
		}
		if exit := s.process.ExitError(); exit != nil {
			return exit
		}
		if time.Now().After(deadline) {
			s.process.Kill()
			return fmt.Errorf("%s does not become ready (%v); end of its log:\n%s", spec.Name, err, s.process.LogTail(30))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func loopback(scheme string, port int) string {
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port)
}

func portOf(address string) int {
	parsed, err := url.Parse(address)
	if err != nil {
		return 0
	}
	port, _ := strconv.Atoi(parsed.Port())
	return port
}
