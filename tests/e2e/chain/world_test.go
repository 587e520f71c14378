// Package chain tests the way from measured loads, and from what pods ask for, through the annotators to
// where the real kube-scheduler places pods.
package chain

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const (
	interval = 1  // seconds between two passes of the annotator
	window   = 10 // seconds over which it measures
	rates    = 4  // seconds of which each point in the window is the rate: four scrapes
)

// How soon a load is to be seen in where pods go: one that rises when it weighs enough, one that has fallen when
// the last of it has left the window, since until then the node's load varies much.
const (
	askedRise = (window + 2*interval) * time.Second
	askedFall = (window + rates + 2*interval) * time.Second
)

const (
	cpus   = 8
	memory = 32 << 30 // bytes
)

// world is a control plane with annotators.
type world struct {
	*scheduling.World
	annotators int
	probes     int
	probeType  string // label podtype; "": none
}

// annotate starts an annotator with the rights of its manifest, and waits until it is ready.
func (w *world) annotate(kind string, args ...string) *outrigger.Server {
	w.Helper()
	w.annotators++
	annotator := outrigger.Annotate(w, fmt.Sprintf("annotate-%s-%d", kind, w.annotators), w.Cluster.LogDir(), kind,
		append([]string{"--kubeconfig", w.rightsOf(kind)}, args...)...)
	annotator.UntilReady(w)
	return annotator
}

// rightsOf returns the path of a kubeconfig with the rights of an annotator.
func (w *world) rightsOf(kind string) string {
	w.Helper()
	name := "outrigger-annotate-" + kind
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", "../../../deploy/controller.annotate-"+kind+".yaml")
	w.Must(err)
	credentials, err := w.Cluster.ServiceAccountConfig(w.Ctx, metav1.NamespaceSystem, name)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, credentials)
	w.Must(err)
	return kubeconfig
}

// serve starts an agent with its rights in the namespace where it keeps its state.
func (w *world) serve(agent string, args ...string) *outrigger.Server {
	w.Helper()
	if w.WholeNodes {
		return w.Serve(agent, args...)
	}
	manifest := outrigger.Run(w, "agents", "--rbac", agent, "--namespace", metav1.NamespaceSystem)
	credentials, err := w.Cluster.ConfigWithManifest(w.Ctx, manifest)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig(agent, credentials)
	w.Must(err)
	server := outrigger.Serve(w, agent, w.Cluster.LogDir(), agent, append(args, "--kubeconfig", kubeconfig)...)
	server.UntilReady(w)
	return server
}

// annotation returns what a node has; "" for nothing.
func (w *world) annotation(node, key string) string {
	w.Helper()
	object, err := w.Client.CoreV1().Nodes().Get(w.Ctx, node, metav1.GetOptions{})
	w.Must(err)
	return object.Annotations[key]
}

func (w *world) eventually(condition func(context.Context) error) {
	w.Helper()
	if err := kube.Eventually(w.Ctx, scheduling.Patience, condition); err != nil {
		w.Fatal(err)
	}
}

// probe creates a pod and returns the node that it gets; the pod is gone again afterwards.
func (w *world) probe() string {
	w.Helper()
	w.probes++
	name := fmt.Sprintf("probe-%d", w.probes)
	pod := kube.MakePod(name)
	if w.probeType != "" {
		pod.Label("podtype", w.probeType)
	}
	w.Pods(pod)
	node := w.Until(name, "bound", scheduling.IsBound).Spec.NodeName
	w.remove(name)
	return node
}

// So many probes in a row say that pods go to a node: fewer could be there by chance where nodes are alike.
const inARow = 15

// untilPodsGoTo creates one pod after another until they go to a node, and says how long this took.
func (w *world) untilPodsGoTo(node string) time.Duration {
	w.Helper()
	began := time.Now()
	var first time.Duration
	for row := 0; row < inARow; time.Sleep(50 * time.Millisecond) {
		went := w.probe()
		switch {
		case went != node:
			row = 0
		case row == 0:
			first = time.Since(began)
			row++
		default:
			row++
		}
		if time.Since(began) > scheduling.Patience {
			w.Fatalf("after %v pods go to %s, not to %s", time.Since(began), went, node)
		}
	}
	return first
}

// untilRefused creates one pod after another until no node may take one.
func (w *world) untilRefused() {
	w.Helper()
	for i := 0; ; i++ {
		name := fmt.Sprintf("filler-%d", i)
		w.Pods(kube.MakePod(name))
		pod := w.Until(name, "tried", func(pod *corev1.Pod) bool {
			return scheduling.IsBound(pod) || kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
		})
		w.remove(name)
		if !scheduling.IsBound(pod) {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (w *world) remove(pod string) {
	w.Helper()
	now := int64(0)
	w.Must(w.Client.CoreV1().Pods("default").Delete(w.Ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: &now}))
}

// refused waits until the scheduler has said that no node may take a pod.
func (w *world) refused(name string) *corev1.Pod {
	w.Helper()
	return w.Until(name, "refused", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
	})
}

func newWorld(t *testing.T) *world { return &world{World: scheduling.New(t)} }
