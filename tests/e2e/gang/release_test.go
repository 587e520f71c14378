package gang

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// releasesGates are the rights that `gang release --help` names.
var releasesGates = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list", "patch"}},
	{APIGroups: []string{"admissionregistration.k8s.io"}, Resources: []string{"mutatingadmissionpolicies",
		"validatingadmissionpolicies"}, Verbs: []string{"list"}},
	{APIGroups: []string{"admissionregistration.k8s.io"}, Resources: []string{"mutatingadmissionpolicybindings",
		"validatingadmissionpolicybindings"}, Verbs: []string{"list", "delete"}},
}

// releasing is a world with both policies of the gate, where the API server has them.
type releasing struct {
	*guarded
	gatesByPolicy bool
}

func newReleasing(t *testing.T) *releasing {
	t.Helper()
	w := &releasing{guarded: newGuarded(t)}
	if w.gatesByPolicy = w.servesPolicies(); w.gatesByPolicy {
		w.install(deployed(memberPolicyFile), w.isGating)
	}
	return w
}

// waits is a member that is gated: by the policy, or by its template.
func (w *releasing) waits(gang string, index int) *kube.PodBuilder {
	if w.gatesByPolicy {
		return member(gang, index, 2)
	}
	return gated(member(gang, index, 2), queueGate)
}

// kubeconfigOf is that of a new account with these rights.
func (w *world) kubeconfigOf(name string, rules ...rbacv1.PolicyRule) string {
	w.Helper()
	config, err := w.Cluster.ConfigWithRules(w.Ctx, name, rules...)
	w.Must(err)
	for _, rule := range rules {
		w.UntilGranted(config, rule)
	}
	path, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return path
}

// releaseGates runs the command, and returns its exit code and what it printed.
func (w *world) releaseGates(kubeconfig string, args ...string) (code int, stdout, stderr string) {
	w.Helper()
	command := exec.Command(outrigger.Binary(w), append([]string{"gang", "release", "--kubeconfig", kubeconfig}, args...)...)
	var out, errors bytes.Buffer
	command.Stdout, command.Stderr = &out, &errors
	_ = command.Run()
	return command.ProcessState.ExitCode(), out.String(), errors.String()
}

// gatesByKubectl counts pods by their gates, as kubectl prints them.
func (w *world) gatesByKubectl() map[string]int {
	w.Helper()
	out, err := w.Cluster.Kubectl(w.Ctx, "get", "pods", "--all-namespaces", "-o",
		`jsonpath={range .items[*]}{range .spec.schedulingGates[*]}{.name}{" "}{end}{"\n"}{end}`)
	w.Must(err)
	counts := map[string]int{}
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		counts[strings.TrimSpace(line)]++
	}
	return counts
}

// bindingsByKubectl are the names of the bindings of admission policies that name the gate.
func (w *releasing) bindingsByKubectl() []string {
	w.Helper()
	kinds := "validatingadmissionpolicybindings"
	if w.gatesByPolicy {
		kinds += ",mutatingadmissionpolicybindings"
	}
	out, err := w.Cluster.Kubectl(w.Ctx, "get", kinds, "-o", `jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}`)
	w.Must(err)
	names := slices.DeleteFunc(strings.Fields(out), func(name string) bool { return strings.HasPrefix(name, "outrigger-group") })
	slices.Sort(names)
	return names
}

