package annotate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const gpu = "nvidia.com/gpu"

func makeNode(name string) *kube.NodeBuilder {
	return kube.MakeNode(name).Resource(corev1.ResourceMemory, "16Gi").Resource(gpu, "4").
		Resource(corev1.ResourceEphemeralStorage, "100Gi")
}

// The counts are kube-scheduler's: a pod counts from its binding on, with its init containers and overhead, and no
// more once it has finished.
func TestAllocationFollowsPods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a"), makeNode("b"))
	annotator := w.annotate("allocation", "allocation", "--forget", "1")
	annotator.UntilReady(w)
	none := with(allocation(0, 0, 0), map[string]string{"requested-gpu": "0", "free-gpu": "4",
		"requested-ephemeral-storage": "0", "free-ephemeral-storage": fmt.Sprint(100 << 30)})
	w.untilNode("a", none)
	w.untilNode("b", none)

	w.StartScheduler(w.SchedulerBase())
	w.Pods(kube.MakePod("p").NodeSelector(corev1.LabelHostname, "a").Request(corev1.ResourceCPU, "1500m").
		Request(corev1.ResourceMemory, "1.5Gi").Request(gpu, "1").Change(func(pod *corev1.Pod) {
		init := *pod.Spec.Containers[0].DeepCopy()
		init.Name, init.Resources.Requests[corev1.ResourceCPU] = "init", resource.MustParse("2")
		pod.Spec.InitContainers = []corev1.Container{init}
	}))
	w.Until("p", "bound", scheduling.IsBound)
	bound := time.Now()
	w.untilNode("a", with(allocation(2000, 3<<29, 1), map[string]string{"requested-gpu": "1", "free-gpu": "3"}))
	w.Within(time.Second, "annotations after a bind", time.Since(bound))
	w.stays("b", 300*time.Millisecond) // nothing changed there

	pod, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, "p", metav1.GetOptions{})
	w.Must(err)
	pod.Status.Phase = corev1.PodSucceeded
	_, err = w.Client.CoreV1().Pods("default").UpdateStatus(w.Ctx, pod, metav1.UpdateOptions{})
	w.Must(err)
	w.untilNode("a", none)

	// A hand edit is mended, what others wrote is left alone.
	w.Annotate("a", map[string]string{"requested-cpu": "7", "mine": "stays"})
	w.untilNode("a", with(none, map[string]string{"mine": "stays"}))

	t.Run("ANodeThatIsNotReadyLosesItsValues", func(t *testing.T) {
		node := w.node("b")
		node.Status.Conditions[0].Status = corev1.ConditionFalse
		_, err := w.Client.CoreV1().Nodes().UpdateStatus(w.Ctx, node, metav1.UpdateOptions{})
		w.Must(err)
		w.untilNode("b", none) // until --forget, or the next round about all nodes
		table := string(outrigger.Run(t, "annotate", "allocation", "--dry-run", "--kubeconfig", w.kubeconfig("allocation")))
		for _, part := range []string{"NODE", "FREE-CPU", "8000", "not-ready (the node is not Ready)"} {
			if !strings.Contains(table, part) {
				t.Errorf("the table lacks %q:\n%s", part, table)
			}
		}
	})
	if failed := annotator.Metric(t, "outrigger_annotate_patches_total", `outcome="failed"`); failed != 0 {
		t.Errorf("%v patches failed", failed)
	}
}

// All state is in the nodes: an annotator that is killed in the middle of a pass and started again writes what is
// missing and what changed meanwhile, and nothing else.
func TestARestartWritesOnlyWhatIsNotThereYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const nodes = 120
	for i := range nodes {
		w.Nodes(makeNode(fmt.Sprintf("n%03d", i)))
	}
	annotator := w.annotate("allocation", "allocation", "--qps", "40")
	annotator.UntilMetricAbove(t, 20, "outrigger_annotate_patches_total")
	annotator.Kill()
	time.Sleep(time.Second) // the API server may still do what it was asked for a moment before
	versions, written, changed := map[string]string{}, 0, ""
	list, err := w.Client.CoreV1().Nodes().List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, node := range list.Items {
		if node.Annotations["requested-cpu"] != "" {
			versions[node.Name], changed = node.ResourceVersion, node.Name
			written++
		}
	}
	if written == 0 || written == nodes {
		t.Fatalf("%d of %d nodes were written when it was killed: that is no middle", written, nodes)
	}
	delete(versions, changed)
	w.Pods(kube.MakePod("p").Node(changed).Request(corev1.ResourceCPU, "3").Request(corev1.ResourceMemory, "1Gi"))
	// Its Lease is held for 15 s more.
	annotator.Restart(t)
	w.untilNode(changed, allocation(3000, 1<<30, 1))
	for i := range nodes {
		if name := fmt.Sprintf("n%03d", i); name != changed {
			w.untilNode(name, allocation(0, 0, 0))
		}
	}
	for name, version := range versions {
		if now := w.node(name).ResourceVersion; now != version {
			t.Errorf("node %s was right, and was written to: version %s became %s", name, version, now)
		}
	}
	annotator.UntilMetricAbove(t, float64(nodes-written), "outrigger_annotate_patches_total") // counted once answered
	if again := annotator.Metric(t, "outrigger_annotate_patches_total"); int(again) != nodes-written+1 {
		t.Errorf("%v patches after %d of %d were written and one changed", again, written, nodes)
	}
}
