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
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// What goes wrong where the scheduler asks about members alone, or members wait with the gate, has one answer each:
// docs/gang.md has the tables.

// doctor is what the doctor says of a scheduler's configuration and the live cluster.
func (w *world) doctor(config []byte, args ...string) string {
	w.Helper()
	file := w.schedulerFile(config)
	kubeconfig, err := w.Cluster.WriteKubeconfig("person", w.Cluster.Config)
	w.Must(err)
	return string(outrigger.Run(w, append([]string{"doctor", file, "--live", "--kubeconfig", kubeconfig, "--agents", "gang",
		"--gang.scheduler-lease", "none"}, args...)...))
}

func checkFinds(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("doctor does not say %q:\n%s", part, said)
		}
	}
}

// A pod asks and is in no group: it names none, or its minimum is no number. It is answered as any single pod is.
func TestAPodThatAsksWithoutAGroupIsASinglePod(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newAskingWorld(t, 2)
	w.inParallel(4, askingGang("train", 8, false)[:7]) // keeps nothing: a member is missing
	w.Pods(asksFor(slot("alone"), callResource, bindCallResource),
		asksFor(slot("no-number").Label("podGroup", "g").Label("minAvailable", "two"), callResource, bindCallResource))
	w.untilBoundOf("alone", 1, time.Now())
	w.untilBoundOf("no-number", 1, time.Now())
	if asked := w.podsOf("filter", "alone") + w.podsOf("filter", "no-number"); asked != 2 {
		t.Errorf("filter was called about %d of both", asked)
	}
}

// A quota forbids what members ask for, which is only possible where that is more than 0: the API server says which quota
// to who makes the pods, and the gang waits for members.
func TestAQuotaThatForbidsTheResourcesIsNamedToWhoMakesThePods(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newAskingWorld(t, 1)
	w.namespace("poor")
	w.quota("poor", amounts("1", "requests."+callResource))
	member := func(name, amount string) *kube.PodBuilder { return asksFrom("poor", name, amount) }
	w.untilRefused(member("more", "2"), "exceeded quota: q, requested: requests.outrigger.dev/gang=2")
	w.Must(w.tryCreate(member("first", "1")))
	w.untilRefused(member("second", "1"), "exceeded quota: q, requested: requests.outrigger.dev/gang=1, used: "+
		"requests.outrigger.dev/gang=1, limited: requests.outrigger.dev/gang=1")
	w.UntilEventWith("GangWaiting", "gang poor/g waits: 1 of 2 members exist")
	w.Must(w.tryCreate(member("none", "0"))) // which no quota sees
	w.untilBoundOf("first", 1, time.Now())
	w.untilBoundOf("none", 1, time.Now())
}

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
