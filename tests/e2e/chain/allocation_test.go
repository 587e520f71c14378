package chain

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// asks is a pod of so many of the 8 cpus and the same share of the 32 GiB of a node.
func asks(name string, cpu int) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, fmt.Sprint(cpu)).
		Request(corev1.ResourceMemory, fmt.Sprintf("%dGi", 4*cpu))
}

// The scheduler sends whole nodes and pigeon follows no cluster: all that it knows of what is taken is what the annotator
// has written.
func TestPigeonPlacesByTheAnnotatorsSums(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	for _, row := range []struct {
		objective string
		want      map[string]int // pods by node, of five of one cpu; node a has three cpus taken at first
	}{
		// The fullest node until it is full.
		{"CONSOLIDATE", map[string]int{"a": 5}},
		// The emptiest: 3, 0, 0 becomes 3, 3, 2.
		{"LOAD_BALANCE", map[string]int{"a": 0}},
		// Pods that are all alike: no variability of the nodes is wanted.
		{"A_BINPACK", map[string]int{"a": 0}},
	} {
		t.Run(row.objective, func(t *testing.T) {
			w := newWorld(t)
			w.WholeNodes = true
			w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"), kube.MakeNode("c"))
			w.Pods(asks("resident", 3).Node("a"))
			w.annotate("allocation")
			taken := map[string]int{"a": 3}
			w.untilTaken(taken)
			pigeon := w.serve("pigeon", "--pigeon.objective", row.objective)
			w.StartScheduler(w.Config(map[string]string{"pigeon": pigeon.URL}))
			went := map[string]int{}
			for i := range 5 {
				name := fmt.Sprintf("p%d", i)
				w.Pods(asks(name, 1))
				node := w.Until(name, "bound", scheduling.IsBound).Spec.NodeName
				went[node]++
				taken[node]++
				began := time.Now()
				w.untilTaken(taken)
				w.Within(time.Second, "a bound pod is counted", time.Since(began))
			}
			for node, want := range row.want {
				if went[node] != want {
					t.Errorf("%s: pods went %v, want %d on %s", row.objective, went, want, node)
				}
			}
			if difference := went["b"] - went["c"]; row.want["a"] == 0 && difference*difference > 1 {
				t.Errorf("%s: pods went %v, want them spread over b and c", row.objective, went)
			}
		})
	}
}

// untilTaken waits until the annotations of nodes say how many of the 8 cpus are asked for, and how much of the
// memory. No kubelet runs: pods that are bound count before they run.
func (w *world) untilTaken(cpusOf map[string]int) {
	w.Helper()
	w.eventually(func(context.Context) error {
		for _, node := range []string{"a", "b", "c"} {
			taken := int64(cpusOf[node])
			for key, want := range map[string]int64{
				"requested-cpu": taken * 1000, "free-cpu": (cpus - taken) * 1000,
				"requested-memory": taken << 32, "free-memory": (cpus - taken) << 32,
			} {
				if got := w.annotation(node, key); got != fmt.Sprint(want) {
					return fmt.Errorf("node %s: %s is %q, want %d", node, key, got, want)
				}
			}
		}
		return nil
	})
}
