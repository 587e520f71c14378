package gang

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/standin"
)

// auditPolicy has the API server write down each request of the agent's account.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    users: ["` + agentAccount + `"]
  - level: None
`

// audited is a request as the API server has written it down.
type audited struct {
	Verb      string `json:"verb"`
	ObjectRef struct {
		APIGroup, Resource, Subresource, Name string
	} `json:"objectRef"`
	ResponseStatus struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"responseStatus"`
}

func (a audited) right() string {
	resource := a.ObjectRef.Resource
	if a.ObjectRef.Subresource != "" {
		resource += "/" + a.ObjectRef.Subresource
	}
	return strings.TrimSpace(a.Verb + " " + resource + " " + a.ObjectRef.APIGroup)
}

func readAudit(t *testing.T, path string) (requests []audited) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // is being written
		}
		var one audited
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		requests = append(requests, one)
	}
	return requests
}

// With all policies of deploy/ applied together, and the account of `agents gang --rbac`: gangs wait, are nominated,
// released, bound, evicted, told of, and the API server refuses the agent nothing.
func TestTheAgentIsRefusedNothing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	eachMode(t, atOnce(refusedNothing))
}

func refusedNothing(t *testing.T, m mode) {
	t.Helper()
	folder := t.TempDir()
	policy, log := filepath.Join(folder, "policy.yaml"), filepath.Join(folder, "audit.log")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &gangWorld{world: worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{
		"--audit-policy-file=" + policy, "--audit-log-path=" + log}}))}
	dress := m.dress
	if w.servesPolicies() && (m.gated || m.asksAll) {
		dress = func(pods ...*kube.PodBuilder) []*kube.PodBuilder { return pods }
		w.applyPolicies(m)
	}
	w.guarded()
	w.deletePod("default", "probe")
	w.priorityClasses(map[string]int32{"low": 10, "high": 1000})
	_, err := standin.StartKubelet(w.Ctx, w.Client)
	w.Must(err)
	_, err = standin.StartDisruptions(w.Ctx, w.Client)
	w.Must(err)
	w.holdLease("host_1")
	w.slots("n", 2, 4)
	w.mode = m
	w.gang = outrigger.ServeAt(w, 0, "gang", w.Cluster.LogDir(), "gang", m.with([]string{"--kubeconfig", w.kubeconfigInForce(),
		"--gang.scheduler-lease", "kube-system/scheduler", "--gang.host-name", "host",
		"--gang.preempt", "--gang.timeout", "5"})...)
	w.gang.UntilReady(t)
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}, m.config...))

	gang := func(name, class string, size int) {
		var pods []*kube.PodBuilder
		for i := range size {
			pods = append(pods, member(name, i, size).PriorityClass(class))
		}
		w.inParallel(4, dress(pods...))
	}
	gang("cheap", "low", 4)
	gang("other", "low", 4)
	w.untilBoundOf("cheap-", 4, time.Now())
	w.untilBoundOf("other-", 4, time.Now())
	w.haveRunLong()
	gang("waits", "low", 9)
	w.UntilEventWith("GangWaiting", "gang default/waits waits: 9 members need cpu 1")
	gang("dear", "high", 4)
	w.untilBoundOf("dear-", 4, time.Now())
	w.deletePods("dear-000")
	w.UntilEventWith("GangPartial", "gang default/dear is bound in part: 3 of 4 members run")

	used := map[string]int{}
	for _, request := range readAudit(t, log) {
		used[request.right()]++
		if request.ResponseStatus.Code == 401 || request.ResponseStatus.Code == 403 {
			t.Errorf("refused: %s %s: %s", request.right(), request.ObjectRef.Name, request.ResponseStatus.Message)
		}
	}
	wanted := []string{"create pods/binding", "create pods/eviction", "create events events.k8s.io",
		"get leases coordination.k8s.io", "watch nodes", "watch pods"}
	if m.gated {
		wanted = append(wanted, "patch pods")
	} else if used["patch pods"] != 0 {
		t.Errorf("without gates it patches pods")
	}
	if m.gated || m.asksAll {
		wanted = append(wanted, "patch pods/status")
	}
	for _, right := range wanted {
		if used[right] == 0 {
			t.Errorf("it does not %s: %v", right, used)
		}
	}
	t.Logf("requests: %s", fmt.Sprint(used))
}

// kubeconfigInForce is that of an account with the agent's rights, of which the API server has heard.
func (w *world) kubeconfigInForce() string {
	w.Helper()
	config, err := w.Cluster.ConfigWithManifest(w.Ctx, outrigger.Run(w, "agents", "gang", "--rbac"))
	w.Must(err)
	w.UntilGranted(config, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}})
	kubeconfig, err := w.Cluster.WriteKubeconfig("gang", config)
	w.Must(err)
	return kubeconfig
}

// applyPolicies applies those that give members what they have in the mode, and waits until they work.
func (w *world) applyPolicies(m mode) {
	w.Helper()
	if !m.gated {
		if m.asksAll {
			w.applyPolicy()
		}
		return
	}
	w.install(deployed(memberPolicyFile), w.isGating)
	if made := w.dryRun(member("probe", 0, 2)); m.asksAll && !asksForBoth(made) {
		w.Errorf("the policies do not work together: %v", made.Spec.Containers[0].Resources)
	}
}

// What a Binding carries the API server copies to the pod.
func TestTheAgentBindsAndSetsNothingElseOfThePod(t *testing.T) {
	t.Parallel()
	w := newGuarded(t)
	w.Nodes(kube.MakeNode("zoned").Label("topology.kubernetes.io/zone", "a")) // which newer API servers add to a Binding
	w.Pods(slot("p"))
	pair := map[string]string{"team": "red"}
	for name, row := range map[string]struct {
		meta metav1.ObjectMeta
		may  bool
	}{
		"nothing":       {metav1.ObjectMeta{}, true},
		"a label":       {metav1.ObjectMeta{Labels: pair}, false},
		"an annotation": {metav1.ObjectMeta{Annotations: pair}, false},
		"its own":       {metav1.ObjectMeta{Annotations: map[string]string{"outrigger.dev/started-with": "4"}}, true},
		"the zone":      {metav1.ObjectMeta{Labels: map[string]string{"topology.kubernetes.io/zone": "a"}}, true},
	} {
		if err := w.dryBind(w.owner, "p", row.meta); err != nil && name != "its own" {
			t.Errorf("%s: the owner may not: %v", name, err)
		}
		err := w.dryBind(w.agent, "p", row.meta)
		if row.may && err != nil {
			t.Errorf("%s: the agent may not: %v", name, err)
		}
		if !row.may && !isDenied(err) {
			t.Errorf("%s: the agent is not kept from it: %v", name, err)
		}
	}
}
