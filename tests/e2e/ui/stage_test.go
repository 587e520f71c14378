// Package ui tests what people look at, in a real browser and a real terminal: the pages of the admin port, and the
// commands `outrigger top` and `outrigger ui`, with the agents gang and qos on a real control plane.
package ui

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const gpu corev1.ResourceName = "nvidia.com/gpu"

// Nodes of the stage: in each of four zones five racks.
const (
	zones        = 4
	racksOfZone  = 5
	nodesOfRack  = 10
	gpuNodes     = 20 // the last ones
	freeGPUNodes = 4  // of these
	nodes        = zones * racksOfZone * nodesOfRack
)

// stage is a cluster of 200 nodes, with gangs that wait, as a person may look at it. At first no scheduler runs: what has
// a place stays where it is. All tests of the package have it, one after the other.
type stage struct {
	*scheduling.World
	agents     *outrigger.Server
	kubeconfig string // of agents
	browser    *browser.Browser
}

func newStage(t *testing.T) *stage {
	t.Helper()
	began := time.Now()
	s := &stage{World: scheduling.Of(t, cluster.ForTest(t))}
	s.browser = browser.Start(t, s.Cluster.LogDir())
	s.each(nodes, func(i int) error { return s.createNode(stageNode(i)) })
	for _, name := range []string{"ml", "batch", "web"} {
		_, err := s.Client.CoreV1().Namespaces().Create(s.Ctx,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		s.Must(err)
	}
	running := runningPods()
	s.each(len(running), func(i int) error { return s.createPod(running[i]) })
	s.kubeconfig = s.AgentKubeconfig("gang,qos")
	s.agents = outrigger.Serve(t, "agents", s.Cluster.LogDir(), "gang,qos", "--gang.scheduler-lease", "none",
		"--kubeconfig", s.kubeconfig)
	s.agents.UntilReady(t)
	for _, gang := range gangs() { // one after the other: when they came is part of their order
		members := gang.members()
		s.each(len(members), func(i int) error { return s.createPod(members[i]) })
	}
	t.Logf("the stage after %.1f s", time.Since(began).Seconds())
	return s
}

// page opens a tab at the agents' admin port.
func (s *stage) page(t *testing.T) *browser.Page {
	t.Helper()
	return s.browser.NewPage(t, s.agents.AdminURL)
}

// each does something so many times, some at once.
func (s *stage) each(count int, do func(i int) error) {
	s.Helper()
	const clients = 16
	var next atomic.Int64
	errs := make(chan error, clients)
	var done sync.WaitGroup
	for range clients {
		done.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	done.Wait()
	close(errs)
	for err := range errs {
		s.Must(err)
	}
}

func (s *stage) createNode(builder *kube.NodeBuilder) error {
	_, err := s.Client.CoreV1().Nodes().Create(s.Ctx, builder.Node(), metav1.CreateOptions{})
	return err
}

func (s *stage) createPod(builder *kube.PodBuilder) error {
	pod := builder.Pod()
	_, err := s.Client.CoreV1().Pods(pod.Namespace).Create(s.Ctx, pod, metav1.CreateOptions{})
	return err
}

// nodeName is that of a node of the stage: cpu-000 to cpu-179, gpu-180 to gpu-199.
func nodeName(i int) string {
	if i >= nodes-gpuNodes {
		return fmt.Sprintf("gpu-%03d", i)
	}
	return fmt.Sprintf("cpu-%03d", i)
}

func stageNode(i int) *kube.NodeBuilder {
	node := kube.MakeNode(nodeName(i)).Resource(corev1.ResourceCPU, "32").Resource(corev1.ResourceMemory, "128Gi").
		Label(corev1.LabelTopologyZone, fmt.Sprintf("eu-west-1%c", 'a'+i/(racksOfZone*nodesOfRack))).
		Label("example.com/rack", fmt.Sprintf("r%02d", i/nodesOfRack+1))
	if i >= nodes-gpuNodes {
		node.Resource(corev1.ResourceCPU, "96").Resource(corev1.ResourceMemory, "768Gi").Resource(gpu, "8")
	}
	if isOfPool(i) {
		node.Label(poolLabel, pool)
	}
	if i%67 == 5 {
		node.Cordoned()
	}
	return node
}

// Nodes of which a gang (late) needs both. A pod indexer-N of batch fills each.
const (
	firstOfPool, nodesOfPool = 30, 2
	poolLabel, pool          = "example.com/pool", "fraud"
)

func isOfPool(i int) bool { return i >= firstOfPool && i < firstOfPool+nodesOfPool }

// runningPods fill the nodes, some more and some less.
func runningPods() []*kube.PodBuilder {
	var pods []*kube.PodBuilder
	add := func(namespace, name, cpu, memory string) *kube.PodBuilder {
		pod := kube.MakePod(name).Namespace(namespace).Request(corev1.ResourceCPU, cpu).Request(corev1.ResourceMemory, memory)
		pods = append(pods, pod)
		return pod
	}
	for i := range nodes - gpuNodes {
		if isOfPool(i) {
			add("batch", fmt.Sprintf("indexer-%d", i-firstOfPool), "28", "64Gi").Node(nodeName(i))
			continue
		}
		for j := range 2 + i*7%11%3 {
			cpu, memory := 3+(i*5+j*3)%7, 8+(i*3+j*11)%24
			add("web", fmt.Sprintf("shop-%03d-%d", i, j), fmt.Sprint(cpu), fmt.Sprintf("%dGi", memory)).Node(nodeName(i))
		}
	}
	for i := nodes - gpuNodes; i < nodes-freeGPUNodes; i++ {
		add("ml", fmt.Sprintf("recommender-%03d", i), "48", "256Gi").Request(gpu, "8").Node(nodeName(i))
	}
	return pods
}

// gang is some pods that are the same.
type gang struct {
	namespace, name string
	size, minimum   int
	priority        int // groupPriority
	cpu, memory     string
	gpus            int
	pool            string // whose nodes it may use; "": all
}

func (g gang) unit() string { return g.namespace + "/" + g.name }

func (g gang) members() []*kube.PodBuilder {
	var pods []*kube.PodBuilder
	for i := range g.size {
		pod := kube.MakePod(fmt.Sprintf("%s-%02d", g.name, i)).Namespace(g.namespace).
			Label("podGroup", g.name).Label("minAvailable", fmt.Sprint(g.minimum)).Label("groupPriority", fmt.Sprint(g.priority)).
			Request(corev1.ResourceCPU, g.cpu).Request(corev1.ResourceMemory, g.memory)
		if g.gpus > 0 {
			pod.Request(gpu, fmt.Sprint(g.gpus))
		}
		if g.pool != "" {
			pod.NodeSelector(poolLabel, g.pool)
		}
		pods = append(pods, pod)
	}
	return pods
}

// Gangs of the stage, in the order of the queue.
var (
	pretrain = gang{namespace: "ml", name: "llm-pretrain", size: 16, minimum: 16, priority: 100, cpu: "32", memory: "256Gi", gpus: 8}
	vision   = gang{namespace: "ml", name: "vision-train", size: 4, minimum: 4, priority: 50, cpu: "32", memory: "256Gi", gpus: 8}
	late     = gang{namespace: "ml", name: "fraud-retrain", size: 2, minimum: 2, priority: 40, cpu: "20", memory: "48Gi", pool: pool}
	partial  = gang{namespace: "ml", name: "bert-eval", size: 3, minimum: 4, priority: 30, cpu: "4", memory: "16Gi"} // one is missing
	genome   = gang{namespace: "batch", name: "genome-align", size: 24, minimum: 24, priority: 20, cpu: "10", memory: "24Gi"}
	render   = gang{namespace: "batch", name: "render", size: 48, minimum: 48, priority: 10, cpu: "31", memory: "64Gi"}
	sweep    = gang{namespace: "ml", name: "tune-sweep", size: 8, minimum: 8, priority: 5, cpu: "8", memory: "64Gi", gpus: 2}
)

// gangs are all of them, in the order in which they are created: not that of the queue.
func gangs() []gang { return []gang{render, vision, partial, late, pretrain, sweep, genome} }

// inOrder are those that are in the queue.
func inOrder() []gang { return []gang{pretrain, vision, late, genome, render, sweep} }
