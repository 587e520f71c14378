package gang

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

// urgent creates a gang of high priority.
func (w *gangWorld) urgent(name string, size int) {
	w.Helper()
	pods := w.gangOf(name, size)
	for _, pod := range pods {
		pod.PriorityClass("high")
	}
	w.inParallel(4, pods)
}

// Replacements of the pods that are evicted want the places, and are tried at once.
func TestReplacementsOfVictimsDoNotTakeThePlaces(t *testing.T) {
	inModes(t, []mode{askedAboutAll, onlyMembersAsk, gatesAndMembers, withoutExtender}, atOnce(func(t *testing.T, m mode) {
		w := m.newGangWorld(t, 3, "--gang.preempt")
		w.priorityClasses(map[string]int32{"high": 1000})
		_, err := standin.StartKubelet(w.Ctx, w.Client)
		w.Must(err)
		web, err := standin.StartSet(w.Ctx, w.Client, standin.SetSpec{Namespace: "default", Name: "web", Size: 12,
			Template: func(int) *corev1.Pod { return slot("web").Pod() }})
		w.Must(err)
		w.untilBoundOf("web-", 12, time.Now())
		w.haveRunLong()
		began := time.Now()
		w.urgent("train", 8)
		w.Logf("whole after %.2f s", w.untilBoundOf("train-", 8, began).Seconds())
		w.gang.UntilMetricAbove(t, 0, "outrigger_gang_preemptions_total", `result="served"`)
		if replaced := web.Replaced(); replaced != 8 {
			t.Errorf("%d pods were evicted, want 8", replaced)
		}
		w.CheckSettled()
	}))
}

// isKeptPod is an error unless the API server refuses to evict a pod.
func (w *world) isKeptPod(pod string) error {
	w.Helper()
	err := w.Client.CoreV1().Pods("default").EvictV1(w.Ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Name: pod},
		DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}})
	if err == nil || !strings.Contains(err.Error(), "kept pods stay") {
		return fmt.Errorf("kept pods do not stay: %w", err)
	}
	return nil
}

// What may never be evicted is no victim, however cheap, and is named where nothing else is left.
func TestTheNextSetGoesWhereTheCheapestMayNotBeEvicted(t *testing.T) {
	t.Parallel()
	w := newGangWorld(t, 4, "--gang.preempt")
	w.priorityClasses(map[string]int32{"low": 10, "high": 1000})
	w.budget("two", 0)
	_, err := w.Client.PolicyV1().PodDisruptionBudgets("default").Create(w.Ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "tier"},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{
			MatchLabels: map[string]string{"tier": "batch"}}}}, metav1.CreateOptions{})
	w.Must(err)
	bound := func(name, node string, change func(pod *kube.PodBuilder)) {
		for i := range 4 {
			pod := slot(fmt.Sprintf("%s-%d", name, i)).GracePeriod(0).Node(node)
			change(pod)
			w.Pods(pod)
		}
	}
	bound("theirs", "n000", func(pod *kube.PodBuilder) { pod.Scheduler("theirs") })
	bound("two", "n001", func(pod *kube.PodBuilder) { pod.Label("podGroup", "two").Label("tier", "batch") })
	bound("kept", "n002", func(*kube.PodBuilder) {})
	bound("web", "n003", func(pod *kube.PodBuilder) { pod.PriorityClass("low") })
	w.haveRunLong()
	w.install("testdata/kept-pods-stay.yaml", func(string) error { return w.isKeptPod("kept-0") })
	w.urgent("train", 4)
	w.untilBoundOf("train-", 4, time.Now())
	w.untilNone("web-")
	w.UntilEventWith("GangPreemptionFailed", "kept-0 and 3 more, which is not evicted for 300s: the API server answered 422")
	w.urgent("later", 4)
	for _, why := range []string{
		"4 pods of lower priority belong to another scheduler (default/theirs-0, ",
		"4 pods of lower priority have two disruption budgets, so the API server never evicts them (default/two-0, ",
		"4 pods of lower priority may not be evicted (default/kept-0, default/kept-1, default/kept-2, ...): the API server",
	} {
		w.UntilEventWith("GangWaiting", why)
		w.untilExplained("later", strings.TrimSpace(why))
	}
	for _, name := range []string{"theirs-", "two-", "kept-"} {
		if left := w.bound(name); left != 4 {
			t.Errorf("of %s %d pods are left, want 4", name, left)
		}
	}
}
