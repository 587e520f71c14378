package standin_test

import (
	"fmt"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/standin"
)

type budgetRow struct {
	name                 string
	minimum, maximum     *intstr.IntOrString
	pods, notReady       int // of which so many do not run
	setSize              int // 0: the pods are in no set
	allowed, desired     int32
	expected, nowHealthy int32
}

func TestDisruptions(t *testing.T) {
	f := newFixture(t)
	_, err := standin.StartKubelet(f.ctx, f.client)
	f.must(err)
	_, err = standin.StartDisruptions(f.ctx, f.client)
	f.must(err)

	number, percent := func(n int) *intstr.IntOrString { return new(intstr.FromInt32(int32(n))) },
		func(text string) *intstr.IntOrString { return new(intstr.FromString(text)) }
	for _, row := range []budgetRow{
		{name: "min-number", minimum: number(2), pods: 3, allowed: 1, desired: 2, expected: 3, nowHealthy: 3},
		{name: "min-number-short", minimum: number(5), pods: 3, allowed: 0, desired: 5, expected: 3, nowHealthy: 3},
		{name: "min-percent-rounds-up", minimum: percent("50%"), pods: 5, allowed: 2, desired: 3, expected: 5, nowHealthy: 5},
		{name: "max-number", maximum: number(1), pods: 4, allowed: 1, desired: 3, expected: 4, nowHealthy: 4},
		{name: "max-number-not-ready", maximum: number(1), pods: 4, notReady: 1, allowed: 0, desired: 3, expected: 4, nowHealthy: 3},
		{name: "max-percent-rounds-up", maximum: percent("30%"), pods: 4, allowed: 2, desired: 2, expected: 4, nowHealthy: 4},
		{name: "max-of-set-size", maximum: number(2), pods: 3, setSize: 4, allowed: 1, desired: 2, expected: 4, nowHealthy: 3},
		{name: "no-pods", minimum: number(0), pods: 0},
	} {
		t.Run(row.name, func(t *testing.T) { checkBudget(t, f, row) })
	}
	t.Run("EvictionsAreGrantedUntilTheBudgetIsSpent", func(t *testing.T) { checkEviction(t, f) })
}

func checkBudget(t *testing.T, f *fixture, row budgetRow) {
	createBudget(f, row.name, row.minimum, row.maximum)
	for i := range row.pods {
		pod := kube.MakePod(fmt.Sprintf("%s-%d", row.name, i)).Label("app", row.name)
		if i >= row.notReady {
			pod.Node("a")
		}
		if row.setSize > 0 {
			pod.Label(standin.SetLabel, row.name).Annotation(standin.SetSizeAnnotation, fmt.Sprint(row.setSize))
		}
		f.create(pod)
	}
	untilBudget(t, f, row.name, func(budget *policyv1.PodDisruptionBudget) bool {
		s := budget.Status
		return s.DisruptionsAllowed == row.allowed && s.DesiredHealthy == row.desired &&
			s.ExpectedPods == row.expected && s.CurrentHealthy == row.nowHealthy &&
			s.ObservedGeneration == budget.Generation
	})
}

// checkEviction evicts through the API, which reads the status that the stand-in keeps.
func checkEviction(t *testing.T, f *fixture) {
	createBudget(f, "evict", new(intstr.FromInt32(1)), nil)
	for i := range 2 {
		f.create(kube.MakePod(fmt.Sprintf("evict-%d", i)).Label("app", "evict").Node("a"))
	}
	untilBudget(t, f, "evict", func(b *policyv1.PodDisruptionBudget) bool { return b.Status.DisruptionsAllowed == 1 })
	evict := func(name string) error {
		return f.client.PolicyV1().Evictions("default").Evict(f.ctx, &policyv1.Eviction{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		})
	}
	f.must(evict("evict-0"))
	if err := evict("evict-1"); !apierrors.IsTooManyRequests(err) {
		t.Errorf("second eviction: %v", err)
	}
	f.until("evict-0", gone)
	untilBudget(t, f, "evict", func(b *policyv1.PodDisruptionBudget) bool {
		return b.Status.DisruptionsAllowed == 0 && b.Status.CurrentHealthy == 1 && len(b.Status.DisruptedPods) == 0
	})
	f.create(kube.MakePod("evict-2").Label("app", "evict").Node("a"))
	f.until("evict-2", ready)
	untilBudget(t, f, "evict", func(b *policyv1.PodDisruptionBudget) bool { return b.Status.DisruptionsAllowed == 1 })
	f.must(evict("evict-1"))
	f.until("evict-1", gone)
}

func createBudget(f *fixture, name string, minimum, maximum *intstr.IntOrString) {
	f.Helper()
	_, err := f.client.PolicyV1().PodDisruptionBudgets("default").Create(f.ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: minimum, MaxUnavailable: maximum,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
		},
	}, metav1.CreateOptions{})
	f.must(err)
}

func untilBudget(t *testing.T, f *fixture, name string, condition func(*policyv1.PodDisruptionBudget) bool) {
	t.Helper()
	var last *policyv1.PodDisruptionBudget
	err := kube.Until(f.ctx, process.Patience, func(options metav1.ListOptions) (kube.Watcher, error) {
		options.FieldSelector = "metadata.name=" + name
		return f.client.PolicyV1().PodDisruptionBudgets("default").Watch(f.ctx, options)
	}, func(budget *policyv1.PodDisruptionBudget) bool {
		last = budget
		return condition(budget)
	})
	if err != nil {
		t.Fatalf("budget %s: %v; it is %+v", name, err, last)
	}
}
