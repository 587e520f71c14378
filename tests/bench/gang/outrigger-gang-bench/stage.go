package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// patience is how long anything may take that is waited for.
const patience = 5 * time.Minute

// companion is what runs beside the scheduler.
type companion int

const (
	nobody companion = iota
	doesNothing
	agent
	ownGates // nothing: kube-scheduler plans upstream's groups itself
	queueAgents
	labScheduler // nothing: kube-scheduler and the lab's scheduler run by themselves
	askedAgent   // the agent, which the scheduler asks about members of groups alone
)

func (c companion) String() string {
	return [...]string{"plain", "passing", "gang", "own gates", "held", "lab", "only groups"}[c]
}

// agents are those that run, or whose entries the scheduler has.
func (c companion) agents() string {
	if c == queueAgents {
		return "gang,qos"
	}
	return "gang"
}

// withGates makes upstream's groups known to a program.
const withGates = "--feature-gates=GenericWorkload=true"

// stage is a control plane of its own for one measurement.
type stage struct {
	ctx       context.Context
	cancel    context.CancelFunc
	dir       string
	binary    string
	beside    companion
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
func newStage(ctx context.Context, binary string, nodes int, beside companion, agentArgs ...string) (s *stage, err error) {
	dir, err := os.MkdirTemp("", "outrigger-gang-bench-")
	if err != nil {
		return nil, err
	}
	s = &stage{dir: dir, binary: binary, beside: beside, agentArgs: agentArgs}
	s.ctx, s.cancel = context.WithTimeout(ctx, 3*patience)
	if err := s.start(nodes, beside); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *stage) start(nodes int, beside companion) (err error) {
	var options cluster.Options
	if beside == ownGates {
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
	err = s.inParallel(20, nodes, func(i int) error {
		name := fmt.Sprintf("n%04d", i)
		if beside == labScheduler {
			name += "x" // a pod waits as many seconds as its node's last digit says
		}
		node := kube.MakeNode(name).Resource(corev1.ResourceCPU, fmt.Sprint(slots)).Node()
		_, err := s.client.CoreV1().Nodes().Create(s.ctx, node, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	return s.configure(beside)
}

// configure makes the scheduler's configuration: the same for all but for the extender.
func (s *stage) configure(beside companion) error {
	kubeconfig, err := s.cluster.WriteKubeconfig("scheduler", s.cluster.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return err
	}
	s.config = fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %s, qps: 5000, burst: 10000}
leaderElection: {leaderElect: false}
percentageOfNodesToScore: 100
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
`, kubeconfig)
	switch beside {
	case doesNothing:
		if s.passing, err = servePassing(s.client); err != nil {
			return err
		}
		return s.extend(s.passing.url)
	case agent, queueAgents, askedAgent:
		if err := s.startAgent(); err != nil {
			return err
		}
		return s.extend(s.agent.URL)
	}
	return nil
}

// startAgent starts the agent, with the rights that it asks for, and waits until it is ready.
func (s *stage) startAgent() error {
	manifest, err := exec.CommandContext(s.ctx, s.binary, "agents", "--rbac", s.beside.agents()).Output()
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
	args := append([]string{"--kubeconfig", rights, "--gang.scheduler-lease", "none"}, s.agentArgs...)
	if s.beside == askedAgent {
		args = append(args, "--gang.only-groups")
	}
	s.agent, err = outrigger.Start(s.binary, s.cluster.LogDir(), s.beside.agents(), args...)
	if err != nil {
		return err
	}
	return s.agent.AwaitReady(s.ctx)
}

// extend adds the entries of the agent, or of what stands in its place, to the scheduler's configuration.
func (s *stage) extend(url string) (err error) {
	base := filepath.Join(s.dir, "base.yaml")
	if err := os.WriteFile(base, s.config, 0o644); err != nil {
		return err
	}
	args := []string{"scheduler-config", "--agents", s.beside.agents(), "--url", url, "--in", base}
	if s.beside == askedAgent {
		args = append(args, "--only-groups")
	}
	s.config, err = exec.CommandContext(s.ctx, s.binary, args...).Output()
	return err
}

func (s *stage) startScheduler() (err error) {
	var args []string
	if s.beside == ownGates {
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

func gangName(number int) string { return fmt.Sprintf("g%03d", number) }

// createGangs creates the pods of gangs, each client one gang after another, as controllers of jobs do;
// without gangs the same pods in no group.
func (s *stage) createGangs(clients, gangs, size int, grouped bool) error {
	return s.inParallel(clients, gangs, func(g int) error {
		gang := gangName(g)
		if grouped && s.beside == ownGates {
			if err := s.createGroup(gang, size); err != nil {
				return err
			}
		}
		for i := range size {
			builder := kube.MakePod(fmt.Sprintf("%s-%03d", gang, i)).Request(corev1.ResourceCPU, "1")
			if grouped && s.beside != ownGates {
				builder.Label("podGroup", gang).Label("minAvailable", fmt.Sprint(size))
			}
			if grouped && s.beside == askedAgent {
				builder.Request("outrigger.dev/gang", "0").Request("outrigger.dev/gang-bind", "0")
			}
			pod := builder.Pod()
			if grouped && s.beside == ownGates {
				pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &gang}
			}
			if _, err := s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		return nil
	})
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
	if err := s.tracker.Until(ctx, func() bool { return len(s.tracker.Bindings()) >= count }); err != nil {
		return time.Time{}, fmt.Errorf("%d of %d pods are bound: %w", len(s.tracker.Bindings()), count, ctx.Err())
	}
	var last time.Time
	for _, binding := range s.tracker.Bindings() {
		if binding.At.After(last) {
			last = binding.At
		}
	}
	return last, nil
}

// kubePod is a pod that asks for nothing.
func kubePod(name string) *corev1.Pod { return kube.MakePod(name).Pod() }
