// Package scheduling has what tests of agents under the real kube-apiserver and kube-scheduler share.
package scheduling

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
	base "outrigger.dev/outrigger/tests/support/world"
)

// Patience is how long one thing may take that takes a second or a few on a quiet machine; see process.Patience.
const Patience = process.Patience

// limit ends a test that hangs: the longest takes a minute on a quiet machine.
const limit = 20 * time.Minute

// World is one control plane of a test's own, with a tracker of its pods.
type World struct {
	base.World
	Tracker *kube.Tracker
	TLS     *MutualTLS // nil: agents are called in clear
	// WholeNodes: the scheduler sends nodes with each call, and agents have no access to the API
	// server. Otherwise it sends names, and agents follow the nodes themselves.
	WholeNodes bool

	aloneConfigs map[string]string // by agents: kubeconfigs of those that no scheduler calls
}

// New gives a test a control plane of its own as long as it runs; see cluster.SharedForTest.
func New(t *testing.T) *World {
	t.Helper()
	return Of(t, cluster.SharedForTest(t))
}

// Of is the world around a cluster that was started in a special way.
func Of(t *testing.T, c *cluster.Cluster) *World {
	t.Helper()
	return &World{World: base.Of(t, c, limit), Tracker: c.MustTrackPods(t)}
}

// Nodes creates nodes. Nodes that are there before the scheduler starts are all known to it when it
// places its first pod; later ones may be late.
func (w *World) Nodes(builders ...*kube.NodeBuilder) {
	w.Helper()
	for _, builder := range builders {
		_, err := w.Client.CoreV1().Nodes().Create(w.Ctx, builder.Node(), metav1.CreateOptions{})
		w.Must(err)
	}
}

const NodeEvents = "outrigger_watch_events_total"

// NodesKnown also counts what came as a list: API servers before 1.34 do not stream one as events.
const NodesKnown = "outrigger_watch_objects"

// Annotate sets annotations of a node.
func (w *World) Annotate(node string, annotations map[string]string) {
	w.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	w.Must(err)
	_, err = w.Client.CoreV1().Nodes().Patch(w.Ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	w.Must(err)
}

// Pods creates pods.
func (w *World) Pods(builders ...*kube.PodBuilder) {
	w.Helper()
	for _, builder := range builders {
		pod := builder.Pod()
		_, err := w.Client.CoreV1().Pods(pod.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{})
		w.Must(err)
	}
}

// Serve starts agents in a process of their own.
func (w *World) Serve(agents string, args ...string) *outrigger.Server {
	w.Helper()
	return w.ServeAt(0, agents, args...)
}

// ServeAt is serve on a port that is known beforehand.
func (w *World) ServeAt(port int, agents string, args ...string) *outrigger.Server {
	w.Helper()
	args = append(w.TLS.ofServe(), args...)
	if w.WholeNodes {
		return outrigger.ServeAt(w, port, agents, w.Cluster.LogDir(), agents, args...)
	}
	args = append(args, "--kubeconfig", w.AgentKubeconfig(agents))
	server := outrigger.ServeAt(w, port, agents, w.Cluster.LogDir(), agents, args...)
	server.UntilReady(w)
	return server
}

// AgentKubeconfig returns the path of a kubeconfig with exactly the rights of an agent; flags are those of
// `agents --rbac`.
func (w *World) AgentKubeconfig(agent string, flags ...string) string {
	w.Helper()
	manifest := outrigger.Run(w, append([]string{"agents", "--rbac", agent}, flags...)...)
	config, err := w.Cluster.ConfigWithManifest(w.Ctx, manifest)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig(agent, config)
	w.Must(err)
	return kubeconfig
}

// SchedulerBase is what users have before they add agents: a configuration with a kubeconfig.
func (w *World) SchedulerBase() []byte {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig("scheduler", w.Cluster.ConfigOf(cluster.SchedulerUser))
	w.Must(err)
	return fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  kubeconfig: %s
  qps: 1000
  burst: 2000
leaderElection:
  leaderElect: false
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 2
`, kubeconfig)
}

// Config is schedulerBase with agents, by name, at URLs; args are added to scheduler-config's.
func (w *World) Config(urls map[string]string, args ...string) []byte {
	w.Helper()
	names := ""
	for _, name := range []string{"safe", "congestion", "pigeon", "reward", "devices", "gang", "qos"} { // a fixed order
		if url, ok := urls[name]; ok {
			names += "," + name
			args = append(args, "--url", name+"="+url)
		}
	}
	args = append(w.TLS.OfSchedulerConfig(), args...)
	if w.WholeNodes {
		args = append(args, "--full-nodes")
	}
	args = append([]string{"--agents", names[1:], "--weight", "100"}, args...)
	return outrigger.SchedulerConfig(w, w.SchedulerBase(), args...)
}

// StartScheduler starts the scheduler, which is killed at the end of the test.
func (w *World) StartScheduler(config []byte) {
	w.Helper()
	w.Cluster.MustStartScheduler(w, "kube-scheduler", config)
}

// Until waits for a condition of one pod and returns the pod.
func (w *World) Until(name, what string, condition func(*corev1.Pod) bool) *corev1.Pod {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, Patience)
	defer cancel()
	var pod *corev1.Pod
	if err := w.Tracker.Until(ctx, func() bool {
		pod = w.Tracker.Pod("default", name)
		return pod != nil && condition(pod)
	}); err != nil {
		w.Fatalf("pod %s is not %s: %v", name, what, err)
	}
	return pod
}

// UntilBound waits until count pods in all are bound.
func (w *World) UntilBound(count int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return len(w.Tracker.Bindings()) >= count }); err != nil {
		w.Fatalf("not %d pods bound: %v", count, err)
	}
}

// UntilSchedulerError waits until the scheduler has said of a pod that it met an error.
func (w *World) UntilSchedulerError(name string) *corev1.Pod {
	w.Helper()
	return w.Until(name, "in SchedulerError", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonSchedulerError
	})
}

// CheckBoundOnce fails the test unless each of count pods is bound, and was bound once.
func (w *World) CheckBoundOnce(count int) {
	w.Helper()
	times := map[string]int{}
	for _, binding := range w.Tracker.Bindings() {
		times[binding.UID]++
		if times[binding.UID] > 1 {
			w.Errorf("%s is bound again, to %s", binding.Name, binding.Node)
		}
	}
	pods := w.Tracker.Pods()
	if len(times) != count || len(pods) != count {
		w.Errorf("%d pods bound, %d pods there, want %d", len(times), len(pods), count)
	}
}

// Edit changes a scheduler configuration as a person would who edits the file.
func Edit(t *testing.T, config []byte, change func(extenders []any)) []byte {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal(config, &object); err != nil {
		t.Fatalf("the configuration is no YAML: %v:\n%s", err, config)
	}
	extenders, _ := object["extenders"].([]any)
	if len(extenders) == 0 {
		t.Fatalf("the configuration has no extenders:\n%s", config)
	}
	change(extenders)
	edited, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return edited
}

// IsBound is true of a pod that has a node.
func IsBound(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" }
