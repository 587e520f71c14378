// Package lab tests `outrigger lab scheduler` on the real kube-apiserver: each step, what it makes of things that go
// wrong, and what it writes next to what the real kube-scheduler writes.
package lab

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/learn"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// world is a cluster with schedulers to learn from: each has a name of its own and schedules the pods that name it.
type world struct{ *scheduling.World }

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{scheduling.New(t)}
}

// in is the same cluster in a subtest.
func (w *world) in(t *testing.T) *world {
	inner := *w.World
	inner.T = t
	return &world{&inner}
}

// nodes creates node<from> to node<to>, cordoned or not.
func (w *world) nodes(from, to int, cordoned bool) {
	w.Helper()
	for i := from; i <= to; i++ {
		node := kube.MakeNode(fmt.Sprintf("node%d", i))
		if cordoned {
			node.Cordoned()
		}
		w.Nodes(node)
	}
}

// scheduler is a running `outrigger lab scheduler`.
type scheduler struct {
	w    *world
	name string
	*process.Process
}

// start starts a scheduler of that name, and waits until it knows all nodes and pods. It is killed at the end of the
// test, and the test fails if it ended before.
func (w *world) start(step int, name string, args ...string) *scheduler {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, w.Cluster.ConfigOf(cluster.SchedulerUser))
	w.Must(err)
	s := w.startWith(kubeconfig, step, name, args...)
	s.untilReady()
	return s
}

// untilReady waits until the scheduler knows all nodes and pods.
func (s *scheduler) untilReady() {
	s.w.Helper()
	s.untilPrinted(learn.ReadyLine)
}

// startWith does not wait until the scheduler is ready.
func (w *world) startWith(kubeconfig string, step int, name string, args ...string) *scheduler {
	w.Helper()
	p, err := process.Start(process.Spec{Name: name, Path: outrigger.Binary(w), LogDir: w.Cluster.LogDir(),
		Args: append([]string{"lab", "scheduler", "--step", fmt.Sprint(step), "--scheduler-name", name,
			"--kubeconfig", kubeconfig}, args...)})
	w.Must(err)
	w.Cleanup(func() {
		if err := p.ExitError(); err != nil {
			w.Errorf("the scheduler did not live to the end of the test: %v", err)
		}
		p.Kill()
	})
	return &scheduler{w, name, p}
}

// create creates a pod that asks for the scheduler.
func (s *scheduler) create(name string) {
	s.w.Helper()
	s.w.Pods(kube.MakePod(name).Scheduler(s.name))
}

// untilItWaits waits until each pod that was created before has got its node, and waits there at Permit if the node
// has it wait: pods are tried in the order of their arrival, and one that goes to node0 does not wait.
func (s *scheduler) untilItWaits() {
	s.w.Helper()
	name := s.name + "-then0"
	s.create(name)
	if node := s.w.untilNode(name); node != "node0" {
		s.w.Fatalf("%s is on %s", name, node)
	}
}

// lines are those that the scheduler has printed about a pod: one for each attempt without --verbose.
func (s *scheduler) lines(pod string) (lines []string) {
	s.w.Helper()
	log, err := os.Open(s.LogPath)
	s.w.Must(err)
	defer log.Close()
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		line := scanner.Text()
		if strings.HasPrefix(line, "default/"+pod+" -> ") || strings.HasPrefix(line, "default/"+pod+": ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// untilLines waits until there are so many lines about a pod, and returns them.
func (s *scheduler) untilLines(pod string, count int) []string {
	s.w.Helper()
	s.w.until(fmt.Sprintf("%d lines about %s", count, pod), func() bool { return len(s.lines(pod)) >= count })
	return s.lines(pod)
}

// untilPrinted waits until the scheduler has printed a text.
func (s *scheduler) untilPrinted(text string) {
	s.w.Helper()
	ctx, cancel := context.WithTimeout(s.w.Ctx, scheduling.Patience)
	defer cancel()
	s.w.Must(s.UntilLogged(ctx, text))
}

func (w *world) until(what string, holds func() bool) {
	w.Helper()
	for deadline := time.Now().Add(scheduling.Patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("not in %v: %s", scheduling.Patience, what)
		}
	}
}

// untilNode waits until a pod is bound, and returns its node.
func (w *world) untilNode(pod string) string {
	w.Helper()
	return w.Until(pod, "bound", scheduling.IsBound).Spec.NodeName
}

// untilRefused waits until a scheduler has written of a pod why it has no node, and returns its condition.
func (w *world) untilRefused(pod string) corev1.PodCondition {
	w.Helper()
	return kube.Condition(w.Until(pod, "refused", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
	}), corev1.PodScheduled)
}

// boundAfter waits until a pod is bound, and returns how long that took since a time.
func (w *world) boundAfter(pod string, since time.Time) time.Duration {
	w.Helper()
	w.untilNode(pod)
	for _, binding := range w.Tracker.Bindings() {
		if binding.Name == pod {
			return binding.At.Sub(since)
		}
	}
	w.Fatalf("no binding of %s is recorded", pod)
	return 0
}

// isBound reports whether a pod has a node now.
func (w *world) isBound(pod string) bool {
	found := w.Tracker.Pod("default", pod)
	return found != nil && scheduling.IsBound(found)
}

func (w *world) deletePod(name string) {
	w.Helper()
	w.Must(w.Client.CoreV1().Pods("default").Delete(w.Ctx, name, metav1.DeleteOptions{}))
}

func (w *world) deleteNode(name string) {
	w.Helper()
	w.Must(w.Client.CoreV1().Nodes().Delete(w.Ctx, name, metav1.DeleteOptions{}))
}

// changeNode changes a node as a person would.
func (w *world) changeNode(name string, change func(*corev1.Node)) {
	w.Helper()
	node, err := w.Client.CoreV1().Nodes().Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	change(node)
	_, err = w.Client.CoreV1().Nodes().Update(w.Ctx, node, metav1.UpdateOptions{})
	w.Must(err)
}
