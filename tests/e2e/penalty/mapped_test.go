package penalty

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/penalty"
)

const mappedFile = "../../../deploy/penalty-mapped.yaml"

// servesPolicies tells whether the API server has mutating policies as v1, as from 1.36 on.
func (w *world) servesPolicies() bool {
	w.Helper()
	list, err := w.Client.Discovery().ServerResourcesForGroupVersion("admissionregistration.k8s.io/v1")
	w.Must(err)
	for _, kind := range list.APIResources {
		if kind.Name == "mutatingadmissionpolicies" {
			return true
		}
	}
	return false
}

// serveMapped starts the agent with the rights of the mode.
func (w *world) serveMapped(with settings) {
	w.Helper()
	var err error
	w.rights, err = w.Cluster.ConfigWithManifest(w.Ctx, mappedRights(w))
	w.Must(err)
	w.serve(with)
}

func (w *world) applyMapped() error {
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", mappedFile)
	return err
}

// mappedRights are those that the agent prints for the mode.
func mappedRights(t testing.TB) []byte {
	t.Helper()
	return outrigger.Run(t, "agents", "--rbac", "penalty", "--namespace", metav1.NamespaceSystem, "--replacement", "mapped")
}

// admitted is what a pod of a class becomes.
func (w *world) admitted(class string) (string, error) {
	pod, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, kube.MakePod("probe").PriorityClass(class).Pod(),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return "", err
	}
	return fmt.Sprint(pod.Spec.PriorityClassName, " ", *pod.Spec.Priority), nil
}

func (w *world) untilAdmitted(class, want string) {
	w.Helper()
	w.eventually(func(context.Context) error {
		is, err := w.admitted(class)
		if err == nil && is != want {
			err = fmt.Errorf("a pod of class %s becomes %s, want %s", class, is, want)
		}
		return err
	})
}

// No pod is ever refused while values change, none is of a time long past, and the classes stay as they were. Without
// the policy, and before 1.36, pods keep the base, and people hear so.
func TestPodsAreMappedAndNeverRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gold, silver := class("gold", 1000), class("silver", 500)
	w.create(gold, silver)
	w.keepQuota("silver")
	was := w.class("gold")
	w.serveMapped(settings{"replacement": "mapped", "start": "flat 100"})
	load := w.startLoad("gold")
	w.run("gold", "job-1")
	w.run("silver", "job-2")
	w.UntilEventWith("PenaltyRefused", "ResourceQuota default/few")
	w.UntilEventWith("PenaltyNotMapped", "deploy/penalty-mapped.yaml")
	if text := outrigger.Run(t, "explain", "penalty", "--kubeconfig", w.kubeconfig("explain", nil)); !strings.Contains(
		string(text), "not-mapped") {
		t.Errorf("explain penalty prints %s", text)
	}
	if !w.servesPolicies() {
		w.untilAdmitted("gold", "gold 1000")
		return
	}
	w.Must(w.applyMapped())
	w.untilAdmitted("gold", "gold-at-900 900")
	w.run("gold", "job-3")
	w.untilAdmitted("gold", "gold-at-800 800")
	w.Must(w.groups.Run(w.Ctx, penalty.Group{Namespace: "default", Name: "of-bare-pod", Class: "gold-at-800",
		Queue: "batch"}, penalty.Running))
	w.untilAdmitted("gold", "gold-at-700 700")
	w.untilAdmitted("gold-at-900", "gold-at-700 700") // a stand-in of before gives the value of now
	w.untilAdmitted("gold-at-800", "gold-at-700 700") // it stays, since a PodGroup names it
	w.untilAdmitted("silver", "silver 500")
	w.eventually(func(context.Context) error {
		if !load.has(700) {
			return fmt.Errorf("no pod has priority 700")
		}
		return nil
	})
	pods, err := load.end()
	w.Must(err)
	low := 0
	for _, pod := range pods {
		if pod.refused {
			t.Errorf("a pod created at %v was refused", pod.began)
		}
		if pod.priority < 1000 {
			low++
		}
	}
	t.Logf("%d pods created", len(pods))
	if is := w.class("gold"); is.UID != was.UID || is.ResourceVersion != was.ResourceVersion {
		t.Errorf("class gold was %+v, is %+v", was, is)
	}
	w.run("gold", "job-4")
	w.untilAdmitted("gold", "gold-at-600 600") // no pod is created
	w.checkRestored(low)
}

// checkRestored restores class gold from 600. So many pods have less than its base, and 700 at least.
func (w *world) checkRestored(low int) {
	w.Helper()
	kubeconfig := w.kubeconfig("restore", nil)
	for _, from := range [][]string{{"--agent", w.agent.AdminURL}, {"--kubeconfig", kubeconfig}} {
		is, err := w.explain(from...)
		w.Must(err)
		if len(is.Pods) != 0 {
			w.Errorf("no pod has less than 600, explain penalty %v: %+v", from, is.Pods)
		}
	}
	w.Must(w.agent.Stop(scheduling.Patience))
	text := outrigger.Run(w, "penalty", "restore", "--all", "--kubeconfig", kubeconfig)
	if !strings.Contains(string(text), "gold: gold-at-600 -> 1000") {
		w.Errorf("restore prints %s", text)
	}
	w.untilAdmitted("gold", "gold 1000")
	if w.class("gold-at-600") != nil || w.class("gold-at-700") == nil || w.class("gold-at-800") == nil {
		w.Error("restore deletes the classes that no pod names, and no others")
	}
	is, err := w.explain("--kubeconfig", kubeconfig)
	w.Must(err)
	// The clients may not have heard of their last pods.
	if len(is.Pods) != 1 || is.Pods[0].Class != "gold" || is.Pods[0].Value != 1000 || is.Pods[0].Lowest != 700 ||
		is.Pods[0].Pods < low || is.Pods[0].Pods > low+clients {
		w.Errorf("%d pods have less than class gold, explain penalty: %+v", low, is.Pods)
	}
}

