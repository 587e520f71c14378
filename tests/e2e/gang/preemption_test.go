package gang

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

// gangSet is a gang of the labels' dialect whose controller replaces what goes, at once.
func (w *gangWorld) gangSet(name, priorityClass string, size int) {
	w.Helper()
	_, err := standin.StartSet(w.Ctx, w.Client, standin.SetSpec{
		Namespace: "default", Name: name, Size: size,
		Template: func(int) *corev1.Pod {
			return slot(name).PriorityClass(priorityClass).
				Label("podGroup", name).Label("minAvailable", fmt.Sprint(size)).Pod()
		}})
	w.Must(err)
}

// priorityClasses makes classes, and waits until the API server takes pods that name them.
func (w *world) priorityClasses(values map[string]int32) {
	w.Helper()
	for name, value := range values {
		_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}, metav1.CreateOptions{})
		w.Must(err)
	}
	for name := range values {
		w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
			_, err := w.Client.CoreV1().Pods("default").Create(ctx, slot("of-"+name).PriorityClass(name).Pod(),
				metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		}))
	}
}

// budget forbids any disruption of a gang.
func (w *world) budget(gang string, size int) {
	w.Helper()
	minAvailable := intstr.FromInt(size)
	_, err := w.Client.PolicyV1().PodDisruptionBudgets("default").Create(w.Ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: gang},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: &minAvailable,
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"podGroup": gang}},
		}}, metav1.CreateOptions{})
	w.Must(err)
}

// untouched fails if a pod of the gang was replaced.
func (w *world) untouched(gang string, size int) {
	w.Helper()
	first := 0
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, gang+"-") && strings.HasSuffix(pod.Name, "-0") && pod.Spec.NodeName != "" {
			first++
		}
	}
	if first != size {
		w.Errorf("of gang %s %d of %d pods are those that were there first", gang, first, size)
	}
}

// haveRunLong makes pods that are bound look as if they were for ten minutes: the agent evicts none in its first.
func (w *world) haveRunLong() {
	w.Helper()
	since := time.Now().Add(-10 * time.Minute).UTC().Format(time.RFC3339)
	patch := fmt.Appendf(nil,
		`{"status":{"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":%q}]}}`, since)
	pods := w.Client.CoreV1().Pods("default")
	all, err := pods.List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, pod := range all.Items {
		if pod.Spec.NodeName == "" {
			continue
		}
		_, err := pods.Patch(w.Ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		w.Must(err)
	}
}

// W6: a gang of high priority on a full cluster: whole gangs go, the cheapest, and nobody else, though
// those who keep them create their pods anew at once.
func TestAGangOfHighPriorityGetsThePlacesOfTheCheapestGangs(t *testing.T) {
	w := newGangWorld(t, 5, "--gang.preempt")
	w.priorityClasses(map[string]int32{"low": 10, "mid": 20, "high": 1000})
	_, err := standin.StartKubelet(w.Ctx, w.Client)
	w.Must(err)
	_, err = standin.StartDisruptions(w.Ctx, w.Client)
	w.Must(err)
	// Twenty places: gangs of low priority of four, which a budget protects, of four and of eight, and
	// one of mid priority of four.
	w.budget("kept", 4)
	for gang, size := range map[string]int{"kept": 4, "small": 4, "large": 8} {
		w.gangSet(gang, "low", size)
	}
	w.gangSet("mid", "mid", 4)
	began := time.Now()
	for gang, size := range map[string]int{"kept": 4, "small": 4, "large": 8, "mid": 4} {
		w.untilBoundOf(gang+"-", size, began)
	}

	w.haveRunLong()
	began = time.Now()
	w.gangSet("urgent", "high", 4)
	t.Logf("four places of one gang: whole after %.2f s", w.untilBoundOf("urgent-", 4, began).Seconds())
	w.untilNone("small-")
	w.untouched("large", 8)
	began = time.Now()
	w.gangSet("second", "high", 6)
	t.Logf("six places of a gang of eight: whole after %.2f s", w.untilBoundOf("second-", 6, began).Seconds())
	// The gang goes whole, though six places were enough.
	w.untilNone("large-")
	w.untouched("kept", 4)
	w.untouched("mid", 4)
	w.untouched("urgent", 4)
	w.gang.UntilMetricAbove(t, 11, "outrigger_gang_evictions_total", `result="evicted"`)
	// What was refused for a moment is tried again.
	if evicted := w.gang.Metric(t, "outrigger_gang_evictions_total", `result="evicted"`); evicted != 12 {
		t.Errorf("%v pods were evicted, want 12", evicted)
	}
}

// untilNone waits until no pod of a prefix has a place.
func (w *world) untilNone(prefix string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := w.Tracker.Until(ctx, func() bool { return w.bound(prefix) == 0 }); err != nil {
		w.Fatalf("%d pods of %s still have places", w.bound(prefix), prefix)
	}
}

// untilEvent waits until there is an event of that reason.
func (w *world) untilEvent(reason string) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for {
		events, err := w.Client.EventsV1().Events("default").List(w.Ctx, metav1.ListOptions{})
		w.Must(err)
		for _, event := range events.Items {
			if event.Reason == reason {
				return
			}
		}
		if time.Now().After(deadline) {
			w.Fatalf("no event %s in %s", reason, scheduling.Patience)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
