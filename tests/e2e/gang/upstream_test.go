package gang

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
)

// upstream is the dialect of spec.schedulingGroup.
var upstream = dialect{name: "upstream", resource: schema.GroupVersionResource{
	Group: "scheduling.k8s.io", Version: upstreamVersion(), Resource: "podgroups"}}

// upstreamVersion is the version that the API server of the tests can serve: 1.36 has v1alpha2, later ones v1beta1.
func upstreamVersion() string {
	if schedulerKnows("GangScheduling") {
		return "v1alpha2"
	}
	return "v1beta1"
}

// schedulerKnows tells whether kube-scheduler has this feature gate.
func schedulerKnows(gate string) bool {
	help, _ := exec.Command(filepath.Join(os.Getenv(cluster.BinariesEnv), "kube-scheduler"), "--help").Output()
	return bytes.Contains(help, []byte(gate+"="))
}

// knowsUpstreamGroups tells whether the API server can be made to serve them: it has a gate for them.
// Its kube-scheduler, too, or neither.
func knowsUpstreamGroups(t *testing.T) bool {
	t.Helper()
	knows := func(program string) bool {
		help, err := exec.Command(filepath.Join(os.Getenv(cluster.BinariesEnv), program), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(help, []byte("GenericWorkload="))
	}
	server, scheduler := knows("kube-apiserver"), knows("kube-scheduler")
	if server != scheduler {
		t.Fatalf("the gate GenericWorkload: known to kube-apiserver %v, to kube-scheduler %v", server, scheduler)
	}
	return server
}

// upstreamServed makes an API server serve upstream's groups, where it can.
func upstreamServed(t *testing.T) []string {
	t.Helper()
	if !knowsUpstreamGroups(t) {
		return nil
	}
	return []string{"--feature-gates=GenericWorkload=true",
		"--runtime-config=" + upstream.resource.GroupVersion().String() + "=true"}
}

// join creates members of a group; upstream's without types that older versions lack.
func (w *world) join(client dynamic.Interface, d dialect, group string, members ...*kube.PodBuilder) {
	w.Helper()
	if d.resource.Group != upstream.resource.Group {
		w.Pods(members...)
		return
	}
	for _, member := range members {
		pod, err := runtime.DefaultUnstructuredConverter.ToUnstructured(member.Pod())
		w.Must(err)
		w.Must(unstructured.SetNestedField(pod, group, "spec", "schedulingGroup", "podGroupName"))
		pod["apiVersion"], pod["kind"] = "v1", "Pod"
		_, err = client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(member.Pod().Namespace).
			Create(w.Ctx, &unstructured.Unstructured{Object: pod}, metav1.CreateOptions{})
		w.Must(err)
	}
}

// upstreamGates make kube-scheduler plan upstream's groups itself: the first gives it the field and a cycle for a
// whole group, the second the plugin that counts members. Both are alpha in 1.36 and off by default; in 1.37 the
// first, then beta, does both, and the second is gone.
var upstreamGates = gatesOfScheduler()

func gatesOfScheduler() string {
	gates := "--feature-gates=GenericWorkload=true"
	if schedulerKnows("GangScheduling") {
		gates += ",GangScheduling=true"
	}
	return gates
}

// upstreamWorld is a countedWorld whose scheduler plans upstream's groups itself.
type upstreamWorld struct {
	*countedWorld
	client dynamic.Interface
}

// newUpstreamWorld starts nodes of four slots, the agent, and the scheduler with its gates; nil where Kubernetes
// has no groups of its own.
func newUpstreamWorld(t *testing.T, nodes int, gates string, args ...string) *upstreamWorld {
	t.Helper()
	if !knowsUpstreamGroups(t) {
		t.Log("this Kubernetes has no groups of its own: there is nothing to share")
		return nil
	}
	w := &upstreamWorld{countedWorld: countedWorldOf(
		worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: upstreamServed(t)})))}
	w.slots("n", nodes, 4)
	w.gang = w.serveGang(args...)
	w.Cluster.MustStartScheduler(t, "kube-scheduler", w.configOf(nil), gates)
	var err error
	w.client, err = dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	w.takesTurns("first") // it has begun
	return w
}

// group creates a group, and returns its members, who have not joined yet.
func (w *upstreamWorld) group(name string, size int) []*kube.PodBuilder {
	w.Helper()
	w.create(w.client, upstream, upstream.object("default", name, int64(size)))
	var members []*kube.PodBuilder
	for i := range size {
		members = append(members, upstream.member(name, i))
	}
	return members
}

