package gang

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// What docs/gang.md says of others that read a member's requests and its gate ("What others make of it").

func amounts(amount string, names ...corev1.ResourceName) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range names {
		list[name] = resource.MustParse(amount)
	}
	return list
}

// asksFrom is a member in a namespace that asks for so much of both resources.
func asksFrom(namespace, name, amount string) *kube.PodBuilder {
	return slot(name).Namespace(namespace).Label("podGroup", "g").Label("minAvailable", "2").
		Request(callResource, amount).Request(bindCallResource, amount)
}

func (w *world) namespace(name string) {
	w.Helper()
	_, err := w.Client.CoreV1().Namespaces().Create(w.Ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	w.Must(err)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	if _, err := w.Client.CoreV1().ServiceAccounts(name).Create(w.Ctx, account, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		w.Must(err)
	}
}

// quota limits a namespace. Its controller is not there: what it counts at first, nothing, is written here.
func (w *world) quota(namespace string, hard corev1.ResourceList) {
	w.Helper()
	quotas := w.Client.CoreV1().ResourceQuotas(namespace)
	made, err := quotas.Create(w.Ctx, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q"},
		Spec: corev1.ResourceQuotaSpec{Hard: hard}}, metav1.CreateOptions{})
	w.Must(err)
	made.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: corev1.ResourceList{}}
	for name := range hard {
		made.Status.Used[name] = resource.MustParse("0")
	}
	_, err = quotas.UpdateStatus(w.Ctx, made, metav1.UpdateOptions{})
	w.Must(err)
}

// tryCreate is what the API server says to a pod.
func (w *world) tryCreate(builder *kube.PodBuilder) error {
	w.Helper()
	pod := builder.Pod()
	_, err := w.Client.CoreV1().Pods(pod.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{})
	return err
}

func (w *world) untilRefused(builder *kube.PodBuilder, text string) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
		pod := builder.Pod()
		_, err := w.Client.CoreV1().Pods(pod.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), text) {
			return fmt.Errorf("%s is not refused for %q: %v", pod.Name, text, err)
		}
		return nil
	}))
}

// A quota that forbids the resources forbids an amount of them, and says which it was; an amount of 0 uses nothing. Gated
// pods use quota from the moment they are created.
func TestQuotasDoNotSeeAnAmountOf0(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.namespace("forbidden")
	w.quota("forbidden", amounts("0", "requests."+callResource, "requests."+bindCallResource))
	w.untilRefused(asksFrom("forbidden", "one", "1"), "exceeded quota: q, requested: "+
		"requests.outrigger.dev/gang=1,requests.outrigger.dev/gang-bind=1")
	w.Must(w.tryCreate(asksFrom("forbidden", "none", "0")))

	w.namespace("full")
	w.quota("full", amounts("1", corev1.ResourcePods, corev1.ResourceRequestsCPU))
	// By then the admission knows the quota, and what was used of it.
	w.untilRefused(asksFrom("full", "large", "0").Request(corev1.ResourceCPU, "2"),
		"exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=0")
	w.Must(w.tryCreate(gated(asksFrom("full", "first", "0"), queueGate)))
	w.untilRefused(gated(asksFrom("full", "second", "0"), queueGate), "exceeded quota: q, requested: pods=1,requests.cpu=1, used: "+
		"pods=1,requests.cpu=1")
}

func (w *world) limitRange(namespace string, item corev1.LimitRangeItem) {
	w.Helper()
	w.namespace(namespace)
	item.Type = corev1.LimitTypeContainer
	_, err := w.Client.CoreV1().LimitRanges(namespace).Create(w.Ctx, &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "l"}, Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}},
		metav1.CreateOptions{})
	w.Must(err)
}

// A LimitRange gives all pods what it has as default, and that is also max where it has no default.
func TestLimitRangesThatNameTheResource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limitRange("least", corev1.LimitRangeItem{Min: amounts("1", callResource)})
	w.untilRefused(asksFrom("least", "none", "0"), "minimum outrigger.dev/gang usage per Container is 1, but request is 0")
	w.limitRange("ratio", corev1.LimitRangeItem{MaxLimitRequestRatio: amounts("1", callResource)})
	w.untilRefused(asksFrom("ratio", "none", "0"), "but no request is specified or request is 0")

	zero := amounts("0", callResource, bindCallResource)
	w.limitRange("given", corev1.LimitRangeItem{Default: zero})
	w.limitRange("most", corev1.LimitRangeItem{Max: zero})
	for _, namespace := range []string{"given", "most"} {
		w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
			if made := w.dryRun(slot("any").Namespace(namespace)); !asksForBoth(made) {
				return fmt.Errorf("%s: the pod does not ask: %v", namespace, made.Spec.Containers[0].Resources)
			}
			return nil
		}))
	}
	w.untilRefused(asksFrom("most", "one", "1"), "maximum outrigger.dev/gang usage per Container is 0, but limit is 1")
}

// What people see of a member that waits at its gate, and of a node.
func TestWhatKubectlShowsOfMembers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.slots("n", 1, 4)
	w.StartScheduler(w.SchedulerBase())
	w.Must(w.tryCreate(gated(asksFrom("default", "waits", "0"), queueGate)))
	w.Must(w.tryCreate(asksFrom("default", "runs", "0")))
	w.untilBoundOf("runs", 1, time.Now())
	w.Until("waits", "seen by the scheduler", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonSchedulingGated
	})
	kubectl := func(args ...string) string {
		out, err := w.Cluster.Kubectl(w.Ctx, args...)
		w.Must(err)
		return strings.Join(strings.Fields(out), " ")
	}
	pod := kubectl("describe", "pod", "waits")
	for _, part := range []string{"Limits: outrigger.dev/gang: 0 outrigger.dev/gang-bind: 0",
		"Requests: cpu: 1 memory: 16Mi outrigger.dev/gang: 0 outrigger.dev/gang-bind: 0", "PodScheduled False"} {
		if !strings.Contains(pod, part) {
			t.Errorf("describe has no %q: %s", part, pod)
		}
	}
	if strings.Contains(pod, queueGate) {
		t.Errorf("describe names the gate: %s", pod)
	}
	if row := kubectl("get", "pod", "waits", "--no-headers"); !strings.Contains(row, "0/1 SchedulingGated 0") {
		t.Errorf("get prints %s", row)
	}
	why := kubectl("get", "pod", "waits", "-o", `jsonpath={.status.conditions[?(@.type=="PodScheduled")].message}`)
	if why != "Scheduling is blocked due to non-empty scheduling gates" {
		t.Errorf("its condition: %q", why)
	}
	if node := kubectl("describe", "node", "n000"); strings.Contains(node, "outrigger.dev") || !strings.Contains(node, "runs") {
		t.Errorf("a node: %s", node)
	}
}
