package gang

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// zone is the label of nodes over which the gangs here spread.
const zone = "example.com/zone"

// mostCalls is how often the scheduler may ask for one pod from its creation to its binding: when it
// comes, again when its own refusal has been written, when its gang has got places, and twice as
// often for what happens beside it meanwhile.
const mostCalls = 8

// zoned are nodes of four slots in a zone.
func zoned(name string, nodes int) []*kube.NodeBuilder {
	var builders []*kube.NodeBuilder
	for i := range nodes {
		builders = append(builders, kube.MakeNode(fmt.Sprintf("%s-%d", name, i)).
			Resource(corev1.ResourceCPU, "4").Label(zone, name))
	}
	return builders
}

// each changes all pods of a gang.
func each(pods []*kube.PodBuilder, change func(pod *kube.PodBuilder)) []*kube.PodBuilder {
	for _, pod := range pods {
		change(pod)
	}
	return pods
}

// membersOn counts the members of gang train by what a node's name begins with, up to a "-".
func (w *world) membersOn(part func(node string) string) map[string]int {
	counts := map[string]int{}
	for _, binding := range w.Tracker.Bindings() {
		counts[part(binding.Node)]++
	}
	return counts
}

// W11: members that must not share a node get one each, and wait while there is one too few.
func TestMembersThatKeepApartGetANodeEachOrWait(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 4
	w := newCountedWorld(t, zoned("a", size-1), nil)
	w.inParallel(4, each(gangOf("train", size), func(pod *kube.PodBuilder) {
		pod.Apart(corev1.LabelHostname, "podGroup", "train")
	}))
	w.waitingMessage("train-000", "gang default/train waits: pod anti-affinity")
	w.untilQuiet()
	w.checkWhole(size, "train")
	w.checkCalls(mostCalls)

	began := time.Now()
	w.Nodes(zoned("b", 1)...)
	t.Logf("whole %.2f s after the last node had come", w.untilBoundOf("train-", size, began).Seconds())
	for node, members := range w.membersOn(func(node string) string { return node }) {
		if members != 1 {
			t.Errorf("%d members are on %s", members, node)
		}
	}
	w.CheckBoundOnce(size)
	w.checkCalls(2 * mostCalls)
}

// W11: members that must be spread evenly wait where that is impossible, though there is room for all, and then are.
func TestMembersThatMustBeSpreadWaitUntilTheyCanBe(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 8
	// Beside eight slots in zone a.
	w := newCountedWorld(t, append(zoned("a", 2), zoned("b", 1)[0].Resource(corev1.ResourceCPU, "2")), nil)
	w.inParallel(4, each(gangOf("train", size), func(pod *kube.PodBuilder) { pod.Spread(zone, "podGroup", "train") }))
	w.waitingMessage("train-000", "gang default/train waits: topology spread")
	w.untilQuiet()
	w.checkWhole(size, "train")
	began := time.Now()
	w.Nodes(zoned("b", 2)[1])
	t.Logf("whole after %.2f s", w.untilBoundOf("train-", size, began).Seconds())
	perZone := w.membersOn(func(node string) string { return node[:1] })
	if perZone["a"] != size/2 || perZone["b"] != size/2 {
		t.Errorf("members by zone: %v", perZone)
	}
	w.CheckBoundOnce(size)
	// When the place comes, all wake at once, and the scheduler itself refuses members whose turn has not come by the
	// spread. It gives them a backoff, which an idle one cuts short: with slow bindings (19 calls in 3.6 s were seen) it
	// asks until the zones are even again.
	w.checkCalls(8 * mostCalls)
}

// W11: a gang of high priority that never preempts waits on a full cluster for others to end.
func TestAGangThatNeverPreemptsWaitsForOthersToEnd(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 4
	w := newCountedWorld(t, zoned("a", 2), nil, "--gang.preempt")
	never := corev1.PreemptNever
	_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "patient"}, Value: 1000, PreemptionPolicy: &never}, metav1.CreateOptions{})
	w.Must(err)
	w.inParallel(4, append(gangOf("early", size), singles("single", size)...))
	w.UntilBound(2 * size)
	w.haveRunLong()

	w.inParallel(4, each(gangOf("patient", size), func(pod *kube.PodBuilder) { pod.PriorityClass("patient") }))
	// On a full cluster no extender is called: only the agent itself can say why.
	w.gang.UntilMetricAbove(t, 0, "outrigger_gang_waiting", `cause="cpu"`)
	w.untilEvent("GangWaiting")
	w.untilQuiet()
	w.UntilBound(2 * size)
	if bound := w.bound("early-") + w.bound("single-"); bound != 2*size {
		t.Errorf("%d of those who were there first are left, want %d", bound, 2*size)
	}
	if evicted := w.gang.Metric(t, "outrigger_gang_evictions_total"); evicted != 0 {
		t.Errorf("%v pods were evicted", evicted)
	}

	began := time.Now()
	w.deletePods("single-")
	t.Logf("whole %.2f s after there was room", w.untilBoundOf("patient-", size, began).Seconds())
	w.checkWhole(size, "early")
	w.checkCalls(mostCalls)
}

// singles are slots of nobody's gang.
func singles(name string, count int) []*kube.PodBuilder {
	var pods []*kube.PodBuilder
	for i := range count {
		pods = append(pods, slot(fmt.Sprintf("%s-%03d", name, i)))
	}
	return pods
}

