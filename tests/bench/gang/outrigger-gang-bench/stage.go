package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// slots is how many pods a node has room for.
const slots = 4

// poolLabel says which pool a node is in.
const poolLabel = "example.com/pool"

// patience is how long anything may take that is waited for.
const patience = 5 * time.Minute

// withGates makes upstream's groups known to a program.
const withGates = "--feature-gates=GenericWorkload=true"

// stage is a control plane of its own for one measurement.
type stage struct {
	ctx       context.Context
	cancel    context.CancelFunc
	dir       string
	binary    string
	beside    *mode
	cluster   *cluster.Cluster
	client    kubernetes.Interface
	tracker   *kube.Tracker
	agent     *outrigger.Server // nil: it does not run
	passing   *passing          // nil: it does not run
	scheduler *process.Process
	config    []byte
	agentArgs []string // more of them
}

// newStage starts a control plane with nodes and perhaps an extender. The scheduler does not run.
func newStage(ctx context.Context, binary string, nodes int, beside *mode, agentArgs ...string) (s *stage, err error) {
	dir, err := os.MkdirTemp("", "outrigger-gang-bench-")
	if err != nil {
		return nil, err
	}
	s = &stage{dir: dir, binary: binary, beside: beside, agentArgs: agentArgs}
	s.ctx, s.cancel = context.WithTimeout(ctx, 3*patience)
	if err := s.start(nodes); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *stage) start(nodes int) (err error) {
	var options cluster.Options
	if s.beside.upstream {
		options.ServerArgs = []string{withGates, "--runtime-config=scheduling.k8s.io/v1beta1=true"}
	}
	if s.cluster, err = cluster.Start(s.ctx, s.dir, options); err != nil {
		return err
	}
	config := *s.cluster.Config
	config.QPS, config.Burst = 5000, 10_000
	if s.client, err = kubernetes.NewForConfig(&config); err != nil {
		return err
	}
	if s.tracker, err = kube.TrackPods(s.ctx, s.client); err != nil {
		return err
	}
	if err := s.createNodes("n", nodes, ""); err != nil {
		return err
	}
	return s.configure()
}

// createNodes creates nodes with room for slots pods each, perhaps in a pool.
func (s *stage) createNodes(prefix string, count int, pool string) error {
	return s.inParallel(20, count, func(i int) error {
		name := fmt.Sprintf("%s%04d", prefix, i)
		if s.beside.anyNode {
			name += "x" // a pod waits as many seconds as its node's last digit says
		}
		node := kube.MakeNode(name).Resource(corev1.ResourceCPU, fmt.Sprint(slots))
		if pool != "" {
			node.Label(poolLabel, pool)
		}
		_, err := s.client.CoreV1().Nodes().Create(s.ctx, node.Node(), metav1.CreateOptions{})
		return err
	})
}

// configure makes the scheduler's configuration: its defaults, no limit on calls, and what scheduler-config adds.
func (s *stage) configure() error {
	kubeconfig, err := s.cluster.WriteKubeconfig("scheduler", s.cluster.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return err
	}
	s.config = fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %s, qps: 5000, burst: 10000}
