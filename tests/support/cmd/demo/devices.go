package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// The nodes have three foozers each, in pools of two and one, and three GPUs of a DRA driver.
var devicesNodes = []string{"a", "b"}

const gpuDriver = "gpu.example.com"

type devicesPlay struct {
	*scene
	kubeconfig string
}

func runDevices(ctx context.Context, keep bool) (err error) {
	if keep {
		return errors.New("--keep is for the scenario without a name")
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var nodes []*corev1.Node
	for _, name := range devicesNodes {
		nodes = append(nodes, kube.MakeNode(name).Node())
	}
	s, err := openScene(limited, nodes, func(context.Context, *stage) error { return nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	p := &devicesPlay{scene: s}
	if p.kubeconfig, err = p.cluster.WriteKubeconfig("reader", p.cluster.Config); err != nil {
		return err
	}
	p.out.line("%s, stock kube-scheduler %s; etcd, kube-apiserver and kube-scheduler are real.", s.version, s.kubernetes)
	for _, act := range []func(context.Context) error{p.prototype, p.dra} {
		if err := act(limited); err != nil {
			return err
		}
	}
	return p.out.verdict(&p.report)
}

// sources is where the project is.
func sources() string { return os.Getenv("OUTRIGGER_SOURCES") }

// prototype shows the kinds of k8srm-prototype, which the agent devices allocates.
func (p *devicesPlay) prototype(ctx context.Context) error {
	if _, err := p.cluster.Kubectl(ctx, "apply", "--server-side", "-f", filepath.Join(sources(), "deploy/devices")); err != nil {
		return err
	}
	example, err := os.ReadFile(filepath.Join(sources(), "agents/devices/examples/start/devices.yaml"))
	if err != nil {
		return err
	}
	for _, node := range devicesNodes {
		file := filepath.Join(p.dir, node+".yaml")
		if err := os.WriteFile(file, bytes.ReplaceAll(example, []byte("NODE"), []byte(node)), 0o600); err != nil {
			return err
		}
		if _, err := p.cluster.Kubectl(ctx, "apply", "--server-side", "--force-conflicts", "-f", file); err != nil {
			return err
		}
	}
	if err := p.startAgent(ctx, "devices", "--devices.dra"); err != nil {
		return err
	}
	if err := p.startScheduler(ctx, "--agents", "devices", "--url", p.agents["devices"].URL); err != nil {
		return err
	}
	p.title("DeviceClaims: the agent devices allocates. Three pods ask for two foozers on one NUMA node")
	for i := range 3 {
		if err := p.create(ctx, foozers(fmt.Sprintf("pair-%d", i)), isDecided); err != nil {
			return err
		}
	}
	if err := p.run(ctx, "devices"); err != nil {
		return err
	}
	bound := map[string]bool{}
	for _, pod := range p.tracker.Pods() {
		if isBound(pod) {
			bound[pod.Spec.NodeName] = true
		}
	}
	p.promise(len(bound) == len(devicesNodes), "pairs are on %d nodes, want one on each", len(bound))
	said, err := p.told(ctx, "schedule", "--cluster", "live", "--pod", "pair-2")
	p.promise(strings.Contains(said, "2 foozer on one numa wanted, best has 1 free"), "schedule does not say what is short")
	p.show(said)
	return err
}

// dra shows a claim that kube-scheduler allocates, and why it does not.
func (p *devicesPlay) dra(ctx context.Context) error {
	p.title("ResourceClaims of DRA: kube-scheduler allocates. A pod asks for four GPUs, each node has three")
	if err := p.publish(ctx); err != nil {
		return err
	}
	for _, ask := range []struct {
		name  string
		count int64
		fits  func(*corev1.Pod) bool
	}{{"four", 4, isDecided}, {"three", 3, isBound}} {
		if err := p.claim(ctx, ask.name, ask.count); err != nil {
			return err
		}
		if err := p.create(ctx, kube.MakePod(ask.name).ResourceClaim(ask.name).Pod(), ask.fits); err != nil {
			return err
		}
		said, err := p.told(ctx, "explain", "claim", ask.name)
		if err != nil {
			return err
		}
		p.show(said)
		if ask.name == "four" {
			p.promise(strings.Contains(said, "would help: count 3 in request gpus"), "explain claim names no cure")
		} else {
			p.promise(strings.Contains(said, "Allocated: three has gpus "+gpuDriver), "explain claim does not name the devices")
		}
	}
	return nil
}

// publish is what a driver and an administrator do.
func (p *devicesPlay) publish(ctx context.Context) error {
	client := p.cluster.Client.ResourceV1()
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	class.Spec.Selectors = []resourceapi.DeviceSelector{
		{CEL: &resourceapi.CELDeviceSelector{Expression: "device.driver == '" + gpuDriver + "'"}}}
	if _, err := client.DeviceClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return err
	}
	for _, node := range devicesNodes {
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}}
		slice.Spec = resourceapi.ResourceSliceSpec{Driver: gpuDriver, NodeName: &node,
			Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}
		for i := range 3 {
			slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("gpu-%d", i)})
		}
		if _, err := client.ResourceSlices().Create(ctx, slice, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func (p *devicesPlay) claim(ctx context.Context, name string, count int64) error {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "gpus",
		Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", Count: count}}}
	_, err := p.cluster.Client.ResourceV1().ResourceClaims(claim.Namespace).Create(ctx, claim, metav1.CreateOptions{})
	return err
}

func foozers(name string) *corev1.Pod {
	return kube.MakePod(name).Annotation("devmgmtproto.k8s.io/device-claims",
		`[{"name": "foozers", "claim": {"deviceClass": "foozer", "minDeviceCount": 2, "maxDeviceCount": 2,`+
			` "matchAttributes": ["numa"]}}]`).Pod()
}

// told is what the program prints; it is asked of the live cluster.
func (p *devicesPlay) told(ctx context.Context, args ...string) (string, error) {
	p.out.line("    $ outrigger %s", strings.Join(args, " "))
	text, err := exec.CommandContext(ctx, p.binary, append(args, "--kubeconfig", p.kubeconfig)...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", p.binary, strings.Join(args, " "), describe(err))
	}
	return string(text), nil
}

func (p *devicesPlay) run(ctx context.Context, args ...string) error {
	text, err := p.told(ctx, args...)
	if err == nil {
		p.show(text)
	}
	return err
}

func (p *devicesPlay) show(text string) {
	const width = 94
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for len(line) > width {
			cut := strings.LastIndexByte(line[:width], ' ')
			p.out.line("    %s", strings.TrimRight(line[:cut], " "))
			line = "          " + line[cut+1:]
		}
		p.out.line("    %s", line)
	}
	p.out.line("")
}