// W11: members of one gang that two profiles of the scheduler place are one gang.
func TestMembersOfTwoProfilesAreOneGang(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 6
	profiles := []string{"profile-a", "profile-b"}
	w := newCountedWorld(t, zoned("a", 2), profiles, "--gang.scheduler-names", "profile-a,profile-b")
	mixed := func(gang string) []*kube.PodBuilder {
		next := 0
		return each(gangOf(gang, size), func(pod *kube.PodBuilder) {
			pod.Scheduler(profiles[next%2])
			next++
		})
	}
	w.inParallel(4, interleaved(mixed("one"), mixed("two")))
	first, second := w.firstWhole(size, "one", "two")
	w.waitingMessage(second+"-000", fmt.Sprintf("gang default/%s waits: cpu", second))
	w.waitingMessage(second+"-001", fmt.Sprintf("gang default/%s waits: cpu", second))
	w.untilQuiet()
	w.checkWhole(size, first)
	if bound := w.bound(second + "-"); bound != 0 {
		t.Errorf("%d members of %s are bound beside %s", bound, second, first)
	}
	began := time.Now()
	w.deletePods(first + "-")
	t.Logf("%s whole %.2f s after %s had gone", second, w.untilBoundOf(second+"-", size, began).Seconds(), first)
	// Each member of the other gang that is bound, or goes, may wake those who wait by itself.
	w.checkCalls(mostCalls + 2*size)
}

// W5: one rack for all, of members that are not alike.
func TestAGangThatWantsOneRackGetsOneOrIsToldWhichComesClosest(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	eachMode(t, atOnce(oneRack))
}

func oneRack(t *testing.T, m mode) {
	t.Helper()
	w, client, plugins := newPodGroupWorld(t)
	const size = 9
	object := plugins.object("default", "train", size)
	object.SetAnnotations(map[string]string{"outrigger.dev/topology-required": "example.com/rack"})
	w.create(client, plugins, object)
	// Of racks a and c, which have room for all together, a comes closer; rack b has just enough for all.
	rack := func(name string, workers int) {
		w.Nodes(kube.MakeNode(name+"-large").Resource(corev1.ResourceCPU, "16").Label("example.com/rack", name))
		for i := range workers {
			w.Nodes(kube.MakeNode(fmt.Sprintf("%s-%d", name, i)).Resource(corev1.ResourceCPU, "8").
				Resource("example.com/gpu", "2").Label("example.com/rack", name))
		}
	}
	rack("a", 3)
	rack("c", 1)
	m.start(w)
	w.Pods(m.dress(plugins.member("train", 0).Request(corev1.ResourceCPU, "16"))...)
	for i := 1; i < size; i++ {
		w.Pods(m.dress(plugins.member("train", i).Request(corev1.ResourceCPU, "4").Request("example.com/gpu", "1"))...)
	}
	m.waits(w, "plugins-train-000", "gang default/train waits: room within one example.com/rack")
	w.UntilEventWith("GangWaiting", "7 fit in example.com/rack a; 2 more nodes")
	if m.alone { // kube-scheduler has to know the rack when the gang is released: it takes other nodes for one that it does not
		w.patchMinimum(client, plugins, "train", size+1)
		w.gang.UntilMetricAbove(t, 0, "outrigger_gang_waiting", `cause="members"`)
	}
	rack("b", 4)
	if m.alone {
		for _, node := range []string{"b-large", "b-0", "b-1", "b-2", "b-3"} {
			w.Pods(kube.MakePod("on-"+node).Request(corev1.ResourceCPU, "0").Pinned(node))
		}
		w.untilBoundOf("on-b-", 5, time.Now())
		w.patchMinimum(client, plugins, "train", size)
	}
	w.untilBoundOf("plugins-", size, time.Now())
	for _, binding := range w.Tracker.Bindings() {
		if binding.Node[0] != 'b' {
			t.Errorf("%s is on %s, outside rack b", binding.Name, binding.Node)
		}
	}
}

func (w *world) patchMinimum(client dynamic.Interface, d dialect, group string, minimum int) {
	w.Helper()
	_, err := client.Resource(d.resource).Namespace("default").Patch(w.Ctx, group, types.MergePatchType,
		fmt.Appendf(nil, `{"spec":{"minMember":%d}}`, minimum), metav1.PatchOptions{})
	w.Must(err)
}

// minResources: nobody starts before so much is free in all, though the pods themselves would find places.
func TestAGangWaitsUntilItsMinResourcesAreFree(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w, client, plugins := newPodGroupWorld(t)
	w.slots("n", 2, 4)
	w.gang = w.serveGang()
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))
	group := plugins.object("default", "train", 2)
	w.Must(unstructured.SetNestedMap(group.Object, map[string]any{"cpu": "10"}, "spec", "minResources"))
	w.create(client, plugins, group)
	w.Pods(plugins.member("train", 0), plugins.member("train", 1))
	// The condition may say "members" still: who sleeps is not woken to be told another reason.
	w.UntilEventWith("GangWaiting", "2 members need cpu 1, memory 16Mi each, 2 fit; minResources asks for cpu 10 in all, "+
		"8 free; 1 more node with cpu 2 free would do")
	began := time.Now()
	w.Nodes(kube.MakeNode("more").Resource(corev1.ResourceCPU, "2"))
	w.Within(3*time.Second, "whole", w.untilBoundOf("plugins-train-", 2, began))
}
