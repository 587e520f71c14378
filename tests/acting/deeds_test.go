package acting

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"outrigger.dev/outrigger/tests/support/actor"
	"outrigger.dev/outrigger/tests/support/kube"
)

// TestDeeds is about what agents do to pods and PodGroups, and see of them.
func TestDeeds(t *testing.T) {
	w := newWorld(t)
	rule := func(group string, resources, verbs []string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
	}
	follow := []string{"list", "watch"}
	w.config = w.account("agent",
		rule("", []string{"pods"}, []string{"get", "list", "watch", "patch"}),
		rule("", []string{"nodes"}, follow),
		rule("", []string{"pods/status"}, []string{"patch"}),
		rule("", []string{"pods/binding", "pods/eviction"}, []string{"create"}),
		rule("policy", []string{"poddisruptionbudgets"}, follow),
		rule("coordination.k8s.io", []string{"leases"}, []string{"get"}),
		rule("scheduling.x-k8s.io", []string{"podgroups"}, []string{"list", "watch", "get", "patch"}),
		rule("scheduling.x-k8s.io", []string{"podgroups/status"}, []string{"patch"}),
		rule("scheduling.volcano.sh", []string{"podgroups"}, []string{"get", "list", "watch", "patch"}),
		rule("scheduling.volcano.sh", []string{"podgroups/status"}, []string{"patch"}),
		rule("scheduling.sigs.k8s.io", []string{"podgroups"}, follow),
		rule("scheduling.k8s.io", []string{"podgroups", "priorityclasses"}, follow))
	w.scene("nominations are of one pod and version", nominates)
	w.scene("a gate is taken off one pod", ungates)
	w.scene("evictions respect budgets", evicts)
	w.scene("budgets come, change and go", budgets)
	w.scene("leases say who holds them", holders)
	w.scene("pod groups come, are written, and go", podGroups)
	w.scene("classes are seen in whole", classes)
}

// does fails the test unless the deed ends with this code.
func (w *world) does(a *actor.Actor, code string, deed actor.Deed) actor.Outcome {
	w.Helper()
	outcome, err := a.Do(deed)
	w.Must(err)
	if outcome.Code != code {
		w.Fatalf("%s of %s: %s, not %s: %s", deed.Verb, deed.Name, outcome.Code, code, outcome.Text)
	}
	return outcome
}

// waiting makes a pod that nobody schedules.
func (w *world) waiting(name string) *corev1.Pod {
	w.Helper()
	made, err := w.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(w.Ctx,
		kube.MakePod(name).Label("app", name).GracePeriod(0).Pod(), metav1.CreateOptions{})
	w.Must(err)
	return made
}

func (w *world) read(name string) *corev1.Pod {
	w.Helper()
	pod, err := w.Client.CoreV1().Pods(metav1.NamespaceDefault).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	return pod
}

func nominates(w *world) {
	a := w.actor("nominates", w.config)
	pod := w.waiting("nominated")
	deed := actor.Deed{Verb: "nominate", Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID),
		Node: "n1", Version: pod.ResourceVersion}
	w.does(a, "OK", deed)
	if got := w.read(pod.Name); got.Status.NominatedNodeName != "n1" {
		w.Errorf("nominated to %q", got.Status.NominatedNodeName)
	} else if manager := got.ManagedFields[len(got.ManagedFields)-1].Manager; manager != "outrigger" {
		w.Errorf("written as %q", manager)
	}
	deed.Node = "n2"
	w.does(a, "ABORTED", deed) // the version has changed
	deed.Version = ""
	w.does(a, "OK", deed)
	outcome := w.does(a, "OK", actor.Deed{Verb: "read", Namespace: pod.Namespace, Name: pod.Name})
	var value struct{ UID, Node, Nominated, Version string }
	w.Must(json.Unmarshal(outcome.Value, &value))
	if got := w.read(pod.Name); value.UID != string(pod.UID) || value.Nominated != "n2" || value.Version != got.ResourceVersion {
		w.Errorf("read as %+v", value)
	}
	deed.Node = ""
	w.does(a, "OK", deed)
	if got := w.read(pod.Name).Status.NominatedNodeName; got != "" {
		w.Errorf("still nominated to %q", got)
	}
	other := deed
	other.UID, other.Node = "another", "n3"
	w.does(a, "ABORTED", other)
	if got := w.read(pod.Name).Status.NominatedNodeName; got != "" {
		w.Errorf("another pod's nomination was written: %q", got)
	}
	deed.Name = "nobody"
	w.does(a, "NOT_FOUND", deed)
}

