package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/process"
)

// Node runs pods of one API server.
type Node struct {
	// Images are what is there, by name.
	Images map[string]Image
	// Lenient: containers may do more than ours need.
	Lenient bool

	client kubernetes.Interface
	config *rest.Config
	dir    string // for everything
	logDir string

	replicas atomic.Uint32 // so far
}

// NewNode returns a node that keeps its files in dir, and the logs of containers in logDir. A process of the node's
// containers reaches the API server where config says.
func NewNode(client kubernetes.Interface, config *rest.Config, dir, logDir string) *Node {
	return &Node{Images: map[string]Image{}, client: client, config: config, dir: dir, logDir: logDir}
}

// Pod is a pod on the node. Its methods are safe for concurrent use.
type Pod struct {
	*corev1.Pod // as the API server has it

	node    *Node
	network network
	dir     string
	cancel  context.CancelFunc
	begun   chan struct{} // closed: all that starts has started, or failure says why not
	failure error

	mutex    sync.Mutex
	running  []*running // in the order in which they started
	unprobed []error    // of liveness, when it failed
	stopped  bool
}

// running is a container that has started.
type running struct {
	container corev1.Container
	sidecar   bool
	process   *process.Process
	root      string
	passed    atomic.Bool // its startup probe
}

// Exit is how a container ended.
type Exit struct {
	Container string
	Code      int
	After     time.Duration // since it was asked to
}

// Start starts the containers of a pod that the API server has, and returns at once; UntilReady waits.
func (n *Node) Start(ctx context.Context, pod *corev1.Pod) (*Pod, error) {
	p := &Pod{Pod: pod, node: n, begun: make(chan struct{}), dir: filepath.Join(n.dir, pod.Namespace, pod.Name)}
	var err error
	if p.network, err = newNetwork(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return nil, err
	}
	ctx, p.cancel = context.WithCancel(ctx)
	go func() {
		defer close(p.begun)
		if p.failure = p.prepare(ctx); p.failure == nil {
			p.failure = p.startAll(ctx)
		}
	}()
	return p, nil
}

// IP is the pod's address.
func (p *Pod) IP() string { return p.network.ip }

// NetworkNamespace is a name for `ip netns exec`, with which a program is in the pod as its containers are.
func (p *Pod) NetworkNamespace() string { return p.network.name }

// startAll starts sidecars one after another, each when the one before is up, and then the other containers.
func (p *Pod) startAll(ctx context.Context) error {
	for _, container := range p.Spec.InitContainers {
		sidecar := container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
		started, err := p.start(container, sidecar)
		if err != nil {
			return err
		}
		if !sidecar {
			if err := started.process.Wait(ctx); err != nil {
				return p.exitError(container.Name)
			}
			continue
		}
		if err := p.up(ctx, started); err != nil {
			return err
		}
	}
	for _, container := range p.Spec.Containers {
		started, err := p.start(container, false)
		if err != nil {
			return err
		}
		if err := p.up(ctx, started); err != nil {
			return err
		}
	}
	return nil
}

// up waits until a container has started, in the kubelet's sense.
func (p *Pod) up(ctx context.Context, r *running) error {
	if probe := r.container.StartupProbe; probe != nil {
		if err := p.untilPasses(ctx, r.container, probe); err != nil {
			return err
		}
	}
	r.passed.Store(true)
	if probe := r.container.LivenessProbe; probe != nil {
		go p.watchLife(ctx, r.container, probe)
	}
	return nil
}

// watchLife notes when a kubelet would kill a container.
func (p *Pod) watchLife(ctx context.Context, container corev1.Container, probe *corev1.Probe) {
	tick := time.NewTicker(time.Duration(probe.PeriodSeconds) * time.Second)
	defer tick.Stop()
	failed := int32(0) // in a row
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		err := p.probe(ctx, container, probe)
		if err == nil {
			failed = 0
			continue
		}
		if failed++; failed == probe.FailureThreshold && ctx.Err() == nil {
			p.mutex.Lock()
			p.unprobed = append(p.unprobed, fmt.Errorf("liveness of %s: %w", container.Name, err))
			p.mutex.Unlock()
		}
	}
}

// Ready returns nil if all containers run and are ready, or why not.
func (p *Pod) Ready(ctx context.Context) error {
	select {
	case <-p.begun:
	default:
		return errors.New("not all containers have started")
	}
	if p.failure != nil {
		return p.failure
	}
	for _, r := range p.list() {
		if !r.process.Running() && (r.sidecar || !p.isInit(r)) {
			return p.exitError(r.container.Name)
		}
		if probe := r.container.ReadinessProbe; probe != nil {
			if err := p.probe(ctx, r.container, probe); err != nil {
				return fmt.Errorf("readiness of %s: %w", r.container.Name, err)
			}
		}
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return errors.Join(p.unprobed...)
}

// UntilReady waits until the pod is ready, or will not be.
func (p *Pod) UntilReady(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := p.Ready(ctx)
		if err == nil || p.failed() != nil || errors.Is(err, errEnded) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("pod %s is not ready: %w", p.Name, err)
		}
	}
}

// failed is why the pod's containers have not all started, nil while they may.
func (p *Pod) failed() error {
	select {
	case <-p.begun:
		return p.failure
	default:
		return nil
	}
}

