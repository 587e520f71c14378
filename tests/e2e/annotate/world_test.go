// Package annotate tests `outrigger annotate` on a real control plane: what the API server says of nodes is what counts.
package annotate

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// manifests have the annotators.
var manifests = []string{"../../../deploy/controller.annotate-usage.yaml",
	"../../../deploy/controller.annotate-allocation.yaml"}

// world is a control plane with the rights of these.
type world struct {
	*scheduling.World
	kubeconfigs map[string]string // by command
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{World: scheduling.New(t), kubeconfigs: map[string]string{}}
}

// kubeconfig returns the path of a kubeconfig with the rights that the manifest gives an annotator.
func (w *world) kubeconfig(what string) string {
	w.Helper()
	if path := w.kubeconfigs[what]; path != "" {
		return path
	}
	if len(w.kubeconfigs) == 0 {
		w.applyManifest()
	}
	name := "outrigger-annotate-" + what
	credentials, err := w.Cluster.ServiceAccountConfig(w.Ctx, "kube-system", name)
	w.Must(err)
	path, err := w.Cluster.WriteKubeconfig(name, credentials)
	w.Must(err)
	w.kubeconfigs[what] = path
	return path
}

// annotate starts an annotator with these rights.
func (w *world) annotate(name, what string, args ...string) *outrigger.Server {
	w.Helper()
	args = append([]string{"--kubeconfig", w.kubeconfig(what)}, args...)
	return outrigger.Annotate(w, name, w.Cluster.LogDir(), what, args...)
}

func (w *world) node(name string) *corev1.Node {
	w.Helper()
	node, err := w.Client.CoreV1().Nodes().Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	return node
}

// untilNode waits until a node has these annotations; of an empty text, until it has no such annotation.
func (w *world) untilNode(name string, want map[string]string) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
		node, err := w.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for key, text := range want {
			have, is := node.Annotations[key]
			if have != text || is != (text != "") {
				return fmt.Errorf("node %s has %s=%q, want %q", name, key, have, text)
			}
		}
		return nil
	}))
}

// stays fails the test if the node is written to within a time.
func (w *world) stays(name string, quiet time.Duration) {
	w.Helper()
	before := w.node(name)
	time.Sleep(quiet)
	after := w.node(name)
	if before.ResourceVersion != after.ResourceVersion {
		w.Errorf("node %s was written to: %v became %v", name, before.Annotations, after.Annotations)
	}
}

// allocation is what the annotations of a node of 8 cpus, 16Gi and 110 pods should be.
func allocation(milliCPU, memory, pods int64) map[string]string {
	return map[string]string{
		"requested-cpu": fmt.Sprint(milliCPU), "free-cpu": fmt.Sprint(8000 - milliCPU),
		"requested-memory": fmt.Sprint(memory), "free-memory": fmt.Sprint(16<<30 - memory),
		"requested-pods": fmt.Sprint(pods), "free-pods": fmt.Sprint(110 - pods),
	}
}

func with(values map[string]string, more map[string]string) map[string]string {
	all := maps.Clone(values)
	maps.Copy(all, more)
	return all
}

func (w *world) applyManifest() {
	w.Helper()
	for _, file := range manifests {
		_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", file)
		w.Must(err)
	}
}

// untilNotReady checks that a line of /readyz?verbose fails.
func untilNotReady(annotator *outrigger.Server, check string) func(context.Context) error {
	return func(context.Context) error {
		if _, page := annotator.Ask("/readyz?verbose"); !strings.Contains(page, "[-]"+check) {
			return fmt.Errorf("%s does not fail: %s", check, page)
		}
		return nil
	}
}
