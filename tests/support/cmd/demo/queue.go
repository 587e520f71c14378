package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// A small cluster with a fixed number of places, all of them taken.
const (
	queueNodes = 2
	queueSlots = 2
)

// queued is a pod of the queue.
type queued struct {
	name          string
	groupPriority int
	class         corev1.PodQOSClass
}

// queueOrder has the pods in the order in which they should get places. They are created the other way round.
var queueOrder = []queued{
	{"red-guaranteed", 10, corev1.PodQOSGuaranteed},
	{"red-besteffort", 10, corev1.PodQOSBestEffort},
	{"green-guaranteed", 5, corev1.PodQOSGuaranteed},
	{"green-burstable", 5, corev1.PodQOSBurstable},
	{"green-besteffort", 5, corev1.PodQOSBestEffort},
	{"blue-guaranteed", 1, corev1.PodQOSGuaranteed},
	{"blue-burstable", 1, corev1.PodQOSBurstable},
	{"blue-besteffort", 1, corev1.PodQOSBestEffort},
}

func (q queued) build() *corev1.Pod {
	pod := kube.MakePod(q.name).Label("groupPriority", fmt.Sprint(q.groupPriority)).Pod()
	resources := &pod.Spec.Containers[0].Resources
	switch q.class {
	case corev1.PodQOSGuaranteed:
		resources.Limits = resources.Requests.DeepCopy()
	case corev1.PodQOSBestEffort:
		resources.Requests = nil
	}
	return pod
}

// queuePlay is the queue on a stage.
type queuePlay struct{ *scene }

