package queuewatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	extender "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// pod is one that takes a cpu, of class Burstable.
func pod(name string, change func(*corev1.Pod)) *corev1.Pod {
	pod := kube.MakePod(name).Request(corev1.ResourceCPU, "1").Pod()
	pod.UID, pod.CreationTimestamp = types.UID(name), metav1.NewTime(start)
	pod.Status.QOSClass = corev1.PodQOSBurstable
	if change != nil {
		change(pod)
	}
	return pod
}

func label(key, value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels[key] = value }
}

func prioritized(value int32) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Spec.Priority = &value }
}

func TestTheOrderIsTotal(t *testing.T) {
	controls := true
	inOrder := []*corev1.Pod{
		pod("critical", prioritized(2_000_000_000)),
		pod("daemon", func(pod *corev1.Pod) {
			pod.OwnerReferences = []metav1.OwnerReference{{Kind: "DaemonSet", Controller: &controls}}
		}),
		pod("static", func(pod *corev1.Pod) { pod.Annotations[corev1.MirrorPodAnnotationKey] = "hash" }),
		pod("largest", label("groupPriority", "9223372036854775807")),
		pod("ten", label("groupPriority", "10")),
		pod("urgent", prioritized(7)),
		pod("guaranteed", func(pod *corev1.Pod) { pod.Status.QOSClass = corev1.PodQOSGuaranteed }),
		pod("a", nil),
		pod("malformed", label("groupPriority", "ten")),
		pod("overflow", label("groupPriority", "9223372036854775808")),
		pod("z", nil),
		pod("younger", func(pod *corev1.Pod) { pod.CreationTimestamp = metav1.NewTime(start.Add(time.Second)) }),
		pod("best", func(pod *corev1.Pod) { pod.Status.QOSClass = corev1.PodQOSBestEffort }),
		pod("negative", label("groupPriority", "-1")),
	}
	for i, a := range inOrder {
		for k, b := range inOrder {
			if got := RankOf(a).Before(RankOf(b)); got != (i < k) {
				t.Errorf("%s before %s: %v", a.Name, b.Name, got)
			}
		}
	}
}

func TestAGangHasTheGroupPriorityOfItsOldestMemberAndTheLowestRest(t *testing.T) {
	young := pod("y", label("groupPriority", "9"))
	young.CreationTimestamp = metav1.NewTime(start.Add(time.Second))
	young.Status.QOSClass = corev1.PodQOSBestEffort
	old := pod("o", prioritized(5))
	rank := RankOfGang("default/g", []*corev1.Pod{young, old})
	want := Rank{Priority: 0, QOS: corev1.PodQOSBestEffort, Created: start, Name: "default/g"}
	if rank != want {
		t.Errorf("%+v, want %+v", rank, want)
	}
}

// rig is an observer with a clock of its own, and nodes.
type rig struct {
	*Observer
	clock time.Time
}

func newRig(nodes, slots int) *rig {
	r := &rig{clock: start}
	r.Observer = newObserver(func() time.Time { return r.clock })
	for i := range nodes {
		r.seeNode(kube.MakeNode(fmt.Sprintf("n%d", i)).Resource(corev1.ResourceCPU, fmt.Sprint(slots)).Node())
	}
	return r
}

func (r *rig) after(d time.Duration) { r.clock = r.clock.Add(d) }

// pass is a filter call that lets the pod through to nodes, and its binding to the first.
func (r *rig) pass(pod *corev1.Pod, nodes ...string) {
	r.note(Call{Verb: "filter", UID: string(pod.UID), Began: r.clock, Answered: r.clock, Passed: nodes})
	r.after(10 * time.Millisecond)
	bound := pod.DeepCopy()
	bound.Spec.NodeName = nodes[0]
	r.see(bound)
}

func (r *rig) expect(t *testing.T, all, lost int) {
	t.Helper()
	got := r.Inversions()
	if len(got) != all || len(Lost(got)) != lost {
		t.Errorf("%d inversions, %d of them a loss, want %d and %d: %v", len(got), len(Lost(got)), all, lost, got)
	}
}

func TestAnInversionIsAPodThatTookThePlaceOfOneBeforeIt(t *testing.T) {
	first := func(more func(*corev1.Pod)) *corev1.Pod {
		return pod("first", func(pod *corev1.Pod) {
			pod.Labels["groupPriority"] = "10"
			if more != nil {
				more(pod)
			}
		})
	}
	for name, row := range map[string]struct {
		first *corev1.Pod
		wait  time.Duration
		full  bool // the node, but for what one pod frees
		nodes int
		all   int
		lost  int
	}{
		"ItIs":          {first: first(nil), wait: time.Second, nodes: 1, all: 1, lost: 1},
		"TooNew":        {first: first(nil), wait: 50 * time.Millisecond, nodes: 1},
		"RoomElsewhere": {first: first(nil), wait: time.Second, nodes: 2, all: 1},
		"TooLarge": {first: first(func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("1100m")
		}), wait: time.Second, nodes: 1},
		"Gated":            {first: first(func(pod *corev1.Pod) { pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}} }), wait: time.Second, nodes: 1},
		"MayNotRunThere":   {first: first(func(pod *corev1.Pod) { pod.Spec.NodeSelector = map[string]string{"no": "node"} }), wait: time.Second, nodes: 1},
		"GoesAfter":        {first: pod("z", nil), wait: time.Second, nodes: 1},
		"LateNewsOfAPlace": {first: first(nil), wait: time.Second, full: true, nodes: 1, all: 1, lost: 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(row.nodes, 1)
			if row.full {
				filler := pod("filler", nil)
				filler.Spec.NodeName = "n0"
				r.see(filler)
			}
			r.see(row.first)
			late := pod("late", nil)
			r.see(late)
			r.after(row.wait)
			r.pass(late, "n0")
			r.expect(t, row.all, row.lost)
		})
	}
}

