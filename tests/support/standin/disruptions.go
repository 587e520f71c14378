package standin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	policylisters "k8s.io/client-go/listers/policy/v1"
	"k8s.io/client-go/tools/cache"

	"outrigger.dev/outrigger/tests/support/kube"
)

// disruptedPodTimeout is how long an evicted pod may still be there before its eviction counts as
// failed, as in the disruption controller.
const disruptedPodTimeout = 2 * time.Minute

// Disruptions plays the disruption controller: it keeps the status of all PodDisruptionBudgets, by
// which the API server grants evictions and kube-scheduler chooses victims.
//
// The number of pods that are expected, which percentages and maxUnavailable are taken of, is the
// size that the pods' Set says (SetSizeAnnotation), and for other pods their number.
//
// Not imitated: sizes of real owners (Deployments and so on), events, stale entries of
// disruptedPods when nothing happens.
type Disruptions struct {
	client  kubernetes.Interface
	budgets policylisters.PodDisruptionBudgetLister
	pods    corelisters.PodLister
	loop    *loop
}

// StartDisruptions starts the stand-in, which ends with ctx.
func StartDisruptions(ctx context.Context, client kubernetes.Interface) (*Disruptions, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	budgets, pods := factory.Policy().V1().PodDisruptionBudgets(), factory.Core().V1().Pods()
	d := &Disruptions{client: client, budgets: budgets.Lister(), pods: pods.Lister()}
	d.loop = newLoop(d.reconcile)
	_, err := budgets.Informer().AddEventHandler(onEvery(d.add))
	if err != nil {
		return nil, fmt.Errorf("disruption stand-in: %w", err)
	}
	_, err = pods.Informer().AddEventHandler(onEvery(func(pod *corev1.Pod) {
		inNamespace, err := d.budgets.PodDisruptionBudgets(pod.Namespace).List(labels.Everything())
		if err != nil {
			return
		}
		for _, budget := range inNamespace { // also those that the pod has just left by a label
			d.add(budget)
		}
	}))
	if err != nil {
		return nil, fmt.Errorf("disruption stand-in: %w", err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), budgets.Informer().HasSynced, pods.Informer().HasSynced) {
		return nil, fmt.Errorf("disruption stand-in: first list: %w", ctx.Err())
	}
	d.loop.run(ctx, 2)
	return d, nil
}

// Err returns the last failure of a call to the API server; conflicts with evictions are among
// them, and cured by a retry.
func (d *Disruptions) Err() error { return d.loop.err() }

func (d *Disruptions) add(budget *policyv1.PodDisruptionBudget) {
	d.loop.queue.Add(budget.Namespace + "/" + budget.Name)
}

func (d *Disruptions) reconcile(ctx context.Context, key string) error {
	namespace, name, _ := cache.SplitMetaNamespaceKey(key)
	cached, err := d.budgets.PodDisruptionBudgets(namespace).Get(name)
	if err != nil {
		return nil // gone
	}
	selector, err := metav1.LabelSelectorAsSelector(cached.Spec.Selector)
	if err != nil {
		return err
	}
	pods, err := d.pods.Pods(namespace).List(selector)
	if err != nil {
		return err
	}
	budget := cached.DeepCopy()
	if err := fillStatus(budget, pods, time.Now()); err != nil {
		return err
	}
	if equality.Semantic.DeepEqual(budget.Status, cached.Status) {
		return nil
	}
	// The resource version guards against an eviction that came in between.
	_, err = d.client.PolicyV1().PodDisruptionBudgets(namespace).UpdateStatus(ctx, budget, metav1.UpdateOptions{})
	return err
}

// fillStatus sets the status that the budget should have with these pods, those it selects.
func fillStatus(budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod, now time.Time) error {
	var live []*corev1.Pod
	for _, pod := range pods {
		if !kube.IsFinished(pod) {
			live = append(live, pod)
		}
	}
	expected := expectedPods(live)
	desired, err := desiredHealthy(&budget.Spec, expected)
	if err != nil {
		return fmt.Errorf("budget %s/%s: %w", budget.Namespace, budget.Name, err)
	}
	disrupted := map[string]metav1.Time{}
	healthy := int32(0)
	for _, pod := range live {
		since, evicted := budget.Status.DisruptedPods[pod.Name]
		evicted = evicted && pod.DeletionTimestamp == nil && since.Add(disruptedPodTimeout).After(now)
		if evicted {
			disrupted[pod.Name] = since
		} else if pod.DeletionTimestamp == nil && kube.IsReady(pod) {
			healthy++
		}
	}
	allowed := max(healthy-desired, 0)
	if expected == 0 {
		allowed = 0
	}
	status := &budget.Status
	status.DisruptedPods = disrupted
	status.CurrentHealthy, status.DesiredHealthy, status.ExpectedPods = healthy, desired, expected
	status.DisruptionsAllowed = allowed
	status.ObservedGeneration = budget.Generation
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
		Reason: policyv1.InsufficientPodsReason, ObservedGeneration: budget.Generation,
	}
	if allowed > 0 {
		condition.Status, condition.Reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	meta.SetStatusCondition(&status.Conditions, condition)
	return nil
}

// expectedPods adds up the sizes of the pods' sets, and the pods that are in none.
func expectedPods(pods []*corev1.Pod) int32 {
	sum := int32(0)
	counted := map[string]bool{}
	for _, pod := range pods {
		size, err := strconv.ParseInt(pod.Annotations[SetSizeAnnotation], 10, 32)
		set := pod.Labels[SetLabel]
		switch {
		case err != nil || set == "":
			sum++
		case !counted[set]:
			counted[set] = true
			sum += int32(size)
		}
	}
	return sum
}

// desiredHealthy rounds percentages up, as the disruption controller does for both fields.
func desiredHealthy(spec *policyv1.PodDisruptionBudgetSpec, expected int32) (int32, error) {
	switch {
	case spec.MaxUnavailable != nil:
		unavailable, err := intstr.GetScaledValueFromIntOrPercent(spec.MaxUnavailable, int(expected), true)
		return max(expected-int32(unavailable), 0), err
	case spec.MinAvailable != nil:
		available, err := intstr.GetScaledValueFromIntOrPercent(spec.MinAvailable, int(expected), true)
		return int32(available), err
	default:
		return 0, nil
	}
}
