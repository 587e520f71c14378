package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/exporter"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/prometheus"
)

const (
	loadCpus   = 8
	loadMemory = 32 << 30
	loadWindow = 10 // seconds over which loads are measured
	loadPass   = 1  // seconds between two passes of the annotator
	// loadPace is how often a pod comes; loadSettled of them in a row say where pods go.
	loadPace    = 300 * time.Millisecond
	loadSettled = 8
)

// loadNodes are the shares of their cpus that nodes use at first.
var loadNodes = []exporter.Spec{loadNode("a", 0.05), loadNode("b", 0.55)}

func loadNode(name string, share float64) exporter.Spec {
	return exporter.Spec{Name: name, Cpus: loadCpus, Load: loadOf(share)}
}

func loadOf(share float64) exporter.Load {
	return exporter.Load{Busy: share * loadCpus, Available: loadMemory * 9 / 10}
}

// measuring is what `outrigger annotate usage` may do.
var measuring = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list", "watch", "patch"}},
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update"}},
}

// loadPlay is the measured loads of nodes, and where pods go.
type loadPlay struct {
	*scene
	exporters  *exporter.Exporters
	prometheus *prometheus.Server
	annotator  *outrigger.Server
	began      time.Time
	pods       int
}

func runLoad(ctx context.Context, keep bool) (err error) {
	if keep {
		return errors.New("--keep is for the scenario without a name")
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	exporters, err := exporter.Start(loadNodes...)
	if err != nil {
		return err
	}
	defer exporters.Stop()
	var nodes []*corev1.Node
	for _, spec := range loadNodes {
		nodes = append(nodes, kube.MakeNode(spec.Name).InternalIP(exporters.Node(spec.Name).Address).Node())
	}
	p := &loadPlay{exporters: exporters}
	p.scene, err = openScene(limited, nodes, p.start)
	if err != nil {
		p.stopMeasuring()
		return err
	}
	defer func() {
		p.stopMeasuring()
		err = errors.Join(err, p.stop())
	}()
	p.header()
	for _, act := range []func(context.Context) error{p.rest, p.rise, p.fall} {
		if err := act(limited); err != nil {
			return err
		}
	}
	return p.out.verdict(&p.report)
}

// start starts everything from the exporters to the scheduler.
func (p *loadPlay) start(ctx context.Context, s *stage) (err error) {
	progress("starting Prometheus")
	// It scrapes for the first time after some seconds.
	p.prometheus, err = prometheus.Start(ctx, s.dir, s.cluster.LogDir(), prometheus.Options{Targets: p.exporters.Targets()})
	if err != nil {
		return err
	}
	if err := s.startAgent(ctx, "safe"); err != nil {
		return err
	}
	if err := s.startScheduler(ctx, "--agents", "safe", "--url", s.agents["safe"].URL, "--weight", fmt.Sprint(weight)); err != nil {
		return err
	}
	credentials, err := s.cluster.ConfigWithRules(ctx, "annotate-usage", measuring...)
	if err != nil {
		return err
	}
	kubeconfig, err := s.cluster.WriteKubeconfig("annotate-usage", credentials)
	if err != nil {
		return err
	}
	progress("starting outrigger annotate usage")
	p.annotator, err = outrigger.StartAnnotate(s.binary, s.cluster.LogDir(), "usage", "--kubeconfig", kubeconfig,
		"--lease-namespace", metav1.NamespaceDefault, "--source", "prometheus", "--prometheus-url", p.prometheus.URL,
		"--exporter-port", fmt.Sprint(p.exporters.Port), "--window", fmt.Sprint(loadWindow),
		"--interval", fmt.Sprint(loadPass), "--step", "1", "--forecast", "false")
	if err != nil {
		return err
	}
	if err := p.annotator.AwaitReady(ctx); err != nil {
		return err
	}
	progress("until the loads are measured")
	return kube.Eventually(ctx, patience, func(ctx context.Context) error { return p.measured(ctx, s) })
}

// measured is an error until a whole window of each node's load is in its annotations.
func (p *loadPlay) measured(ctx context.Context, s *stage) error {
	for _, spec := range loadNodes {
		node, err := s.cluster.Client.CoreV1().Nodes().Get(ctx, spec.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		free := 1000 * (loadCpus - p.exporters.Node(spec.Name).Load().Busy)
		text := node.Annotations["mean-free-cpu"]
		if mean, err := strconv.ParseFloat(text, 64); err != nil || math.Abs(mean-free) > 0.03*free {
			return fmt.Errorf("node %s has mean-free-cpu %q, want about %.0f", spec.Name, text, free)
		}
	}
	return nil
}

func (p *loadPlay) stopMeasuring() {
	if p.annotator != nil {
		p.annotator.Kill()
	}
	if p.prometheus != nil {
		p.prometheus.Kill()
	}
}

const loadFormat = "    %9s   %4s  %-16s   %4s  %-16s   %s"

func (p *loadPlay) header() {
	p.out.line("%s, stock kube-scheduler %s; the control plane and Prometheus are real.", p.version, p.kubernetes)
	p.out.line("Two nodes of %d cpus, whose exporters count what scripts say. Prometheus scrapes each second,", loadCpus)
	p.out.line("`outrigger annotate usage` measures windows of %d s each second, safe goes by its annotations.", loadWindow)
}

func (p *loadPlay) rest(ctx context.Context) error {
	p.title("Node a has less to do than node b")
	p.began = time.Now()
	p.out.line(loadFormat, "TIME", "LOAD", "FREE CPU OF a", "LOAD", "FREE CPU OF b", "PODS GO TO")
	_, err := p.untilPodsGoTo(ctx, "a")
	return err
}

func (p *loadPlay) rise(ctx context.Context) error {
	p.title("The load of a rises")
	p.exporters.Node("a").Set(loadOf(0.97))
	took, err := p.untilPodsGoTo(ctx, "b")
	if err != nil {
		return err
	}
	p.out.line("    New pods avoid a %.1f s later.", took.Seconds())
	return p.explain(ctx)
}

func (p *loadPlay) fall(ctx context.Context) error {
	p.title("The load of a falls")
	p.exporters.Node("a").Set(loadOf(0.05))
	took, err := p.untilPodsGoTo(ctx, "a")
	if err != nil {
		return err
	}
	p.out.line("    They come back %.1f s later.", took.Seconds())
	return nil
}

// untilPodsGoTo creates one pod after another until they go to a node, and prints a row each second. It
// returns how long the first of them came after the beginning.
func (p *loadPlay) untilPodsGoTo(ctx context.Context, node string) (time.Duration, error) {
	began := time.Now()
	var first time.Duration
	var went []string
	row, printed := 0, began
	for row < loadSettled {
		at := time.Since(began)
		got, err := p.place(ctx)
		if err != nil {
			return 0, err
		}
		went = append(went, got)
		if got != node {
			row = 0
		} else if row++; row == 1 {
			first = at
		}
		if row == loadSettled || time.Since(printed) >= time.Second {
			if err := p.row(ctx, went); err != nil {
				return 0, err
			}
			went, printed = nil, time.Now()
		}
		if time.Since(began) > patience {
			p.promise(false, "after %s pods go to %s, want %s", patience, got, node)
			return first, nil
		}
		time.Sleep(loadPace)
	}
	p.promise(true, "")
	return first, nil
}

// place creates a pod and returns the node that it gets; the pod is gone again afterwards.
func (p *loadPlay) place(ctx context.Context) (string, error) {
	p.pods++
	pod := kube.MakePod(fmt.Sprintf("p%d", p.pods)).Pod()
	if _, err := p.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return "", err
	}
	bound, err := p.until(ctx, pod.Name, isBound)
	if err != nil {
		return "", err
	}
	return bound.Spec.NodeName, p.remove(ctx, pod.Name)
}

// row prints what nodes do, what is annotated of it, and where pods went.
func (p *loadPlay) row(ctx context.Context, went []string) error {
	values := []any{elapsed(p.began)}
	for _, spec := range loadNodes {
		node, err := p.cluster.Client.CoreV1().Nodes().Get(ctx, spec.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		load := p.exporters.Node(spec.Name).Load()
		values = append(values, fmt.Sprintf("%.0f %%", 100*load.Busy/loadCpus),
			fmt.Sprintf("%sm +- %sm", node.Annotations["mean-free-cpu"], node.Annotations["std-free-cpu"]))
	}
	p.out.line(loadFormat, append(values, strings.Join(went, " "))...)
	return nil
}

// explain waits until the agent would refuse node a to any pod, and prints what it says of each node.
func (p *loadPlay) explain(ctx context.Context) error {
	progress("until agent safe refuses node a")
	pod := kube.MakePod("example").Scheduler("none").Pod() // it stays pending
	if _, err := p.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	var said map[string]string
	err := kube.Eventually(ctx, patience, func(ctx context.Context) (err error) {
		if said, err = p.reasons(ctx, pod.Name); err == nil && said["a"] == "" {
			err = errors.New("node a is not refused")
		}
		return err
	})
	if ctx.Err() != nil {
		return err
	}
	p.promise(err == nil, "agent safe and node a: %v", err)
	p.out.line("    outrigger explain pod:")
	for _, spec := range loadNodes {
		reason := "fits"
		if said[spec.Name] != "" {
			reason = short(said[spec.Name])
		}
		p.out.line("        %s   %s", spec.Name, reason)
	}
	return p.remove(ctx, pod.Name)
}

// reasons are why nodes do not fit a pod, by `explain pod`.
func (p *loadPlay) reasons(ctx context.Context, pod string) (map[string]string, error) {
	kubeconfig, err := p.cluster.WriteKubeconfig("reader", p.cluster.Config)
	if err != nil {
		return nil, err
	}
	text, err := exec.CommandContext(ctx, p.binary, "explain", "pod", pod, "--agents", "safe", "-o", "json",
		"--kubeconfig", kubeconfig).Output()
	if err != nil {
		return nil, fmt.Errorf("%s explain pod: %w", p.binary, describe(err))
	}
	var explained struct {
		Nodes []struct {
			Name   string `json:"name"`
			Fits   bool   `json:"fits"`
			Agents []struct {
				Reason string `json:"reason"`
			} `json:"agents"`
		} `json:"nodes"`
	}
	if err := json.Unmarshal(text, &explained); err != nil {
		return nil, fmt.Errorf("explain pod: %w: %s", err, text)
	}
	said := map[string]string{}
	for _, node := range explained.Nodes {
		if !node.Fits && len(node.Agents) > 0 {
			said[node.Name] = node.Agents[0].Reason
		}
	}
	return said, nil
}
