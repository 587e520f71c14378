package chain

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
)

const (
	meanCPU      = "mean-free-cpu"
	patched      = "outrigger_annotate_patches_total"
	failedRounds = "outrigger_annotate_failed_rounds_total"
)

// neverZero watches the nodes, and fails the test if one is said to have no free cpu: none of them is so busy.
func (w *world) neverZero() {
	w.Helper()
	watch, err := w.Client.CoreV1().Nodes().Watch(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	done := make(chan struct{})
	w.Cleanup(func() {
		watch.Stop()
		<-done
	})
	go func() {
		defer close(done)
		for event := range watch.ResultChan() {
			node, ok := event.Object.(*corev1.Node)
			if !ok {
				continue
			}
			text, present := node.Annotations[meanCPU]
			if value, err := strconv.ParseFloat(text, 64); present && (err != nil || value < 100) {
				w.Errorf("node %s has %s %q", node.Name, meanCPU, text)
			}
		}
	}()
}

func (w *world) untilGone(key, node string) {
	w.Helper()
	w.eventually(func(context.Context) error {
		if value := w.annotation(node, key); value != "" {
			return fmt.Errorf("node %s has still %s %q", node, key, value)
		}
		return nil
	})
}

func (w *world) untilFree(node string, low, high float64) {
	w.Helper()
	w.eventually(func(context.Context) error {
		text := w.annotation(node, meanCPU)
		if value, err := strconv.ParseFloat(text, 64); err != nil || value < low || value > high {
			return fmt.Errorf("node %s has %s %q, want %v to %v", node, meanCPU, text, low, high)
		}
		return nil
	})
}

// The exporter of a node fails: what was measured of it is removed, and the other node goes on. The annotator that
// writes dies, and the second one takes over. Prometheus dies and comes back, and a node is restarted. Never is what
// is not known taken for 0.
func TestWhatIsNotMeasuredIsForgottenAndNeverZero(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	s := newScraped(t)
	s.set("a", 0.5, 0.1)
	s.set("b", 0.5, 0.1)
	first := s.annotate("usage", s.args("--forget", "3")...)
	s.untilFree("a", 3900, 4100)
	second := s.annotate("usage", s.args("--forget", "3")...)
	s.neverZero()
	s.exporters.Node("a").Fail(true)
	s.untilGone(meanCPU, "a")
	s.untilGone("std-free-memory", "a")
	s.set("b", 0.25, 0.1)
	s.untilFree("b", 5900, 6100)
	if patches := second.Metric(t, patched); patches > 0 {
		t.Errorf("the second annotator has written %v times", patches)
	}

	s.exporters.Node("a").Fail(false)
	first.Kill()
	s.untilFree("a", 3900, 4100)
	second.UntilMetricAbove(t, 0, patched) // it counts a patch once that is answered

	s.prometheus.Kill()
	second.UntilMetricAbove(t, second.Metric(t, failedRounds)+1, failedRounds)
	s.Must(s.prometheus.Restart(s.Ctx))
	s.exporters.Node("b").Reset()
	s.set("b", 0.75, 0.1)
	s.untilFree("b", 1900, 2100)
	second.UntilReady(t)
}