// The API server takes off that gate and no other, also a second time, and no gate of a pod that has been created
// again.
func ungates(w *world) {
	a := w.actor("ungates", w.config)
	const ours, other = "outrigger.dev/queue", "example.com/quota"
	create := func() *corev1.Pod {
		made, err := w.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(w.Ctx,
			kube.MakePod("gated").GracePeriod(0).Gate(ours).Gate(other).Pod(), metav1.CreateOptions{})
		w.Must(err)
		return made
	}
	gates := func() []corev1.PodSchedulingGate { return w.read("gated").Spec.SchedulingGates }
	pod := create()
	deed := actor.Deed{Verb: "ungate", Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID), Key: ours}
	for range 2 {
		w.does(a, "OK", deed)
		if got := gates(); len(got) != 1 || got[0].Name != other {
			w.Errorf("gates: %v", got)
		}
	}
	w.Must(w.Client.CoreV1().Pods(pod.Namespace).Delete(w.Ctx, pod.Name, metav1.DeleteOptions{}))
	w.does(a, "NOT_FOUND", deed)
	create()
	w.does(a, "ABORTED", deed)
	if got := gates(); len(got) != 2 {
		w.Errorf("a gate of another pod was taken off: %v", got)
	}
}

func evicts(w *world) {
	a := w.actor("evicts", w.config)
	pod := w.waiting("evicted")
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	_, err := w.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(w.Ctx, pod, metav1.UpdateOptions{})
	w.Must(err)
	all := intstr.FromInt32(1)
	budgets := w.Client.PolicyV1().PodDisruptionBudgets(pod.Namespace)
	budget, err := budgets.Create(w.Ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "all"},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &all,
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels}}}, metav1.CreateOptions{})
	w.Must(err)
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, CurrentHealthy: 1, DesiredHealthy: 1, ExpectedPods: 1}
	_, err = budgets.UpdateStatus(w.Ctx, budget, metav1.UpdateOptions{})
	w.Must(err)
	deed := actor.Deed{Verb: "evict", Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)}
	ask := deed
	ask.Verb = "may-evict"
	w.does(a, "RESOURCE_EXHAUSTED", ask)
	w.does(a, "RESOURCE_EXHAUSTED", deed)
	w.Must(budgets.Delete(w.Ctx, "all", metav1.DeleteOptions{}))
	other := deed
	other.UID = "another"
	w.does(a, "ABORTED", other)
	w.does(a, "OK", ask)
	if w.read(pod.Name).DeletionTimestamp != nil {
		w.Error("the pod was evicted by a question")
	}
	w.does(a, "OK", deed)
	w.does(a, "NOT_FOUND", deed)
	w.does(a, "NOT_FOUND", ask)
}

func holders(w *world) {
	a := w.actor("holders", w.config)
	leases := w.Client.CoordinationV1().Leases(metav1.NamespaceDefault)
	lease, err := leases.Create(w.Ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "held"}}, metav1.CreateOptions{})
	w.Must(err)
	deed := actor.Deed{Verb: "holder", Namespace: lease.Namespace, Name: lease.Name}
	expect := func(want string) {
		w.Helper()
		var holder string
		w.Must(json.Unmarshal(w.does(a, "OK", deed).Value, &holder))
		if holder != want {
			w.Errorf("held by %q, not %q", holder, want)
		}
	}
	expect("")
	holder := "host_1"
	lease.Spec.HolderIdentity = &holder
	_, err = leases.Update(w.Ctx, lease, metav1.UpdateOptions{})
	w.Must(err)
	expect(holder)
	deed.Name = "nothing"
	w.does(a, "NOT_FOUND", deed)
}

// view is what an agent sees.
type view struct {
	Groups []struct {
		Dialect, Minimum                 int
		Name, UID, Phase, Queue, Version string
	}
	Served  []int
	Budgets map[string]int64 // what each allows
	Values  map[string]int32 // of PriorityClasses
	Classes map[string]struct {
		UID, Version string
		Value        int32
		Deleted      bool
		Managers     []string
	}
}

