// Package queue tests the agent qos, mostly next to gang, with the real kube-scheduler: what counts is the order in
// which the API server has pods bound.
package queue

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// world is a cluster of places: nodes that take one pod each. runs-0, runs-1 and so on have them at first.
type world struct {
	*scheduling.World
	taken int // places of the pods runs-
	freed int // of these
}

// newWorld starts so many nodes; the first taken of them are full.
func newWorld(t *testing.T, places, taken int) *world {
	t.Helper()
	w := &world{World: scheduling.New(t), taken: taken}
	for i := range places {
		w.Nodes(kube.MakeNode(fmt.Sprintf("n%02d", i)).
			Resource(corev1.ResourceCPU, "1").Resource(corev1.ResourcePods, "1"))
	}
	for i := range taken {
		w.Pods(kube.MakePod(fmt.Sprintf("runs-%d", i)).Request(corev1.ResourceCPU, "1").Node(fmt.Sprintf("n%02d", i)))
	}
	return w
}

// freePlace ends one of the pods that had their places at first.
func (w *world) freePlace() {
	w.Helper()
	if w.freed == w.taken {
		w.Fatal("no place is taken any more")
	}
	grace := int64(0)
	w.Must(w.Client.CoreV1().Pods("default").Delete(w.Ctx, fmt.Sprintf("runs-%d", w.freed),
		metav1.DeleteOptions{GracePeriodSeconds: &grace}))
	w.freed++
}

// freePlaces ends several of them at once.
func (w *world) freePlaces(count int) {
	w.Helper()
	for range count {
		w.freePlace()
	}
}

// bindings are the names of all pods that a scheduler has bound, in this order.
func (w *world) bindings() []string {
	var names []string
	for _, binding := range w.Tracker.Bindings() {
		if !strings.HasPrefix(binding.Name, "runs-") {
			names = append(names, binding.Name)
		}
	}
	return names
}

// untilBindings waits until so many pods are bound in all, and returns them in their order.
func (w *world) untilBindings(count int) []string {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return len(w.bindings()) >= count }); err != nil {
		w.Fatalf("bound are %v, not %d pods: %v\n%s", w.bindings(), count, err, kube.Summary(w.Tracker.Pods()))
	}
	return w.bindings()
}

// checkTakesFreedPlaces frees one place after the other, each once the one before is taken, and expects that these pods
// take them, in this order.
func (w *world) checkTakesFreedPlaces(pods ...string) {
	w.Helper()
	before := len(w.bindings())
	for i, pod := range pods {
		began := time.Now()
		w.freePlace()
		bound := w.untilBindings(before + i + 1)
		if len(bound) != before+i+1 || bound[before+i] != pod {
			w.Fatalf("place %d of %d went to %v, want %v", i+1, len(pods), bound[before:], pods[:i+1])
		}
		w.Within(3*time.Second, pod+" has the freed place", time.Since(began))
	}
}

// apply creates what is in a file of agents/gang/qos/examples, as kubectl does, and returns the names of its pods.
func (w *world) apply(file string) []string {
	w.Helper()
	path := filepath.Join("../../../agents/gang/qos/examples", file)
	out, err := w.Cluster.Kubectl(w.Ctx, "apply", "-f", path)
	w.Must(err)
	text, err := os.ReadFile(path)
	w.Must(err)
	var names []string
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
		var pod corev1.Pod
		w.Must(yaml.Unmarshal(document, &pod))
		names = append(names, pod.Name)
	}
	if created := strings.Count(out, " created"); created != len(names) {
		w.Fatalf("%d pods in %s, created: %s", len(names), file, out)
	}
	return names
}

// untilTried waits until the scheduler has found no place for these pods.
func (w *world) untilTried(pods ...string) {
	w.Helper()
	for _, pod := range pods {
		w.Until(pod, "tried", func(pod *corev1.Pod) bool {
			return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
		})
	}
}

// untilSaid waits until a pod's condition has a text.
func (w *world) untilSaid(pod, text string) {
	w.Helper()
	w.Until(pod, "waiting with the reason \""+text+"\"", func(pod *corev1.Pod) bool {
		return strings.Contains(kube.Condition(pod, corev1.PodScheduled).Message, text)
	})
}
