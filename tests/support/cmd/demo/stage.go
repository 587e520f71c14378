package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/standin"
)

var agentNames = []string{"safe", "congestion"}

// stage is all that runs: control plane, agents, and the proxy between them.
type stage struct {
	dir, binary string
	version     string // of outrigger
	kubernetes  string // version of the control plane
	cluster     *cluster.Cluster
	tracker     *kube.Tracker
	agents      map[string]*outrigger.Server
	recorder    *recorder
	scheduler   *process.Process
	cancel      context.CancelFunc // ends watches and the kubelet stand-in
}

func startStage(ctx context.Context, binary string) (*stage, error) {
	dir, err := os.MkdirTemp("", "outrigger-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, binary: binary, agents: map[string]*outrigger.Server{}, cancel: func() {}}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *stage) start(ctx context.Context) (err error) {
	defer progress("")
	version, err := exec.CommandContext(ctx, s.binary, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", s.binary, err)
	}
	s.version = strings.TrimSpace(string(version))
	progress("starting etcd and kube-apiserver")
	if s.cluster, err = cluster.Start(ctx, s.dir, cluster.Options{}); err != nil {
		return err
	}
	server, err := s.cluster.Client.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	s.kubernetes = server.GitVersion
	if err := s.watch(); err != nil {
		return err
	}
	// Nodes that are there before the scheduler starts are all known to it at its first pod.
	for _, node := range nodeSpecs {
		if _, err := s.cluster.Client.CoreV1().Nodes().Create(ctx, node.build(), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	progress("starting agents")
	if err := s.startAgents(ctx); err != nil {
		return err
	}
	progress("starting kube-scheduler")
	return s.startScheduler(ctx)
}

// startAgents starts each agent with the rights that it asks for and no others, and waits until it
// knows all nodes.
func (s *stage) startAgents(ctx context.Context) error {
	urls := map[string]string{}
	for _, name := range agentNames {
		kubeconfig, err := s.rightsOf(ctx, name)
		if err != nil {
			return err
		}
		server, err := outrigger.Start(s.binary, s.cluster.LogDir(), name, "--kubeconfig", kubeconfig)
		if err != nil {
			return err
		}
		s.agents[name], urls[name] = server, server.URL
		if err := server.AwaitReady(ctx); err != nil {
			return err
		}
	}
	var err error
	s.recorder, err = startRecorder(urls)
	return err
}

// rightsOf returns the path of a kubeconfig with the rights that `agents --rbac` prints.
func (s *stage) rightsOf(ctx context.Context, agent string) (string, error) {
	manifest, err := exec.CommandContext(ctx, s.binary, "agents", "--rbac", agent).Output()
	if err != nil {
		return "", fmt.Errorf("%s agents --rbac %s: %w", s.binary, agent, describe(err))
	}
	config, err := s.cluster.ConfigWithManifest(ctx, manifest)
	if err != nil {
		return "", err
	}
	return s.cluster.WriteKubeconfig(agent, config)
}

// watch has a life of its own: with --keep it goes on after the time limit of the play.
func (s *stage) watch() (err error) {
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	if s.tracker, err = kube.TrackPods(ctx, s.cluster.Client); err != nil {
		return err
	}
	_, err = standin.StartKubelet(ctx, s.cluster.Client)
	return err
}

// startScheduler starts kube-scheduler with what `outrigger scheduler-config` prints; what users
// have before is a configuration with a kubeconfig.
func (s *stage) startScheduler(ctx context.Context) error {
	kubeconfig, err := s.cluster.WriteKubeconfig("scheduler", s.cluster.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return err
	}
	base := filepath.Join(s.dir, "base.yaml")
	text := fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  kubeconfig: %s
leaderElection:
  leaderElect: false
podMaxBackoffSeconds: 2
`, kubeconfig)
	if err := os.WriteFile(base, text, 0o644); err != nil {
		return err
	}
	config, err := exec.CommandContext(ctx, s.binary, "scheduler-config", "--agents", strings.Join(agentNames, ","),
		"--url", s.recorder.URL, "--weight", fmt.Sprint(weight), "--in", base).Output()
	if err != nil {
		return fmt.Errorf("%s scheduler-config: %w", s.binary, describe(err))
	}
	s.scheduler, err = s.cluster.StartScheduler("kube-scheduler", config)
	return err
}

// stop ends everything; an agent that does not end well on SIGTERM is an error.
func (s *stage) stop() error {
	s.cancel()
	if s.scheduler != nil {
		s.scheduler.Kill()
	}
	if s.recorder != nil {
		s.recorder.stop()
	}
	var errs []error
	for name, agent := range s.agents {
		if err := agent.Stop(10 * time.Second); err != nil {
			errs = append(errs, fmt.Errorf("agent %s, told to stop: %w", name, err))
		}
	}
	if s.cluster != nil {
		s.cluster.Stop()
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// describe adds what a program wrote to stderr to the error of its run.
func describe(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return err
}
