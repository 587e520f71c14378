package gang

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
)

const (
	queueGate    = "outrigger.dev/queue"
	otherGate    = "example.com/other"
	startedWith  = "outrigger.dev/started-with"
	agentAccount = "system:serviceaccount:kube-system:outrigger-gang"

	memberPolicyFile = "member-policy.yaml"
	guardPolicyFile  = "guard-policy.yaml"
)

func deployed(file string) string { return filepath.Join("../../../deploy", file) }

// gates are the names of a pod's gates, in their order.
func gates(pod *corev1.Pod) (names []string) {
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return names
}

func gated(builder *kube.PodBuilder, names ...string) *kube.PodBuilder {
	return builder.Change(func(pod *corev1.Pod) {
		for _, name := range names {
			pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
		}
	})
}

// gateRows are pods as their owners write them, and the gates that they have then.
func gateRows() map[string]struct {
	pod  *kube.PodBuilder
	want []string
} {
	ours := []string{queueGate}
	rows := map[string]struct {
		pod  *kube.PodBuilder
		want []string
	}{
		"a critical pod":              {member("g", 0, 2).PriorityClass("system-cluster-critical"), nil},
		"a DaemonSet's pod":           {member("g", 0, 2).Change(ownedBy("DaemonSet")), nil},
		"a Job's pod":                 {member("g", 0, 2).Change(ownedBy("Job")), ours},
		"a gate of others":            {gated(member("g", 0, 2), otherGate), []string{otherGate, queueGate}},
		"the gate already":            {gated(member("g", 0, 2), queueGate), ours},
		"the gate, and one of others": {gated(member("g", 0, 2), queueGate, otherGate), []string{queueGate, otherGate}},
	}
	for _, row := range policyRows() {
		var want []string
		if row.asks {
			want = ours
		}
		rows[row.name] = struct {
			pod  *kube.PodBuilder
			want []string
		}{row.pod, want}
	}
	return rows
}

func ownedBy(kind string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		yes := true
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: "owner", UID: "1",
			Controller: &yes}}
	}
}

// Members of groups are gated once and ask for calls, and no pod does of which the agent would not remove the gate. Each
// way to name a group that the agent reads is one that the policy sees; what the container has stays.
func TestThePolicyIsForMembersAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if !w.servesPolicies() {
		t.Log("this Kubernetes has no MutatingAdmissionPolicy in v1: templates carry the gate and the resources")
		return
	}
	w.install(deployed(memberPolicyFile), w.isGating)
	for name, row := range gateRows() {
		made := w.dryRun(row.pod)
		if found := gates(made); !sameGates(found, row.want) {
			t.Errorf("%s: gates %v, want %v", name, found, row.want)
		}
		if cpu := made.Spec.Containers[0].Resources.Requests.Cpu(); cpu.String() != "1" {
			t.Errorf("%s: the pod's own request of cpu is %v", name, cpu)
		}
	}
	for _, row := range policyRows() {
		if made := w.dryRun(row.pod); asksForBoth(made) != row.asks {
			t.Errorf("%s: want the pod to ask %v: %v", row.name, row.asks, made.Spec.Containers[0].Resources)
		}
	}
	two := member("two", 0, 2).Change(func(pod *corev1.Pod) {
		second := *pod.Spec.Containers[0].DeepCopy()
		second.Name = "second"
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
		pod.Spec.Containers = append(pod.Spec.Containers, second)
	})
	made := w.dryRun(two)
	if len(made.Spec.Containers) != 2 || !asksForBoth(made) {
		t.Errorf("the first container, which asks for nothing: %+v", made.Spec.Containers)
	} else if _, asks := made.Spec.Containers[1].Resources.Requests[callResource]; asks {
		t.Errorf("the second container asks, too: %v", made.Spec.Containers[1].Resources)
	}
}

func sameGates(found, want []string) bool {
	slices.Sort(found)
	slices.Sort(want)
	return slices.Equal(found, want)
}

