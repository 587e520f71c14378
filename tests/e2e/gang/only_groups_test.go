package gang

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/queuewatch"
)

const (
	callResource     = corev1.ResourceName("outrigger.dev/gang")
	bindCallResource = corev1.ResourceName("outrigger.dev/gang-bind")
)

// askingWorld is a world whose scheduler asks about pods alone that request the resources.
type askingWorld struct {
	*gangWorld
	calls  *queuewatch.Observer
	config []byte // the scheduler's
}

// newAskingWorld starts nodes of four slots each, the agent and the scheduler, and has calls counted on their way.
func newAskingWorld(t *testing.T, nodes int) *askingWorld {
	t.Helper()
	w := &askingWorld{gangWorld: &gangWorld{world: newWorld(t)}}
	w.start(nodes)
	return w
}

func (w *askingWorld) start(nodes int) {
	w.Helper()
	w.slots("n", nodes, 4)
	w.gang = w.serveGang(readsMembersOnly)
	var err error
	w.calls, err = queuewatch.Start(w.Ctx, w.Client)
	w.Must(err)
	w.config = w.Config(map[string]string{"gang": w.calls.Before(w, w.gang.URL)}, "--members-only")
	w.StartScheduler(w.config)
}

// asksFor has a pod ask for calls of the agent, as its template may.
func asksFor(builder *kube.PodBuilder, resources ...corev1.ResourceName) *kube.PodBuilder {
	for _, name := range resources {
		builder.Request(name, "0")
	}
	return builder
}

// askingGang is all members of a gang; their templates have the resources unless the policy is there.
func askingGang(gang string, size int, policy bool) []*kube.PodBuilder {
	pods := gangOf(gang, size)
	for _, pod := range pods {
		if !policy {
			asksFor(pod, callResource, bindCallResource)
		}
	}
	return pods
}

// applyPolicy installs the half of deploy/member-policy.yaml that gives members the resources; false: the API server
// does not serve it.
func (w *world) applyPolicy() bool {
	w.Helper()
	if !w.servesPolicies() {
		return false
	}
	text, err := os.ReadFile(deployed(memberPolicyFile))
	w.Must(err)
	file := filepath.Join(w.TempDir(), memberPolicyFile)
	_, half, _ := strings.Cut(string(text), "values: [\"kube-system\"]\n---\n")
	w.Must(os.WriteFile(file, []byte(half), 0o644))
	w.install(file, w.isAskingForCalls)
	return true
}

// podsOf counts the pods that calls of a verb were about, by the beginning of their names.
func (w *askingWorld) podsOf(verb, prefix string) int {
	pods := map[string]bool{}
	for _, call := range w.calls.Calls(verb) {
		if strings.HasPrefix(call.Pod, "default/"+prefix) {
			pods[call.Pod] = true
		}
	}
	return len(pods)
}

// The scheduler asks about members alone, which are whole all the same: the policy gives them the resources, or where
// there is none, their templates.
func TestOnlyMembersAreAskedAbout(t *testing.T) {
	t.Parallel()
	w := newAskingWorld(t, 5)
	policy := w.applyPolicy()
	t.Logf("the policy gives members the resources: %v", policy)

	singles := make([]*kube.PodBuilder, 6)
	for i := range singles {
		singles[i] = slot(fmt.Sprintf("single-%d", i))
	}
	w.Pods(singles...)
	w.untilBoundOf("single-", 6, time.Now())

	// Two gangs of ten, and room for one.
	began := time.Now()
	w.inParallel(4, interleaved(askingGang("a", 10, policy), askingGang("b", 10, policy)))
	first, second := w.firstWhole(10, "a", "b")
	t.Logf("%s is whole after %.2f s", first, time.Since(began).Seconds())
	w.waitingMessage(second+"-000", "gang default/"+second+" waits: cpu")
	w.checkHoldsNothing(second + "-")
	w.checkWhole(10, "a", "b")
	began = time.Now()
	w.deletePods(first + "-")
	t.Logf("%s is whole %.2f s after %s had ended", second, w.untilBoundOf(second+"-", 10, began).Seconds(), first)

	for _, verb := range []string{"filter", "prioritize", "preempt", "bind"} {
		if asked := w.podsOf(verb, "single-"); asked != 0 {
			t.Errorf("%s was called about %d single pods", verb, asked)
		}
	}
	// A call is known once its answer has gone, and the binding is before that.
	asked := 0
	for deadline := time.Now().Add(scheduling.Patience); asked < 20 && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
		asked = w.podsOf("bind", "")
	}
	if asked != 20 {
		t.Errorf("bind was called about %d pods, want the 20 members", asked)
	}
	if asked := w.podsOf("filter", ""); asked != 20 {
		t.Errorf("filter was called about %d pods, want the 20 members", asked)
	}
	for _, pod := range w.Tracker.Pods() {
		message := kube.Condition(pod, corev1.PodScheduled).Message
		if strings.Contains(message, "outrigger.dev/gang") {
			t.Errorf("%s is refused for a resource that stands for calls: %s", pod.Name, message)
		}
	}
}