func TestWhatWasLetThroughIsNotOvertaken(t *testing.T) {
	r := newRig(1, 2)
	first, late := pod("first", label("groupPriority", "1")), pod("late", nil)
	r.see(first)
	r.see(late)
	r.after(time.Second)
	r.note(Call{Verb: "filter", UID: "first", Began: r.clock, Answered: r.clock, Passed: []string{"n0"}})
	r.after(time.Millisecond)
	r.pass(late, "n0") // bound before the first is
	bound := first.DeepCopy()
	bound.Spec.NodeName = "n0"
	r.see(bound)
	r.expect(t, 0, 0)
}

func TestAPodThatWaitsForEverIsOvertakenByEach(t *testing.T) {
	r := newRig(1, 1)
	r.see(pod("first", label("groupPriority", "1")))
	for i := range 3 {
		late := pod(fmt.Sprint("late", i), nil)
		r.see(late)
		r.after(time.Second)
		r.pass(late, "n0")
		r.after(time.Second)
		r.lose(late)
	}
	r.expect(t, 3, 3)
	if took := r.Refills(); len(took) != 2 || Median(took) != time.Second+10*time.Millisecond {
		t.Errorf("refills: %v", took)
	}
	if calls := r.CallsPerBound(); calls != 1 {
		t.Errorf("%v calls for each bound pod, want 1", calls)
	}
}

func TestAGangIsOvertakenIfItHadRoomAsAWhole(t *testing.T) {
	for slots, want := range map[int]int{1: 0, 2: 1, 3: 0} {
		r := newRig(1, slots)
		for i := range 2 {
			r.see(pod(fmt.Sprint("m", i), func(pod *corev1.Pod) {
				pod.Labels = map[string]string{"podGroup": "g", "minAvailable": "2", "groupPriority": "1"}
			}))
		}
		late := pod("late", nil)
		r.see(late)
		r.after(time.Second)
		r.pass(late, "n0")
		if got := r.Inversions(); len(got) != want {
			t.Errorf("%d slots: %v, want %d", slots, got, want)
		}
	}
}

func TestRoomForAGangCountsOnceItHasBeenThereForAWhile(t *testing.T) {
	for ago, want := range map[time.Duration]int{roomGrace / 2: 0, 2 * roomGrace: 1} {
		r := newRig(1, 2)
		filler := pod("filler", func(pod *corev1.Pod) { pod.Spec.NodeName = "n0" })
		r.see(filler)
		for i := range 2 {
			r.see(pod(fmt.Sprint("m", i), func(pod *corev1.Pod) {
				pod.Labels = map[string]string{"podGroup": "g", "minAvailable": "2", "groupPriority": "1"}
			}))
		}
		late := pod("late", nil)
		r.see(late)
		r.after(time.Second)
		r.lose(filler)
		r.after(ago)
		r.pass(late, "n0")
		if got := r.Inversions(); len(got) != want {
			t.Errorf("room since %v: %v, want %d", ago, got, want)
		}
	}
}

func TestTheProxyRecordsCallsAndPassesThemOn(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/qos/filter" {
			t.Errorf("path %s", r.URL.Path)
		}
		_ = json.NewEncoder(w).Encode(extender.ExtenderFilterResult{NodeNames: &[]string{"n1"}})
	}))
	t.Cleanup(agent.Close)
	names := []string{"n0", "n1"}
	body, err := json.Marshal(extender.ExtenderArgs{Pod: pod("a", nil), NodeNames: &names})
	if err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{agent.URL: "[n1]", "": "[n0 n1]"} {
		o := newObserver(time.Now)
		response, err := http.Post(o.Before(t, target)+"/qos/filter", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var result extender.ExtenderFilterResult
		if err := json.NewDecoder(response.Body).Decode(&result); err != nil || fmt.Sprint(*result.NodeNames) != want {
			t.Errorf("%v, %v", result, err)
		}
		response.Body.Close()
		calls := o.Calls("filter")
		if len(calls) != 1 || calls[0].Pod != "default/a" || calls[0].UID != "a" || fmt.Sprint(calls[0].Passed) != want {
			t.Errorf("%+v", calls)
		}
	}
}