// Nobody is locked in: without an agent, and with no right but those that the help names, all pods are let go, also
// those that come and go meanwhile. Once more, and there is nothing to do.
func TestReleaseAllLetsAllPodsGo(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	count := 400
	if scheduling.AllAreWanted() {
		count = 2000
	}
	w := newReleasing(t)
	w.namespace("team")
	pods := make([]*kube.PodBuilder, 0, count)
	for i := range count - 10 {
		pod := w.waits("train", i)
		if i%2 == 0 {
			pod.Namespace("team")
		}
		pods = append(pods, pod)
	}
	for i := range 10 {
		pods = append(pods, gated(member("both", i, 2), queueGate, otherGate))
	}
	w.inParallel(16, append(pods, gated(slot("other"), otherGate)))
	before := w.gatesByKubectl()
	// With "probe" of newGuarded.
	if before[queueGate] != count-9 || before[queueGate+" "+otherGate] != 10 || before[otherGate] != 1 {
		t.Fatalf("pods by their gates: %v", before)
	}
	account := w.kubeconfigOf("releaser", releasesGates...)

	bindings := w.bindingsByKubectl()
	code, out, stderr := w.releaseGates(account, "--all", "--dry-run")
	for _, binding := range bindings {
		if !strings.Contains(out, "PolicyBinding "+binding+"\n") {
			t.Errorf("--dry-run does not say that it would delete %s", binding)
		}
	}
	if code != 0 || stderr != "" || !strings.HasSuffix(out, fmt.Sprintf("would release %d pods\n", count+1)) {
		t.Errorf("--dry-run ends with %d and says:\n%s%s", code, out, stderr)
	}
	if after := w.gatesByKubectl(); after[queueGate] != before[queueGate] || !slices.Equal(w.bindingsByKubectl(), bindings) {
		t.Errorf("--dry-run has done something: %v, %v", after, w.bindingsByKubectl())
	}

	churned := w.churn(100)
	code, out, stderr = w.releaseGates(account, "--all")
	<-churned
	t.Logf("%s", strings.ReplaceAll(out, "\n", "; "))
	if code != 0 || stderr != "" {
		t.Errorf("it ends with %d and says:\n%s", code, stderr)
	}
	if !regexp.MustCompile(`(?m)^\d+ pods released in [\d.]+ s, \d+ a second`).MatchString(out) {
		t.Errorf("it does not say how many it has released, and how fast:\n%s", out)
	}
	for names, pods := range w.gatesByKubectl() {
		if strings.Contains(names, queueGate) {
			t.Errorf("%d pods have the gates %s", pods, names)
		}
	}
	if after := w.gatesByKubectl()[otherGate]; after != 11 {
		t.Errorf("%d pods have the gate of others, want 11", after)
	}
	if left := w.bindingsByKubectl(); len(left) != 0 {
		t.Errorf("bindings %v are left", left)
	}
	late := w.dryRun(member("late", 0, 2))
	if found := gates(late); len(found) != 0 {
		t.Errorf("a pod that is created now gets the gates %v", found)
	}
	if w.gatesByPolicy && !asksForBoth(late) {
		t.Error("a pod that is created now does not get the resources: it would be placed as a single pod")
	}

	code, out, stderr = w.releaseGates(account, "--all")
	if code != 0 || out != "no pod has the gate outrigger.dev/queue\n" || stderr != "" {
		t.Errorf("the second time it ends with %d and says:\n%s%s", code, out, stderr)
	}
}

// churn deletes so many pods, and creates them again as their owner would, gated if the policy is there still.
func (w *releasing) churn(count int) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1; i < 2*count; i += 2 {
			pod := w.waits("train", i).Pod()
			if !w.gatesByPolicy && i > count {
				pod.Spec.SchedulingGates = nil // a template of which the gate was taken
			}
			pods := w.Client.CoreV1().Pods(pod.Namespace)
			if err := pods.Delete(w.Ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
				w.Errorf("delete %s: %v", pod.Name, err)
			}
			if _, err := pods.Create(w.Ctx, pod, metav1.CreateOptions{}); err != nil {
				w.Errorf("create %s: %v", pod.Name, err)
			}
		}
	}()
	return done
}

// A policy that names the gate and is not of deploy stays, and the note says so.
func TestReleaseLeavesPoliciesOfOthersAlone(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newReleasing(t)
	if _, err := w.Cluster.Kubectl(w.Ctx, "label", "validatingadmissionpolicy", "outrigger-gate-removal",
		"app.kubernetes.io/part-of=another", "--overwrite"); err != nil {
		t.Fatal(err)
	}
	w.Pods(w.waits("train", 0))
	account := w.kubeconfigOf("releaser", releasesGates...)
	code, _, stderr := w.releaseGates(account, "--all")
	if code != 1 || !strings.Contains(stderr, "note: ValidatingAdmissionPolicyBinding outrigger-gate-removal stays: its policy "+
		"outrigger-gate-removal names the gate but is not part of Outrigger\n") ||
		!strings.Contains(stderr, "note: default/train-000: ") || !strings.Contains(stderr, "only the agent removes") ||
		!strings.Contains(stderr, "2 pods still have the gate outrigger.dev/queue: run this command again\n") {
		t.Errorf("it ends with %d and says:\n%s", code, stderr)
	}
	if left := w.bindingsByKubectl(); !slices.Equal(left, []string{"outrigger-gate-removal"}) {
		t.Errorf("bindings %v are left", left)
	}
	w.Must(w.patch(w.admin, "train-000", "", removal(queueGate), metav1.PatchOptions{}))
}