// policyRow is a pod as its owner writes it, and whether the policy makes it ask.
type policyRow struct {
	name string
	pod  *kube.PodBuilder
	asks bool
}

func policyRows() []policyRow {
	pod := func() *kube.PodBuilder { return slot("p") }
	rows := []policyRow{
		{"labels", pod().Label("podGroup", "g").Label("minAvailable", "2"), true},
		{"labels of Coscheduling before PodGroups", pod().Label("pod-group.scheduling.sigs.k8s.io/name", "g").
			Label("pod-group.scheduling.sigs.k8s.io/min-available", "2"), true},
		{"annotations of Koordinator", pod().Annotation("gang.scheduling.koordinator.sh/name", "g").
			Annotation("gang.scheduling.koordinator.sh/min-available", "2"), true},
		{"no marker", pod(), false},
		{"other labels and annotations", pod().Label("app", "g").Annotation("a", "b"), false},
		{"podGroup without minAvailable", pod().Label("podGroup", "g"), true},
		{"minAvailable without podGroup", pod().Label("minAvailable", "2"), false},
		{"an empty name", pod().Label("scheduling.x-k8s.io/pod-group", ""), false},
		{"a marker that is not read", pod().Label("kueue.x-k8s.io/pod-group-name", "g"), false},
		{"another scheduler", pod().Label("podGroup", "g").Label("minAvailable", "2").Scheduler("other"), false},
		{"a node already", pod().Label("podGroup", "g").Label("minAvailable", "2").Node("n000"), false},
		{"kube-system", pod().Label("podGroup", "g").Label("minAvailable", "2").Namespace("kube-system"), false},
		{"resources already", asksFor(pod().Label("podGroup", "g").Label("minAvailable", "2"), callResource), true},
	}
	for _, d := range dialects {
		rows = append(rows, policyRow{d.name, d.member("g", 0), true})
	}
	return rows
}

// Of upstream's groups only an API server with their gate keeps the pod's field.
func TestThePolicyGivesMembersOfUpstreamsGroupsTheResources(t *testing.T) {
	t.Parallel()
	if !knowsUpstreamGroups(t) {
		t.Log("this Kubernetes has no groups of its own in any version")
		return
	}
	w := &world{scheduling.Of(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: serves(upstreamVersion())}))}
	if !w.applyPolicy() {
		t.Log("this Kubernetes has no MutatingAdmissionPolicy in v1: templates carry the resources")
		return
	}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "p"},
		"spec": map[string]any{"schedulingGroup": map[string]any{"podGroupName": "g"},
			"containers": []any{map[string]any{"name": "c", "image": "i"}}}}
	made, err := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace("default").Create(w.Ctx,
		&unstructured.Unstructured{Object: pod}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	w.Must(err)
	var read corev1.Pod
	w.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, &read))
	group, kept, _ := unstructured.NestedString(made.Object, "spec", "schedulingGroup", "podGroupName")
	if !kept || !asksForBoth(&read) {
		t.Errorf("group %q, resources %v", group, read.Spec.Containers[0].Resources)
	}
}

