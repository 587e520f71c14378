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

	corev1 "k8s.io/api/core/v1"
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

// startStage starts the control plane, creates the nodes, and then does as start says.
func startStage(
	ctx context.Context, binary string, nodes []*corev1.Node, start func(context.Context, *stage) error,
) (*stage, error) {
	dir, err := os.MkdirTemp("", "outrigger-demo-")
	if err != nil {
		return nil, err
	}
	defer progress("")
	s := &stage{dir: dir, binary: binary, agents: map[string]*outrigger.Server{}, cancel: func() {}}
	if err = s.startCluster(ctx, nodes); err == nil {
		err = start(ctx, s)
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *stage) startCluster(ctx context.Context, nodes []*corev1.Node) (err error) {
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
	for _, node := range nodes {
		if _, err := s.cluster.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// startRecorded starts the agents, and the scheduler behind a proxy that records what they say.
func startRecorded(ctx context.Context, s *stage) error {
	urls := map[string]string{}
	for _, name := range agentNames {
		if err := s.startAgent(ctx, name); err != nil {
			return err
		}
		urls[name] = s.agents[name].URL
	}
	var err error
	if s.recorder, err = startRecorder(urls); err != nil {
		return err
	}
	return s.startScheduler(ctx, "--agents", strings.Join(agentNames, ","), "--url", s.recorder.URL,
		"--weight", fmt.Sprint(weight))
}

// startAgent starts an agent with the rights that it asks for and no others, and waits until it knows
// all nodes.
func (s *stage) startAgent(ctx context.Context, name string, args ...string) error {
	progress("starting the agent " + name)
	kubeconfig, err := s.rightsOf(ctx, name)
	if err != nil {
		return err
	}
	server, err := outrigger.Start(s.binary, s.cluster.LogDir(), name, append(args, "--kubeconfig", kubeconfig)...)
	if err != nil {
		return err
	}
	s.agents[name] = server
	return server.AwaitReady(ctx)
}

// rightsOf returns the path of a kubeconfig with the rights that `agents --rbac` prints.
func (s *stage) rightsOf(ctx context.Context, agent string) (string, error) {
	manifest, err := exec.CommandContext(ctx, s.binary, "agents", "--rbac", agent, "--namespace", metav1.NamespaceSystem).Output()
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

// startScheduler starts kube-scheduler with what `outrigger scheduler-config` prints for these
// arguments, or, without any, with what users have before: a configuration with a kubeconfig.
func (s *stage) startScheduler(ctx context.Context, args ...string) error {
	progress("starting kube-scheduler")
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
	config := text
	if len(args) > 0 {
		args = append([]string{"scheduler-config", "--in", base}, args...)
		if config, err = exec.CommandContext(ctx, s.binary, args...).Output(); err != nil {
			return fmt.Errorf("%s scheduler-config: %w", s.binary, describe(err))
		}
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
