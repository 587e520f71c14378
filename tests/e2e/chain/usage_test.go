package chain

import (
	"fmt"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/exporter"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/metricsapi"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/prometheus"
)

// nodeNames are the nodes of the tests of usage.
var nodeNames = []string{"a", "b"}

// usageArgs are common to all sources.
var usageArgs = []string{"--window", fmt.Sprint(window), "--interval", fmt.Sprint(interval), "--step", "1",
	"--forecast", "false"}

// scraped is a world whose nodes have exporters that a Prometheus scrapes.
type scraped struct {
	*world
	exporters  *exporter.Exporters
	prometheus *prometheus.Server
}

func newScraped(t *testing.T) *scraped {
	t.Helper()
	var specs []exporter.Spec
	for _, name := range nodeNames {
		specs = append(specs, exporter.Spec{Name: name, Cpus: cpus, Load: exporter.Load{Available: memory}})
	}
	s := &scraped{exporters: exporter.ForTest(t, specs...)}
	// It scrapes for the first time after some seconds: the control plane starts meanwhile.
	s.prometheus = prometheus.ForTest(t, t.TempDir(), prometheus.Options{Targets: s.exporters.Targets()})
	s.world = newWorld(t)
	for _, name := range nodeNames {
		s.Nodes(kube.MakeNode(name).InternalIP(s.exporters.Node(name).Address))
	}
	return s
}

func (s *scraped) args(more ...string) []string {
	return append(append([]string{"--source", "prometheus", "--prometheus-url", s.prometheus.URL,
		"--exporter-port", fmt.Sprint(s.exporters.Port)}, usageArgs...), more...)
}

// set has a node use a share of its cpus and of its memory from now on.
func (s *scraped) set(node string, cpu, used float64) {
	s.exporters.Node(node).Set(exporter.Load{Busy: cpu * cpus, Available: int64((1 - used) * memory)})
}

func TestPodsAvoidANodeWhoseLoadRisesInPrometheus(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	s := newScraped(t)
	podsFollowTheLoads(s.world, s.set, s.args()...)
}

// deploy/extender.safe.yaml and deploy/controller.annotate-usage.yaml as they are: nodes are measured without Prometheus,
// and pods of the scheduler avoid the busy one. Only the window is shorter, so that there are values within seconds.
func TestTheFirstUseHasData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range nodeNames {
		w.Nodes(kube.MakeNode(name))
	}
	metrics := metricsapi.ForTest(t, w.Client)
	for node, cpu := range map[string]float64{"a": 0.05, "b": 0.97} {
		metrics.Set(node, metricsapi.Usage{Cpu: fmt.Sprintf("%.0fm", cpu*cpus*1000), Memory: "1Gi"})
	}
	kubeconfig := w.rightsOf("usage") // applies the file
	deployed := scheduling.Safe
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", deployed.Path())
	w.Must(err)
	w.Pods(kube.MakePod(ownPod).Scheduler("none"))
	w.StartDeployed(deployed)
	// Before the annotator is there any node is as good as another, and somebody says so.
	w.Pods(kube.MakePod("too-early").Scheduler(deployed.Scheduler))
	w.Until("too-early", "bound", scheduling.IsBound)
	w.UntilEventWith("NothingMeasured", "none of 2 nodes has been measured: is `outrigger annotate usage` running?")
	file := w.WriteSettings(scheduling.Deployed{Name: "outrigger-annotate-usage"})
	annotator := outrigger.Annotate(w, "deployed", w.Cluster.LogDir(), "usage", "--kubeconfig", kubeconfig, "--config", file,
		"--window", "4", "--interval", "1", "--step", "1")
	annotator.UntilReady(w)
	w.untilFree("a", 7500, 7700)
	w.untilFree("b", 200, 300)
	for i := range inARow {
		name := fmt.Sprintf("first-%d", i)
		w.Pods(kube.MakePod(name).Scheduler(deployed.Scheduler))
		if node := w.Until(name, "bound", scheduling.IsBound).Spec.NodeName; node != "a" {
			t.Errorf("pod %s is on the busy node", name)
		}
	}
}

// The figures that refused a node.
var riskReason = regexp.MustCompile(`safe: cpu: risk [0-9.]+ > 0\.30 of exceeding 90 percent utilization`)

// podsFollowTheLoads changes loads by set, and starts an annotator with these arguments.
func podsFollowTheLoads(w *world, set func(node string, cpu, used float64), args ...string) {
	safe := w.serve("safe", "--safe.max-risk", "0.3")
	w.StartScheduler(w.Config(map[string]string{"safe": safe.URL}))
	set("a", 0.05, 0.1)
	set("b", 0.55, 0.1)
	w.annotate("usage", args...)
	// As long as its window is not full, the rates in it are too low.
	w.untilFree("a", 7500, 7700)
	w.untilFree("b", 3500, 3700)
	w.untilPodsGoTo("a")

	set("a", 0.97, 0.1)
	w.Within(askedRise, "new pods avoid the node whose load rose", w.untilPodsGoTo("b"))
	set("a", 0.05, 0.1)
	w.Within(askedFall, "they come back", w.untilPodsGoTo("a"))

	set("a", 0.97, 0.1)
	set("b", 0.97, 0.1)
	w.untilRefused()
	w.Pods(kube.MakePod("waits"))
	condition := kube.Condition(w.refused("waits"), corev1.PodScheduled).Message
	if !riskReason.MatchString(condition) {
		w.Errorf("the condition is %s", condition)
	}
	set("b", 0.05, 0.1)
	if pod := w.Until("waits", "bound", scheduling.IsBound); pod.Spec.NodeName != "b" {
		w.Errorf("the pod that waited is on %s", pod.Spec.NodeName)
	}
	page := browser.Look(w, w.Cluster.LogDir(), safe.AdminURL, "#table/measured", "cpu mean")
	page.Until("one with the load of both nodes", "document.querySelectorAll('#table-rows td .bar').length >= 4")
}