// A member that does not ask is placed as a single pod. The agent says so, counts it, and counts it as bound: the gang
// is whole with it.
func TestAMemberThatDoesNotAskIsFound(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	podGroups, client, plugins := newPodGroupWorld(t)
	w := &askingWorld{gangWorld: podGroups}
	w.create(client, plugins, plugins.object("default", "train", 3))
	w.start(2)

	// Two that ask wait for the third.
	asking := func(index int) *kube.PodBuilder {
		return asksFor(plugins.member("train", index), callResource, bindCallResource)
	}
	w.Pods(asking(0), asking(1))
	w.waitingMessage("plugins-train-000", "gang default/train waits: members")
	began := time.Now()
	w.Pods(plugins.member("train", 2))
	t.Logf("whole after %.2f s", w.untilBoundOf("plugins-train-", 3, began).Seconds())
	if calls := w.podsOf("bind", "plugins-train-002") + w.podsOf("filter", "plugins-train-002"); calls != 0 {
		t.Error("calls came about the member that does not ask")
	}
	const missing = "not request outrigger.dev/gang and outrigger.dev/gang-bind"
	w.UntilEventWith("GangResourceMissing", "gang default/train has 1 member that does "+missing+" (plugins-train-002)")
	w.UntilEventWith("GangResourceMissing", "the pod is in gang default/train but does "+missing)
	w.checkEventsAbout("GangResourceMissing", "PodGroup/train", "Pod/plugins-train-002")
	w.gang.UntilMetricAbove(t, 0, "outrigger_gang_resource_missing", `pods="bound"`)
	w.checkExplained("train", "Not asked: 1 member does "+missing)

	// One that asks for half of it passes filter, and no bind call holds it back.
	w.Pods(asksFor(plugins.member("train", 3), callResource))
	w.UntilEventWith("GangResourceMissing", "does not request outrigger.dev/gang-bind (plugins-train-003)")
	w.checkDoctorFinds(w.config, "group-resource-missing", "outrigger.dev/gang-bind")
}

// kube-scheduler's own filter refuses members on a full cluster. A new node does not wake who asks for an amount that
// the node lacks, ignored or not (isSchedulableAfterNodeChange() of NodeResourcesFit): these the agent wakes.
func TestAGangThatAsksStartsOnANewNode(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"0", "1"} {
		t.Run(amount, func(t *testing.T) {
			t.Parallel()
			startsOnANewNode(t, amount)
		})
	}
}

func startsOnANewNode(t *testing.T, amount string) {
	t.Helper()
	w := newAskingWorld(t, 1)
	for i := range 4 {
		w.Pods(slot(fmt.Sprintf("single-%d", i)))
	}
	w.untilBoundOf("single-", 4, time.Now())
	for _, pod := range gangOf("train", 4) {
		w.Pods(pod.Request(callResource, amount).Request(bindCallResource, amount))
	}
	for i := range 4 {
		w.Until(fmt.Sprintf("train-%03d", i), "refused", func(pod *corev1.Pod) bool {
			return strings.Contains(kube.Condition(pod, corev1.PodScheduled).Message, "Insufficient cpu")
		})
	}
	time.Sleep(2 * time.Second) // their back-off is over: they sleep
	began := time.Now()
	w.slots("new", 1, 4)
	t.Logf("whole %.2f s after the node had come", w.untilBoundOf("train-", 4, began).Seconds())
	if amount != "0" && w.gang.Metric(t, "outrigger_gang_nominations_total", `result="written"`) == 0 {
		t.Error("no member was nominated")
	}
	if calls := w.podsOf("filter", "single-"); calls != 0 {
		t.Errorf("filter was called about %d single pods", calls)
	}
}

// checkEventsAbout fails the test unless events of a reason are about these objects, and no others.
func (w *world) checkEventsAbout(reason string, want ...string) {
	w.Helper()
	events, err := w.Client.EventsV1().Events("default").List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	var about []string
	for _, event := range events.Items {
		if event.Reason == reason {
			about = append(about, event.Regarding.Kind+"/"+event.Regarding.Name)
		}
	}
	slices.Sort(about)
	slices.Sort(want)
	if !slices.Equal(about, want) {
		w.Errorf("events %s are about %v, want %v", reason, about, want)
	}
}

// checkDoctorFinds runs the doctor on the scheduler's configuration and the live cluster.
func (w *askingWorld) checkDoctorFinds(config []byte, finding, text string) {
	w.Helper()
	said := w.doctor(config)
	if !strings.Contains(said, finding) || !strings.Contains(said, text) {
		w.Errorf("doctor does not find %s with %q:\n%s", finding, text, said)
	}
}

// Members may ask before agent and scheduler are switched over, or where they never are.
func TestMembersMayAskWhereAllPodsAreAskedAbout(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newGangWorld(t, 2)
	w.Pods(slot("single"))
	w.Pods(askingGang("train", 4, false)...)
	w.untilBoundOf("train-", 4, time.Now())
	w.untilBoundOf("single", 1, time.Now())
}