// keepQuota creates a quota whose scope names a class.
func (w *world) keepQuota(class string) {
	w.Helper()
	_, err := w.Client.CoreV1().ResourceQuotas("default").Create(w.Ctx, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Spec: corev1.ResourceQuotaSpec{
			Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("5")},
			ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{
				ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn, Values: []string{class},
			}}},
		},
	}, metav1.CreateOptions{})
	w.Must(err)
}

// workflows is the part of Argo's definition that the scene needs, and one of its objects.
const workflows = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: workflows.argoproj.io}
spec:
  group: argoproj.io
  scope: Namespaced
  names: {kind: Workflow, listKind: WorkflowList, plural: workflows, singular: workflow}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const workflow = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {namespace: default, name: %[1]s}
spec: {entrypoint: main, podPriorityClassName: %[2]s, schedulerName: riya-scheduler}
`

// applyText applies objects, and returns what kubectl prints.
func (w *world) applyText(text string) string {
	w.Helper()
	file := filepath.Join(w.TempDir(), "objects.yaml")
	w.Must(os.WriteFile(file, []byte(text), 0o644))
	printed, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", file, "-o", "jsonpath={.metadata.uid}")
	w.Must(err)
	return printed
}

// The stack of the assignment by its objects: Argo creates the pods of a workflow's steps one by one and does not try a
// refused one again, and each workflow has a PodGroup with a queue.
func TestAWorkflowLosesNoStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	falls := int32(100)
	if w.servesPolicies() {
		w.Must(w.applyMapped())
	} else {
		falls = 0 // pods keep the base
	}
	classes := map[string]int32{"h-priority": 1000, "high-priority": 10001}
	for name, value := range classes {
		one := class(name, value)
		policy := corev1.PreemptLowerPriority
		one.PreemptionPolicy = &policy
		w.create(one)
	}
	w.applyText(workflows)
	w.eventually(func(ctx context.Context) error {
		_, err := w.Cluster.Kubectl(ctx, "get", "workflows.argoproj.io")
		return err
	})
	w.serveMapped(settings{"replacement": "mapped", "start": "flat 100"})
	lowest := map[string]int32{}
	for name, value := range classes {
		flow := "flow-of-" + name
		uid := w.applyText(fmt.Sprintf(workflow, flow, name))
		w.run(name, flow)
		lowest[name] = value
		for step := 0; step < 20 || lowest[name] > value-falls; step++ {
			pod := kube.MakePod(fmt.Sprintf("%s-%d", flow, step)).PriorityClass(name).Scheduler("riya-scheduler").
				Annotation("scheduling.k8s.io/group-name", flow).Pod()
			pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "argoproj.io/v1alpha1", Kind: "Workflow", Name: flow,
				UID: types.UID(uid)}}
			made, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, pod, metav1.CreateOptions{})
			w.Must(err) // Argo would fail the workflow
			lowest[name] = min(lowest[name], *made.Spec.Priority)
		}
		w.Must(w.groups.Enter(w.Ctx, groupOf(name, flow), penalty.Completed))
	}
	t.Logf("priorities of steps: %v", lowest)
	for name, value := range classes {
		if lowest[name] != value-falls || w.class(name).Value != value {
			t.Errorf("class %s: %d, a step has %d", name, w.class(name).Value, lowest[name])
		}
	}
}

// A stand-in that a person deletes is there again at once, though nothing else changes. One that is not used any more
// gives the class itself to pods that name it.
func TestStandInsGiveNoOtherValueThanTheClass(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if !w.servesPolicies() {
		return // pods keep the base
	}
	w.Must(w.applyMapped())
	w.create(class("bronze", 300))
	w.serveMapped(settings{"replacement": "mapped", "start": "flat 100"})
	w.run("bronze", "job")
	w.untilAdmitted("bronze", "bronze-at-200 200")
	was := w.class("bronze-at-200")
	w.delete("bronze-at-200")
	w.eventually(func(context.Context) error {
		if is := w.class("bronze-at-200"); is == nil || is.UID == was.UID {
			return fmt.Errorf("class bronze-at-200 is not made again")
		}
		return nil
	})
	w.untilAdmitted("bronze", "bronze-at-200 200")
	_, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, kube.MakePod("keeps-it").PriorityClass("bronze").Pod(),
		metav1.CreateOptions{})
	w.Must(err)
	w.patch("bronze", fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, selectorKey))
	w.untilAdmitted("bronze", "bronze 300")
	w.untilAdmitted("bronze-at-200", "bronze 300")
}