// What the first lines of the file say of versions in which the policies are no v1 yet.
func TestThePoliciesWorkBeforeV1(t *testing.T) {
	t.Parallel()
	version := "v1beta1"
	if program, err := exec.Command(filepath.Join(os.Getenv(cluster.BinariesEnv), "kube-apiserver"),
		"--version").Output(); err != nil {
		t.Fatal(err)
	} else if strings.Contains(string(program), "v1.33") {
		version = "v1alpha1"
	}
	w := worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{
		"--feature-gates=MutatingAdmissionPolicy=true",
		"--runtime-config=admissionregistration.k8s.io/" + version + "=true"}}))
	text, err := os.ReadFile(deployed(memberPolicyFile))
	w.Must(err)
	older := strings.ReplaceAll(string(text), "apiVersion: admissionregistration.k8s.io/v1\n",
		"apiVersion: admissionregistration.k8s.io/"+version+"\n")
	path := filepath.Join(t.TempDir(), memberPolicyFile)
	w.Must(os.WriteFile(path, []byte(older), 0o644))
	w.install(path, func(probe string) error { return errors.Join(w.isGating(probe), w.isAskingForCalls(probe)) })
	for name, row := range gateRows() {
		if found := gates(w.dryRun(row.pod)); !sameGates(found, row.want) {
			t.Errorf("%s: gates %v, want %v", name, found, row.want)
		}
	}
	t.Logf("%s works", version)
}

// As RBAC has it: a pod's owner may make it, patch it in every way, and bind it.
var patchesPods = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"pods", "pods/status"}, Verbs: []string{"create", "get", "patch", "update"}},
	{APIGroups: []string{""}, Resources: []string{"pods/binding"}, Verbs: []string{"create"}}}

// guarded is a world with the policies that guard the gate.
type guarded struct {
	*world
	agent, owner, remover, admin kubernetes.Interface
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	return newWorld(t).guarded()
}

// guarded applies the policies.
func (of *world) guarded() *guarded {
	of.Helper()
	w := &guarded{world: of}
	w.owner = w.clientOf("owner", patchesPods...)
	w.remover = w.clientOf("remover", append(slices.Clone(patchesPods), rbacv1.PolicyRule{
		APIGroups: []string{"outrigger.dev"}, Resources: []string{"schedulinggates"}, ResourceNames: []string{"queue"},
		Verbs: []string{"remove"}})...)
	w.agent = w.clientAs(agentAccount)
	w.admin = w.Client
	w.install(deployed(guardPolicyFile), w.isGuarding)
	return w
}

func (w *world) clientOf(name string, rules ...rbacv1.PolicyRule) kubernetes.Interface {
	w.Helper()
	config, err := w.Cluster.ConfigWithRules(w.Ctx, name, rules...)
	w.Must(err)
	client, err := kube.NewClient(config)
	w.Must(err)
	for _, rule := range rules {
		w.UntilGranted(config, rule)
	}
	return client
}

// clientAs is one of an account by its name, with every right to pods.
func (w *world) clientAs(user string) kubernetes.Interface {
	w.Helper()
	config := rest.CopyConfig(w.Cluster.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	name := "may-patch-pods"
	meta := metav1.ObjectMeta{Name: name}
	roles := w.Client.RbacV1()
	_, err := roles.ClusterRoles().Create(w.Ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: patchesPods},
		metav1.CreateOptions{})
	w.Must(err)
	_, err = roles.ClusterRoleBindings().Create(w.Ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}},
		metav1.CreateOptions{})
	w.Must(err)
	for _, rule := range patchesPods {
		w.UntilGranted(config, rule)
	}
	client, err := kube.NewClient(config)
	w.Must(err)
	return client
}

// isGuarding is an error until all policies work.
func (w *guarded) isGuarding(probe string) error {
	w.Helper()
	if _, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, probe, metav1.GetOptions{}); err != nil {
		w.Pods(gated(slot(probe), queueGate))
	}
	if err := w.dryPatch(w.owner, probe, "", removal(queueGate)); !isDenied(err) {
		return fmt.Errorf("the owner removes the gate: %v", err)
	}
	if err := w.dryPatch(w.agent, probe, "", label()); !isDenied(err) {
		return fmt.Errorf("the agent sets a label: %v", err)
	}
	if err := w.dryPatch(w.owner, probe, "", metadata(object{"labels": object{"groupPriority": "1"}})); !isDenied(err) {
		return fmt.Errorf("the owner sets groupPriority: %v", err)
	}
	if err := w.dryBind(w.agent, probe, metav1.ObjectMeta{Labels: map[string]string{"team": "red"}}); !isDenied(err) {
		return fmt.Errorf("the agent binds with a label: %v", err)
	}
	return nil
}

