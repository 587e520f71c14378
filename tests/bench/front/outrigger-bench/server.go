package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// server is a child process that answers extender calls.
type server struct {
	command *exec.Cmd
	folder  string
	stderr  bytes.Buffer
	ended   chan error
	host    string // HOST:PORT
	admin   string // HOST:PORT of the probes; ours only
	prefix  string // path before the verb
}

func (s *server) pid() int { return s.command.Process.Pid }

// startGo starts the plain Go extender, which knows the nodes of c by name.
func startGo(ctx context.Context, o options, c benchCase) (*server, error) {
	return start(ctx, "/bench", func(string) ([]string, error) {
		return []string{o.goExtender, "--seed", strconv.FormatUint(o.seed, 10), "--nodes", strconv.Itoa(c.Nodes)}, nil
	})
}

// agentOf is the agent that is asked verb: safe filters, congestion scores.
func agentOf(verb replay.Verb) string {
	if verb == replay.Prioritize {
		return "congestion"
	}
	return "safe"
}

// startOurs starts outrigger with the agent of c's verb. For names-only calls it knows the nodes of
// cluster.
func startOurs(ctx context.Context, o options, c benchCase, cluster *bodies.Cluster) (*server, error) {
	if o.againstSelf {
		return startGo(ctx, o, c)
	}
	agent := agentOf(c.Verb)
	if c.Form == bodies.FullNodes {
		cluster = nil
	}
	return startAgents(ctx, o.outrigger, agent, "/"+agent, cluster)
}

// startAgents starts binary, an outrigger, with these agents, separated by commas. It knows the nodes
// of cluster if that is given.
func startAgents(ctx context.Context, binary, agents, prefix string, cluster *bodies.Cluster) (*server, error) {
	return start(ctx, prefix, func(folder string) ([]string, error) {
		command := []string{binary, "serve", "--agents", agents, "--port", "0"}
		if cluster == nil {
			return command, nil
		}
		text, err := cluster.NodeList()
		if err != nil {
			return nil, err
		}
		table := filepath.Join(folder, "nodes.json")
		return append(command, "--node-table", table), os.WriteFile(table, text, 0o600)
	})
}

// startFloor starts the program of the floor, which sends answer.
func startFloor(ctx context.Context, o options, answer []byte) (*server, error) {
	return start(ctx, "", func(folder string) ([]string, error) {
		file := filepath.Join(folder, "answer")
		return []string{o.floor, "--answer", file}, os.WriteFile(file, answer, 0o600)
	})
}

// start runs the command that prepare returns, which may put files in the server's own folder, with
// a port file, and waits until it listens.
func start(ctx context.Context, prefix string, prepare func(folder string) ([]string, error)) (*server, error) {
	folder, err := os.MkdirTemp("", "outrigger-bench-")
	if err != nil {
		return nil, err
	}
	command, err := prepare(folder)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	portFile := filepath.Join(folder, "port")
	s := &server{folder: folder, prefix: prefix, ended: make(chan error, 1)}
	s.command = exec.CommandContext(ctx, command[0], append(command[1:], "--port-file", portFile)...)
	s.command.Stderr = &s.stderr
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	go func() { s.ended <- s.command.Wait() }()
	if err := s.awaitPorts(portFile); err != nil {
		s.stop()
		return nil, fmt.Errorf("%s: %w\n%s", command[0], err, &s.stderr)
	}
	return s, nil
}

func (s *server) awaitPorts(portFile string) error {
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
		var content struct {
			Port  int `json:"port"`
			Admin int `json:"admin_port"`
		}
		if text, err := os.ReadFile(portFile); err == nil && json.Unmarshal(text, &content) == nil && content.Port != 0 {
			s.host = "127.0.0.1:" + strconv.Itoa(content.Port)
			s.admin = "127.0.0.1:" + strconv.Itoa(content.Admin)
			return nil
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("ended before it listened: %v", err)
		case <-time.After(time.Millisecond): // also the resolution of the time from start to ready
		}
	}
	return fmt.Errorf("not listening after 15 s")
}

// stop ends the process, by force when it does not go by itself.
func (s *server) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(10 * time.Second):
		_ = s.command.Process.Kill()
		<-s.ended
	}
	os.RemoveAll(s.folder)
}