// budgets come, change and go in what an agent sees.
func budgets(w *world) {
	a := w.actor("budgets", w.config)
	w.does(a, "OK", actor.Deed{Verb: "follow"})
	one := intstr.FromInt32(1)
	all := w.Client.PolicyV1().PodDisruptionBudgets(metav1.NamespaceDefault)
	budget, err := all.Create(w.Ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "seen"},
		Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &one,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "seen"}}}}, metav1.CreateOptions{})
	w.Must(err)
	allows := func(count int64) func(view) bool {
		return func(v view) bool {
			allowed, ok := v.Budgets["default/seen"]
			return ok && allowed == count
		}
	}
	w.sees(a, "a budget that allows nothing yet", allows(0))
	budget.Status.DisruptionsAllowed = 2
	_, err = all.UpdateStatus(w.Ctx, budget, metav1.UpdateOptions{})
	w.Must(err)
	w.sees(a, "a budget that allows two", allows(2))
	w.Must(all.Delete(w.Ctx, "seen", metav1.DeleteOptions{}))
	w.sees(a, "no such budget", func(v view) bool {
		_, there := v.Budgets["default/seen"] // other scenes have others
		return !there
	})
}

// classes are seen with their fields; one that is created again keeps its value in between.
func classes(w *world) {
	a := w.actor("classes", w.config)
	w.does(a, "OK", actor.Deed{Verb: "follow"})
	all := w.Client.SchedulingV1().PriorityClasses()
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "seen"}, Value: 700}
	made, err := all.Create(w.Ctx, class, metav1.CreateOptions{FieldManager: "helm"})
	w.Must(err)
	w.sees(a, "the class with its fields", func(v view) bool {
		seen := v.Classes["seen"]
		return seen.UID == string(made.UID) && seen.Version == made.ResourceVersion && seen.Value == 700 &&
			v.Values["seen"] == 700 && slices.Equal(seen.Managers, []string{"helm"})
	})
	for left := 10; !w.outlivesItsClass(a, "seen", 700); left-- { // each time the look came too late
		if left == 0 {
			w.Fatal("no look at the value of a class that is gone came in time")
		}
		_, err := all.Create(w.Ctx, class, metav1.CreateOptions{})
		w.Must(err)
		w.sees(a, "the class again", func(v view) bool { return v.Classes["seen"].Value == 700 })
	}
	w.sees(a, "nothing of the class", func(v view) bool {
		_, there := v.Values["seen"]
		return !there
	})
}

// outlivesItsClass deletes a class, of which its value is to be seen for a second more, and tells whether it was; false:
// who looked was later than that.
func (w *world) outlivesItsClass(a *actor.Actor, name string, value int32) (seen bool) {
	w.Helper()
	deleted := time.Now()
	w.Must(w.Client.SchedulingV1().PriorityClasses().Delete(w.Ctx, name, metav1.DeleteOptions{}))
	w.eventually(patience, func(context.Context) error {
		v, err := w.view(a)
		if err != nil {
			return err
		}
		if _, there := v.Classes[name]; there {
			return fmt.Errorf("class %s is still there", name)
		}
		if seen = v.Values[name] == value; !seen && time.Since(deleted) < time.Second {
			w.Fatalf("the value of class %s has gone with it: %+v", name, v)
		}
		return nil
	})
	return seen
}

func (w *world) sees(a *actor.Actor, what string, condition func(view) bool) {
	w.Helper()
	w.eventually(patience, func(context.Context) error {
		seen, err := w.view(a)
		if err == nil && !condition(seen) {
			err = fmt.Errorf("%s: %+v", what, seen)
		}
		return err
	})
}

// view is what the actor sees now.
func (w *world) view(a *actor.Actor) (seen view, err error) {
	outcome, err := a.Do(actor.Deed{Verb: "view"})
	if err == nil && outcome.Code != "OK" {
		err = fmt.Errorf("no view: %s", outcome.Text)
	}
	if err == nil {
		err = json.Unmarshal(outcome.Value, &seen)
	}
	return seen, err
}