// Log returns what a container has printed, "" if it has not started.
func (p *Pod) Log(container string) string {
	text, err := os.ReadFile(p.LogPath(container))
	if err != nil && !os.IsNotExist(err) {
		return err.Error()
	}
	return string(text)
}

// LogPath is where that is.
func (p *Pod) LogPath(container string) string {
	return filepath.Join(p.node.logDir, p.logName(container)+".log")
}

func (p *Pod) logName(container string) string { return p.Name + "-" + container }

// UntilLogged waits until a container has printed a text.
func (p *Pod) UntilLogged(ctx context.Context, container, text string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(p.Log(container), text) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("container %s has not printed %q (%w): %v; end of its log:\n%s",
				container, text, ctx.Err(), p.failed(), tail(p.Log(container), 15))
		}
	}
	return nil
}

// Stop ends the pod as a kubelet does: SIGTERM to its containers, then to the sidecars, the last first, SIGKILL to those
// that are there when the grace period is over. It tells how they ended, in that order.
func (p *Pod) Stop() ([]Exit, error) {
	p.cancel()
	<-p.begun
	p.mutex.Lock()
	stopped := p.stopped
	p.stopped = true
	p.mutex.Unlock()
	if stopped {
		return nil, nil
	}
	deadline := time.Now().Add(time.Duration(*p.Spec.TerminationGracePeriodSeconds) * time.Second)
	var exits []Exit
	var failures []error
	all := p.list()
	slices.Reverse(all)
	for _, r := range all { // those without an order among them end one after another, too: there is one mostly
		asked := time.Now()
		err := p.end(r, deadline)
		code := 0
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		}
		exits = append(exits, Exit{r.container.Name, code, time.Since(asked)})
		failures = append(failures, p.clear(r))
	}
	return exits, errors.Join(append(failures, p.network.remove(), os.RemoveAll(p.dir))...)
}

func (p *Pod) end(r *running, deadline time.Time) error {
	id := p.id(r.container.Name)
	if r.process.Running() {
		_ = runc("kill", id, "TERM") // it may have ended meanwhile
	}
	select {
	case <-r.process.Done():
	case <-time.After(time.Until(deadline)):
		_ = runc("kill", id, "KILL")
		<-r.process.Done()
	}
	return r.process.Wait(context.Background())
}

// clear removes what a container leaves.
func (p *Pod) clear(r *running) error {
	_ = runc("delete", "--force", p.id(r.container.Name)) // runc has done it, unless it was killed
	return syscall.Unmount(r.root, 0)
}

func (p *Pod) start(container corev1.Container, sidecar bool) (*running, error) {
	image, ok := p.node.Images[container.Image]
	if !ok {
		return nil, fmt.Errorf("container %s: there is no image %s", container.Name, container.Image)
	}
	root, err := p.rootOf(container.Name, image)
	if err != nil {
		return nil, err
	}
	spec, err := p.specOf(container, image, root)
	if err != nil {
		return nil, errors.Join(err, syscall.Unmount(root, 0))
	}
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return nil, err
	}
	bundle := p.file("bundles", container.Name)
	if err := writeFiles(bundle, map[string][]byte{"config.json": text}, 0o644); err != nil {
		return nil, err
	}
	child, err := process.Start(process.Spec{Name: p.logName(container.Name), Path: "runc", LogDir: p.node.logDir,
		Args: []string{"--root", runcRoot, "run", "--bundle", bundle, p.id(container.Name)}})
	if err != nil {
		return nil, err
	}
	r := &running{container: container, sidecar: sidecar, process: child, root: root}
	p.mutex.Lock()
	p.running = append(p.running, r)
	p.mutex.Unlock()
	return r, nil
}

// rootOf mounts an image for one container: runc makes the folders for mounts in it.
func (p *Pod) rootOf(name string, image Image) (string, error) {
	root, upper, work := p.file("roots", name, "root"), p.file("roots", name, "upper"), p.file("roots", name, "work")
	for _, dir := range []string{root, upper, work} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	layers := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", image.Root, upper, work)
	if err := syscall.Mount("overlay", root, "overlay", 0, layers); err != nil {
		return "", fmt.Errorf("root of %s: %w", name, err)
	}
	return root, nil
}

const runcRoot = "/run/runc"

func runc(args ...string) error {
	if out, err := exec.Command("runc", append([]string{"--root", runcRoot}, args...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("runc %v: %w: %s", args, err, out)
	}
	return nil
}

// id is a container's name for runc; nodes of several tests share that.
func (p *Pod) id(container string) string { return p.network.name + "-" + container }

func (p *Pod) list() []*running {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.running)
}

func (p *Pod) isInit(r *running) bool {
	return slices.ContainsFunc(p.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == r.container.Name })
}

func (p *Pod) find(container string) *running {
	for _, r := range p.list() {
		if r.container.Name == container {
			return r
		}
	}
	return nil
}

func (p *Pod) ended(container string) <-chan struct{} { return p.find(container).process.Done() }

// errEnded is of containers that should run.
var errEnded = errors.New("ended")

func (p *Pod) exitError(container string) error {
	return fmt.Errorf("container %s has %w: %w", container, errEnded, p.find(container).process.ExitError())
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