func runQueue(ctx context.Context, keep bool) (err error) {
	if keep {
		return errors.New("--keep is for the scenario without a name")
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var nodes []*corev1.Node
	for i := range queueNodes {
		nodes = append(nodes, kube.MakeNode(fmt.Sprintf("n%d", i)).
			Resource(corev1.ResourcePods, fmt.Sprint(queueSlots)).Node())
	}
	s, err := startScene(limited, nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	p := &queuePlay{s}
	p.out.line("%s, stock kube-scheduler %s; etcd, kube-apiserver and kube-scheduler are real.", s.version, s.kubernetes)
	p.out.line("%d nodes with room for %d pods each are full. %d pods wait, the last of the queue was created first.",
		queueNodes, queueSlots, len(queueOrder))
	p.out.line("One place after another becomes free.")
	for _, act := range []func(context.Context) error{p.alone, p.withAgent} {
		if err := act(limited); err != nil {
			return err
		}
	}
	return p.out.verdict(&p.report)
}

// alone shows what happens without the agent.
func (p *queuePlay) alone(ctx context.Context) error {
	p.title("kube-scheduler alone: bound in this order")
	order, err := p.play(ctx, nil)
	if err != nil {
		return err
	}
	wrong := p.inversions(order)
	p.promise(wrong > 0, "without the agent no pod is bound before one that comes first in the queue")
	p.scheduler.Kill()
	return p.clear(ctx)
}

// withAgent shows the same with the agent qos next to the same scheduler.
func (p *queuePlay) withAgent(ctx context.Context) error {
	if err := p.startAgent(ctx, "qos", "--qos.scheduler-lease", "none"); err != nil {
		return err
	}
	if err := p.startScheduler(ctx, "--agents", "qos", "--url", p.agents["qos"].URL); err != nil {
		return err
	}
	p.title("with the agent qos: outrigger explain queue --agent " + p.agents["qos"].AdminURL)
	order, err := p.play(ctx, func() error {
		if err := p.explain(ctx); err != nil {
			return err
		}
		p.title("with the agent qos: bound in this order")
		return nil
	})
	if err != nil {
		return err
	}
	wrong := p.inversions(order)
	p.promise(wrong == 0, "with the agent %d pairs of pods are bound in the wrong order", wrong)
	return nil
}

// play fills the cluster, creates the queue, frees a place for each of its pods, and returns in which order they
// were bound. It calls waiting, if that is not nil, while all of them wait.
func (p *queuePlay) play(ctx context.Context, waiting func() error) (order []string, err error) {
	var running []string
	for i := range queueNodes * queueSlots {
		running = append(running, fmt.Sprintf("running-%d", i))
		// Bound: one that the agent has not planned yet is refused first, and one of the queue would go before it.
		if err := p.create(ctx, kube.MakePod(running[i]).Pod(), isBound); err != nil {
			return nil, err
		}
	}
	for _, pod := range slices.Backward(queueOrder) {
		if err := p.create(ctx, pod.build(), isDecided); err != nil {
			return nil, err
		}
	}
	if bound := p.bound(); len(bound) != len(running) {
		return nil, fmt.Errorf("%d pods are bound before a place is free, want %d", len(bound), len(running))
	}
	if waiting != nil {
		if err := waiting(); err != nil {
			return nil, err
		}
	}
	began, slowest := time.Now(), time.Duration(0)
	for range queueOrder {
		freed := time.Now()
		next, err := p.freeOne(ctx, running[0])
		if err != nil {
			return nil, err
		}
		slowest = max(slowest, time.Since(freed))
		running = append(running[1:], next)
		order = append(order, next)
		pod := queueOrder[place(next)]
		p.out.line("    %s  %-18s groupPriority %2d   %s", elapsed(began), pod.name, pod.groupPriority, pod.class)
	}
	p.promise(slowest < patience/4, "a free place was taken after %s only", slowest)
	return order, nil
}

// freeOne ends a pod, and returns which one of the queue gets its place.
func (p *queuePlay) freeOne(ctx context.Context, ends string) (next string, err error) {
	before := p.bound()
	if err := p.remove(ctx, ends); err != nil {
		return "", err
	}
	err = p.wait(ctx, "the place of "+ends+" is taken", func() bool {
		for name := range p.bound() {
			if !before[name] {
				next = name
			}
		}
		return next != ""
	})
	return next, err
}

// inversions prints and returns how many pairs of pods were bound in the wrong order.
func (p *queuePlay) inversions(order []string) int {
	wrong, pairs := inversions(order)
	colour := green
	if wrong > 0 {
		colour = red
	}
	p.out.line("    inversions: %s of %d pairs of pods", p.out.in(colour, fmt.Sprint(wrong)), pairs)
	return wrong
}

// inversions counts the pairs of which the later one in the queue was bound first.
func inversions(order []string) (wrong, pairs int) {
	for i, first := range order {
		for _, second := range order[i+1:] {
			pairs++
			if place(second) < place(first) {
				wrong++
			}
		}
	}
	return wrong, pairs
}

// place is the position of a pod in the queue, from 0; -1 for one that is not in it.
func place(name string) int {
	return slices.IndexFunc(queueOrder, func(pod queued) bool { return pod.name == name })
}

// explain prints what the agent itself says of its queue, some columns of it.
func (p *queuePlay) explain(ctx context.Context) error {
	kubeconfig, err := p.cluster.WriteKubeconfig("reader", p.cluster.Config)
	if err != nil {
		return err
	}
	var text, planned []byte
	for ends := time.Now().Add(patience); ; { // the agent may still be about to hear of the last pod
		if text, err = p.explained(ctx, "--agent", p.agents["qos"].AdminURL); err != nil {
			return err
		}
		if planned, err = p.explained(ctx, "--kubeconfig", kubeconfig); err != nil {
			return err
		}
		if bytes.Equal(text, planned) || time.Now().After(ends) {
			break
		}
	}
	p.promise(bytes.Equal(text, planned), "explain queue without --agent says %s", planned)
	var queue struct {
		Rows []struct {
			Position, GroupPriority int
			Unit, Class, State      string
			After, Lacks            string
		}
	}
	if err := json.Unmarshal(text, &queue); err != nil {
		return err
	}
	const format = "    %8v  %-26s %-14v %-12s %-6s %s"
	show := func(cells ...any) { p.out.line("%s", strings.TrimRight(fmt.Sprintf(format, cells...), " ")) }
	show("position", "unit", "groupPriority", "class", "state", "after")
	for i, row := range queue.Rows {
		after := strings.TrimPrefix(row.After, "default/")
		show(row.Position, row.Unit, row.GroupPriority, row.Class, row.State, after)
		p.promise(i < len(queueOrder) && row.Unit == "default/"+queueOrder[i].name,
			"explain queue has %s at position %d", row.Unit, row.Position)
	}
	p.promise(len(queue.Rows) == len(queueOrder), "explain queue has %d rows, want %d", len(queue.Rows), len(queueOrder))
	return nil
}

// explained runs `outrigger explain queue -o json`.
func (p *queuePlay) explained(ctx context.Context, args ...string) ([]byte, error) {
	args = append([]string{"explain", "queue", "-o", "json"}, args...)
	text, err := exec.CommandContext(ctx, p.binary, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s explain queue: %w", p.binary, describe(err))
	}
	return text, nil
}

// clear deletes all pods.
func (p *queuePlay) clear(ctx context.Context) error {
	for _, pod := range p.tracker.Pods() {
		if err := p.remove(ctx, pod.Name); err != nil {
			return err
		}
	}
	return p.wait(ctx, "all pods are gone", func() bool { return len(p.tracker.Pods()) == 0 })
}

// bound has the names of all pods that have a node.
func (p *queuePlay) bound() map[string]bool {
	names := map[string]bool{}
	for _, pod := range p.tracker.Pods() {
		if isBound(pod) {
			names[pod.Name] = true
		}
	}
	return names
}