// dryBind is the API server's answer to a binding.
func (w *guarded) dryBind(client kubernetes.Interface, pod string, meta metav1.ObjectMeta) error {
	meta.Name = pod
	return client.CoreV1().Pods("default").Bind(w.Ctx, &corev1.Binding{ObjectMeta: meta,
		Target: corev1.ObjectReference{Kind: "Node", Name: "zoned"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
}

func isDenied(err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'outrigger-g")
}

// dryPatch is the API server's answer to a strategic patch.
func (w *guarded) dryPatch(client kubernetes.Interface, pod, subresource string, patch map[string]any) error {
	return w.patch(client, pod, subresource, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
}

func (w *guarded) patch(client kubernetes.Interface, pod, subresource string, patch map[string]any,
	options metav1.PatchOptions) error {
	w.Helper()
	body, err := json.Marshal(patch)
	w.Must(err)
	below := []string{subresource}
	if subresource == "" {
		below = nil
	}
	_, err = client.CoreV1().Pods("default").Patch(w.Ctx, pod, types.StrategicMergePatchType, body, options, below...)
	return err
}

type object = map[string]any

func spec(fields object) object     { return object{"spec": fields} }
func metadata(fields object) object { return object{"metadata": fields} }
func status(fields object) object   { return object{"status": fields} }

func removal(gate string) object {
	return spec(object{"schedulingGates": []object{{"$patch": "delete", "name": gate}}})
}

func scheduled(is string) object {
	return status(object{"conditions": []object{{"type": "PodScheduled", "status": is, "message": "another"}}})
}

func label() object { return metadata(object{"labels": object{"team": "red"}}) }
func image() object {
	return spec(object{"containers": []object{{"name": "main", "image": "registry.example/evil:1"}}})
}

// guardRow is a patch of the pod and who may do it.
type guardRow struct {
	subresource             string
	patch                   object
	agent, owner, otherwise bool // otherwise: who has the right to remove the gate, and cluster-admin
}

var guardRows = map[string]guardRow{
	"the gate":                 {"", removal(queueGate), true, false, true},
	"another's gate":           {"", removal(otherGate), false, true, true},
	"all gates":                {"", spec(object{"schedulingGates": nil}), false, false, true},
	"nothing":                  {"", spec(object{"priority": 0}), true, true, true},
	"an image":                 {"", image(), false, true, true},
	"a label":                  {"", label(), false, true, true},
	"a label it has":           {"", metadata(object{"labels": object{"has": "another"}}), false, true, true},
	"no labels":                {"", metadata(object{"labels": nil}), false, true, true},
	"an annotation":            {"", metadata(object{"annotations": object{"a": "b"}}), false, true, true},
	"its annotation":           {"", metadata(object{"annotations": object{startedWith: "3"}}), true, false, true},
	"a finalizer":              {"", metadata(object{"finalizers": []string{"example.com/f"}}), false, true, true},
	"a node selector":          {"", spec(object{"nodeSelector": object{"a": "b"}}), false, true, true},
	"a deadline":               {"", spec(object{"activeDeadlineSeconds": 1}), false, true, true},
	"a toleration":             {"", spec(object{"tolerations": []object{{"operator": "Exists"}, {"key": "a", "operator": "Exists"}}}), false, true, true},
	"gate and image":           {"", merged(removal(queueGate), image()), false, false, true},
	"gate and label":           {"", merged(removal(queueGate), label()), false, false, true},
	"a nomination":             {"status", status(object{"nominatedNodeName": "n000"}), true, true, true},
	"no nomination":            {"status", status(object{"nominatedNodeName": nil}), true, true, true},
	"a phase":                  {"status", status(object{"phase": "Failed"}), false, true, true},
	"a condition":              {"status", status(object{"conditions": []object{{"type": "x", "status": "True"}}}), false, true, true},
	"why it waits":             {"status", scheduled("False"), true, true, true},
	"that it is scheduled":     {"status", scheduled("True"), false, true, true},
	"a label by status":        {"status", label(), false, true, true},
	"its annotation by status": {"status", metadata(object{"annotations": object{startedWith: "3"}}), true, false, true},
	"groupPriority":            {"", metadata(object{"labels": object{"groupPriority": "1"}}), false, false, false},
	"groupPriority by status":  {"status", metadata(object{"labels": object{"groupPriority": "1"}}), false, false, false},
}

func merged(one, other object) object {
	both := object{}
	for _, from := range []object{one, other} {
		for key, value := range from {
			fields, _ := both[key].(object)
			if fields == nil {
				fields = object{}
			}
			for name, field := range value.(object) {
				fields[name] = field
			}
			both[key] = fields
		}
	}
	return both
}

// RBAC lets all four patch pods. The policies let the agent remove the gate and nothing else, keep all others from it
// who have no right to, and leave what else they do alone.
func TestTheAgentAloneRemovesTheGate(t *testing.T) {
	t.Parallel()
	w := newGuarded(t)
	w.Pods(gated(slot("p").Label("has", "one").Change(func(pod *corev1.Pod) {
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}), queueGate, otherGate))
	for name, row := range guardRows {
		for who, client := range map[string]struct {
			kubernetes.Interface
			may bool
		}{"agent": {w.agent, row.agent}, "owner": {w.owner, row.owner}, "remover": {w.remover, row.otherwise},
			"admin": {w.admin, row.otherwise}} {
			err := w.dryPatch(client, "p", row.subresource, row.patch)
			if client.may && err != nil {
				t.Errorf("%s: the %s may not: %v", name, who, err)
			}
			if !client.may && !isDenied(err) {
				t.Errorf("%s: the %s is not kept from it: %v", name, who, err)
			}
		}
	}
	checkOtherWays(t, w)

	w.Must(w.patch(w.agent, "p", "", removal(queueGate), metav1.PatchOptions{}))
	w.Must(w.patch(w.agent, "p", "", removal(queueGate), metav1.PatchOptions{}))
	pod, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, "p", metav1.GetOptions{})
	w.Must(err)
	if found := gates(pod); !slices.Equal(found, []string{otherGate}) {
		t.Errorf("gates %v are left", found)
	}
}

// The owner replaces the pod, or has a JSON patch.
func checkOtherWays(t *testing.T, w *guarded) {
	t.Helper()
	pods := w.owner.CoreV1().Pods("default")
	pod, err := pods.Get(w.Ctx, "p", metav1.GetOptions{})
	w.Must(err)
	pod.Spec.SchedulingGates = nil
	if _, err := pods.Update(w.Ctx, pod, metav1.UpdateOptions{}); !isDenied(err) {
		t.Errorf("the owner replaces the pod by one without gates: %v", err)
	}
	patch := []byte(`[{"op": "remove", "path": "/spec/schedulingGates/0"}]`)
	if _, err := pods.Patch(w.Ctx, "p", types.JSONPatchType, patch, metav1.PatchOptions{}); !isDenied(err) {
		t.Errorf("the owner has a JSON patch: %v", err)
	}
	if err := w.dryPatch(w.owner, "p", "", removal(queueGate)); !strings.Contains(fmt.Sprint(err),
		"only the agent removes the scheduling gate outrigger.dev/queue, in queue order") {
		t.Errorf("the refusal does not say who removes the gate: %v", err)
	}
}

// Users write neither what tells a gang that has lost members from others nor what ranks first; the refusal says what to
// do. What controllers make of their templates is not told from that.
func TestUsersDoNotWriteWhatRanksFirst(t *testing.T) {
	t.Parallel()
	w := newGuarded(t)
	w.namespace("granted")
	_, err := w.Cluster.Kubectl(w.Ctx, "label", "namespace", "granted", "outrigger.dev/group-priority=allowed")
	w.Must(err)
	started := slot("started").Change(func(pod *corev1.Pod) { pod.Annotations = map[string]string{startedWith: "3"} })
	ranked := func(namespace string) *kube.PodBuilder {
		return slot("ranked").Namespace(namespace).Label("groupPriority", "1")
	}
	for name, row := range map[string]struct {
		pod  *kube.PodBuilder
		says string // "": it is made
	}{
		"the annotation": {started, "only the agent writes the annotation outrigger.dev/started-with: remove it from a new " +
			"pod or its template"},
		"groupPriority": {ranked("default"), "remove it from the pod or its template, or ask the cluster operator to label " +
			"the namespace outrigger.dev/group-priority=allowed"},
		"groupPriority where it is allowed": {ranked("granted"), ""},
		"neither":                           {slot("plain"), ""},
	} {
		pod := row.pod.Pod()
		err := kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
			_, err := w.owner.CoreV1().Pods(pod.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if row.says == "" {
				return err // the API server may not know the label of the namespace yet
			}
			if !isDenied(err) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: %v, want a refusal that says %q", name, err, row.says)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: the owner may not: %v", name, err)
		}
	}
	// A user who may bind pods writes annotations by that.
	w.Pods(slot("p"))
	if err := w.dryBind(w.owner, "p", metav1.ObjectMeta{Annotations: map[string]string{startedWith: "4"}}); !isDenied(err) {
		t.Errorf("the owner binds a pod with the annotation: %v", err)
	}
}