// takesTurns returns when the scheduler has bound single pods that came one after the other: by then it has tried
// whoever was there before the first, too.
func (w *world) takesTurns(names ...string) {
	w.Helper()
	for _, name := range names {
		w.Pods(slot(name))
		w.Until(name, "bound", scheduling.IsBound)
	}
}

// lastOneComes adds the last member to a group that lacks nobody else, and waits until it is whole. Before, others
// have their turn, and its members do not: the scheduler holds them.
func (w *upstreamWorld) lastOneComes(group string, size, calls int, last *kube.PodBuilder) {
	w.Helper()
	w.takesTurns("second", "third")
	if bound := w.bound(upstream.name + "-"); bound != 0 {
		w.Errorf("%d members are bound without the last one", bound)
	}
	began := time.Now()
	w.join(w.client, upstream, group, last)
	w.Within(3*time.Second, "whole", w.untilBoundOf(upstream.name+"-"+group+"-", size, began))
	w.CheckBoundOnce(size + 3)
	w.checkCalls(calls)
}

// untilLogged waits until the agent's log has a text.
func (w *gangWorld) untilLogged(text string) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for !strings.Contains(inItsLog(w.world, w.gang), text) {
		if time.Now().After(deadline) {
			w.Fatalf("the agent does not log %q", text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestGroupsThatAreLeftToKubeSchedulerBecomeWholeByItAlone(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 6
	w := newUpstreamWorld(t, 3, upstreamGates, "--gang.leave-upstream")
	if w == nil {
		return
	}
	members := w.group("train", size)
	w.join(w.client, upstream, "train", members[1:]...)
	w.untilLogged("gang default/train is left to kube-scheduler (leave-upstream)")
	w.lastOneComes("train", size, mostCalls, members[0])
	for _, deed := range []string{"outrigger_gang_barriers_total", "outrigger_gang_nominations_total"} {
		if count := w.gang.Metric(t, deed); count != 0 {
			t.Errorf("%s is %v: the agent has not stayed out of it", deed, count)
		}
	}
}

// Two who plan the same groups do not hold each other up, and what has no room holds nothing. That the scheduler
// tries such a group again and again is its own doing: it gives members a backoff, whatever refused them, and an
// idle scheduler cuts that short, unless a gate forbids it.
func TestGroupsThatSchedulerAndAgentBothPlanAreWholeOrHoldNothing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size, tries = 6, 3
	for _, row := range []struct {
		name, gates string
		calls       int           // for one pod of a group that has room: the scheduler may be there before the plan
		pause       time.Duration // between two tries of a group that has none, at least
	}{
		{"BackoffCutShort", upstreamGates, 16 * mostCalls, 0},
		{"BackoffKept", upstreamGates + ",SchedulerPopFromBackoffQ=false", mostCalls, time.Second},
	} {
		if row.pause > 0 && !scheduling.AllAreWanted() {
			continue // kube-scheduler has that gate on by default
		}
		t.Run(row.name, func(t *testing.T) {
			w := newUpstreamWorld(t, 3, row.gates)
			if w == nil {
				return
			}
			members := w.group("train", size)
			w.join(w.client, upstream, "train", members[1:]...)
			w.untilLacks("train", 5, 6)
			w.lastOneComes("train", size, row.calls, members[0])

			w.join(w.client, upstream, "more", w.group("more", 4)...)
			w.UntilEventWith("GangWaiting", "gang default/more waits: 4 members need cpu 1, memory 16Mi each, 3 fit")
			began, before := time.Now(), w.callsFor("upstream-more-000")
			w.untilCalls("upstream-more-000", before+tries)
			took, calls := time.Since(began), w.callsFor("upstream-more-000")-before
			t.Logf("while it waits it is tried %d times in %.3f s", calls, took.Seconds())
			if took < (tries-1)*row.pause {
				t.Errorf("it is tried %d times in %v, want %v between them", calls, took, row.pause)
			}
			w.checkHoldsNothing("upstream-more-")
			// Twice at most but for what the agent has not heard of yet: the group, a member.
			if pod, most := mostWritten(w.Tracker.Failures()); most > 4 {
				t.Errorf("the condition of %s was written %d times, want 4 at most", pod, most)
			}
			began = time.Now()
			w.Pods(slot("single"))
			w.Within(2*time.Second, "a single pod is bound beside it", w.untilBoundOf("single", 1, began))

			began = time.Now()
			w.slots("late", 1, 2)
			w.Within(3*time.Second, "whole once there is room", w.untilBoundOf("upstream-more-", 4, began))
			w.CheckBoundOnce(size + 3 + 4 + 1)
		})
	}
}