leaderElection: {leaderElect: false}
`, kubeconfig)
	if s.beside.extender == doesNothing {
		if s.passing, err = servePassing(s.client); err != nil {
			return err
		}
		return s.extend(s.passing.url)
	}
	if s.beside.agents == "" {
		return nil
	}
	if err := s.startAgent(); err != nil || s.beside.extender == noExtender {
		return err
	}
	return s.extend(s.agent.URL)
}

// startAgent starts the agent, with the rights that it asks for, and waits until it is ready.
func (s *stage) startAgent() error {
	rbac, start := []string{"agents", "--rbac", s.beside.agents}, outrigger.Start
	var settings []string
	if s.beside.extender == noExtender { // it holds a Lease of its own
		rbac, start = append(rbac, "--mode", "alone"), outrigger.StartWithoutExtender
	} else {
		file, err := s.schedulerFile()
		if err != nil {
			return err
		}
		settings = []string{"--scheduler-config", file}
	}
	manifest, err := exec.CommandContext(s.ctx, s.binary, rbac...).Output()
	if err != nil {
		return fmt.Errorf("agents --rbac: %w", err)
	}
	account, err := s.cluster.ConfigWithManifest(s.ctx, manifest)
	if err != nil {
		return err
	}
	rights, err := s.cluster.WriteKubeconfig("gang", account)
	if err != nil {
		return err
	}
	args := slices.Concat([]string{"--kubeconfig", rights}, settings, s.beside.settings, s.agentArgs)
	s.agent, err = start(s.binary, s.cluster.LogDir(), s.beside.agents, args...)
	if err != nil {
		return err
	}
	return s.agent.AwaitReady(s.ctx)
}

// schedulerFile is the path of the scheduler's configuration for the agent to read, which answers at no address yet.
func (s *stage) schedulerFile() (string, error) {
	text, err := s.extended()
	if err != nil {
		return "", err
	}
	file := filepath.Join(s.dir, "for-the-agent.yaml")
	return file, os.WriteFile(file, text, 0o644)
}

// extended is the configuration with the entries of the agent, or of what stands in its place.
func (s *stage) extended(more ...string) ([]byte, error) {
	base := filepath.Join(s.dir, "base.yaml")
	if err := os.WriteFile(base, s.config, 0o644); err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"scheduler-config", "--agents", s.beside.agents, "--in", base}, s.beside.config, more)
	text, err := exec.CommandContext(s.ctx, s.binary, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("scheduler-config: %w", err)
	}
	return text, nil
}

func (s *stage) extend(url string) (err error) {
	s.config, err = s.extended("--url", url)
	return err
}

func (s *stage) startScheduler() (err error) {
	var args []string
	if s.beside.upstream {
		args = append(args, withGates)
	}
	s.scheduler, err = s.cluster.StartScheduler("kube-scheduler", s.config, args...)
	return err
}

func (s *stage) stop() {
	if s.scheduler != nil {
		s.scheduler.Kill()
	}
	if s.agent != nil {
		s.agent.Kill()
	}
	if s.passing != nil {
		s.passing.stop()
	}
	s.cancel()
	if s.cluster != nil {
		s.cluster.Stop()
	}
	_ = os.RemoveAll(s.dir)
}

// inParallel does count things by so many at once, in order as far as that goes.
func (s *stage) inParallel(clients, count int, do func(i int) error) error {
	numbers := make(chan int)
	errs := make([]error, clients)
	var group sync.WaitGroup
	for c := range clients {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range numbers {
				if err := do(i); err != nil && errs[c] == nil {
					errs[c] = err
				}
			}
		}()
	}
	for i := range count {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	return errors.Join(errs...)
}

// createGangs creates the pods of gangs, each client one gang after another, as controllers of jobs do;
// without gangs the same pods in no group.
func (s *stage) createGangs(clients, gangs, size int, grouped bool) error {
	return s.createGangsFrom(0, clients, gangs, size, grouped)
}

// createGangsFrom creates them from a number on.
func (s *stage) createGangsFrom(first, clients, gangs, size int, grouped bool) error {
	return s.inParallel(clients, gangs, func(g int) error {
		gang := gangName(first + g)
		if grouped && s.beside.upstream {
			if err := s.createGroup(gang, size); err != nil {
				return err
			}
		}
		return s.createPods(gang, 0, size, size, grouped)
	})
}

// createPods creates some of the pods of a gang, one after another.
func (s *stage) createPods(gang string, from, to, size int, grouped bool) error {
	for i := from; i < to; i++ {
		builder := single(gang, i)
		if grouped {
			builder = s.beside.member(gang, i, size)
		}
		if err := s.createPod(builder); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) createPod(builder *kube.PodBuilder) error {
	pod := builder.Pod()
	_, err := s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{})
	return err
}

func (s *stage) deletePod(name string) error {
	now := int64(0)
	return s.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(s.ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now})
}

// createGroup creates a group of upstream's.
func (s *stage) createGroup(name string, size int) error {
	group := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault}}
	group.Spec.SchedulingPolicy.Gang = &schedulingv1beta1.GangSchedulingPolicy{MinCount: int32(size)}
	_, err := s.client.SchedulingV1beta1().PodGroups(group.Namespace).Create(s.ctx, group, metav1.CreateOptions{})
	return err
}

func (s *stage) bound(prefix string) int {
	count := 0
	for _, pod := range s.tracker.Pods() {
		if strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			count++
		}
	}
	return count
}

// untilBound waits until so many bindings were seen, and returns when the last of them was.
func (s *stage) untilBound(count int) (time.Time, error) {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	if err := s.tracker.Until(ctx, func() bool { return s.tracker.BindingCount() >= count }); err != nil {
		return time.Time{}, fmt.Errorf("%d of %d pods are bound: %w", s.tracker.BindingCount(), count, ctx.Err())
	}
	var last time.Time
	for _, binding := range s.tracker.Bindings() {
		if binding.At.After(last) {
			last = binding.At
		}
	}
	return last, nil
}
