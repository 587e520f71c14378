package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// Two gangs that fit one after the other, but not both: what each takes alone is missing to the other.
const (
	gangNodes = 2
	nodeSlots = 4
	gangSize  = 6
)

var gangNames = []string{"red", "blue"}

// gangPlay is the two gangs on a stage: first with the scheduler alone, then with the agent.
type gangPlay struct{ *scene }

func runGang(ctx context.Context, keep bool) (err error) {
	if keep {
		return errors.New("--keep is for the scenario without a name")
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var nodes []*corev1.Node
	for i := range gangNodes {
		nodes = append(nodes, kube.MakeNode(fmt.Sprintf("n%d", i)).
			Resource(corev1.ResourceCPU, fmt.Sprint(nodeSlots)).Node())
	}
	s, err := startScene(limited, nodes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	p := &gangPlay{s}
	p.out.line("%s, stock kube-scheduler %s; etcd, kube-apiserver and kube-scheduler are real.", s.version, s.kubernetes)
	p.out.line("%d nodes with room for %d pods each; the gangs %s need %d pods each, all or none.",
		gangNodes, nodeSlots, strings.Join(gangNames, " and "), gangSize)
	for _, act := range []func(context.Context) error{p.alone, p.withAgent} {
		if err := act(limited); err != nil {
			return err
		}
	}
	return p.out.verdict(&p.report)
}

// alone shows what happens without the agent.
func (p *gangPlay) alone(ctx context.Context) error {
	p.title("kube-scheduler alone")
	decided := func(pod string) error {
		_, err := p.until(ctx, pod, isDecided)
		return err
	}
	if err := p.create(ctx, decided); err != nil {
		return err
	}
	full := func() bool { return p.bound("red")+p.bound("blue") == gangNodes*nodeSlots }
	if err := p.wait(ctx, "every place is taken", full); err != nil {
		return err
	}
	for _, gang := range gangNames {
		p.out.line("    %-5s %d of %d pods are placed", gang, p.bound(gang), gangSize)
		p.promise(p.bound(gang) > 0 && p.bound(gang) < gangSize,
			"without the agent %d of %d pods of %s are placed, want a part", p.bound(gang), gangSize, gang)
	}
	p.out.line("    Every place is taken, neither gang can start, and neither lets go: a deadlock.")
	p.scheduler.Kill()
	for _, gang := range gangNames {
		if err := p.end(ctx, gang); err != nil {
			return err
		}
	}
	return nil
}

// withAgent shows the same with the agent gang beside the same scheduler.
func (p *gangPlay) withAgent(ctx context.Context) error {
	if err := p.startAgent(ctx, "gang", "--gang.scheduler-lease", "none"); err != nil {
		return err
	}
	if err := p.startScheduler(ctx, "--agents", "gang", "--url", p.agents["gang"].URL); err != nil {
		return err
	}
	p.title("with the agent gang beside it")
	began := time.Now()
	if err := p.create(ctx, func(string) error { return nil }); err != nil {
		return err
	}
	whole := func(gang string) bool { return p.bound(gang) == gangSize }
	if err := p.wait(ctx, "a gang is whole", func() bool { return whole("red") || whole("blue") }); err != nil {
		return err
	}
	first, second := "red", "blue"
	if whole(second) {
		first, second = second, first
	}
	p.bind(first, began)
	if err := p.told(ctx, second); err != nil {
		return err
	}
	p.promise(p.bound(second) == 0, "%d pods of %s are placed, want none", p.bound(second), second)
	p.out.line("    %s  %s ends", elapsed(began), first)
	ended := time.Now()
	if err := p.end(ctx, first); err != nil {
		return err
	}
	if err := p.wait(ctx, second+" is whole", func() bool { return whole(second) }); err != nil {
		return err
	}
	p.bind(second, began)
	p.promise(time.Since(ended) < patience/2, "%s is whole %s after %s has ended", second, time.Since(ended), first)
	return nil
}

func (p *gangPlay) bind(gang string, began time.Time) {
	p.out.line("    %s  %-5s %d of %d pods are placed", elapsed(began), gang, p.bound(gang), gangSize)
	p.promise(p.bound(gang) == gangSize, "%d of %d pods of %s are placed", p.bound(gang), gangSize, gang)
}

// told prints what the second gang is told, in its pods' condition and by explain.
func (p *gangPlay) told(ctx context.Context, gang string) error {
	name := gang + "-0"
	// At first it may have been told that not all members exist.
	pod, err := p.until(ctx, name, func(pod *corev1.Pod) bool {
		condition := kube.Condition(pod, corev1.PodScheduled)
		return condition.Status == corev1.ConditionFalse && strings.Contains(condition.Message, " waits: cpu")
	})
	if err != nil {
		return err
	}
	kubeconfig, err := p.cluster.WriteKubeconfig("reader", p.cluster.Config)
	if err != nil {
		return err
	}
	explained, err := exec.CommandContext(ctx, p.binary, "explain", "gang", gang, "--kubeconfig", kubeconfig).Output()
	if err != nil {
		return fmt.Errorf("%s explain gang: %w", p.binary, describe(err))
	}
	p.out.line("              %-5s %d of %d pods are placed; it holds nothing, and is told:", gang, p.bound(gang), gangSize)
	p.out.line("              condition of %s:", name)
	message := kube.Condition(pod, corev1.PodScheduled).Message
	p.quote(message)
	p.out.line("              outrigger explain gang %s:", gang)
	why := ""
	for line := range strings.Lines(string(explained)) {
		if strings.HasPrefix(line, "Why:") {
			why = strings.TrimSpace(strings.TrimPrefix(line, "Why:"))
			p.quote(why)
		}
	}
	p.promise(strings.Contains(why, fmt.Sprintf("%d members need cpu 1", gangSize)) &&
		strings.Contains(why, fmt.Sprintf(" %d fit; 4 more nodes with cpu 1", gangNodes*nodeSlots-gangSize)),
		"explain gang %s says %q", gang, why)
	return nil
}

// quote prints a text within 100 columns.
func (p *gangPlay) quote(text string) {
	for _, line := range wrap(text, 80) {
		p.out.line("                  %s", line)
	}
}

// create creates the gangs' pods in turns, as two users at once do, and calls next after each.
func (p *gangPlay) create(ctx context.Context, next func(pod string) error) error {
	for i := range gangSize {
		for _, gang := range gangNames {
			pod := kube.MakePod(fmt.Sprintf("%s-%d", gang, i)).Request(corev1.ResourceCPU, "1").
				Label("podGroup", gang).Label("minAvailable", fmt.Sprint(gangSize)).Pod()
			if _, err := p.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
				return err
			}
			if err := next(pod.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// end deletes a gang, as if its job had ended.
func (p *gangPlay) end(ctx context.Context, gang string) error {
	for i := range gangSize {
		err := p.remove(ctx, fmt.Sprintf("%s-%d", gang, i))
		if err != nil {
			return err
		}
	}
	return p.wait(ctx, gang+" is gone", func() bool { return p.pods(gang) == 0 })
}

func (p *gangPlay) count(gang string, counts func(*corev1.Pod) bool) int {
	count := 0
	for _, pod := range p.tracker.Pods() {
		if strings.HasPrefix(pod.Name, gang+"-") && counts(pod) {
			count++
		}
	}
	return count
}

func (p *gangPlay) pods(gang string) int {
	return p.count(gang, func(*corev1.Pod) bool { return true })
}

func (p *gangPlay) bound(gang string) int {
	return p.count(gang, func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })
}
