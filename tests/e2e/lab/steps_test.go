package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// node0 to node9, none of them cordoned, and several schedulers at once.
func TestOnTenNodes(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.nodes(0, 9, false)
	for name, part := range map[string]func(w *world){
		"ASeedIsRepeatable":               (*world).seedIsRepeatable,
		"PodsGoToTheNodeOfTheirDigit":     (*world).podsGoToTheNodeOfTheirDigit,
		"PreScoreReadsTheDigitOnce":       (*world).preScoreReadsTheDigitOnce,
		"PermitWaitsAsLongAsTheDigitSays": (*world).permitWaits,
		"SchedulersTouchTheirOwnPodsOnly": (*world).schedulersTouchTheirOwnPods,
		"APodHasANameOf253Letters":        (*world).longName,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(w.in(t))
		})
	}
}

func (w *world) seedIsRepeatable() {
	const count = 20 // by chance they go the same ways once in 10^20 times
	placesOf := func(name string, seed int) (places []string) {
		s := w.start(1, name, "--seed", fmt.Sprint(seed))
		for i := range count {
			s.create(fmt.Sprintf("%s-%02d", name, i))
		}
		for i := range count {
			places = append(places, w.untilNode(fmt.Sprintf("%s-%02d", name, i)))
		}
		return places
	}
	first, again, other := placesOf("seed-a", 25), placesOf("seed-b", 25), placesOf("seed-c", 26)
	if !slices.Equal(first, again) {
		w.Errorf("seed 25: %v, and then %v", first, again)
	}
	if slices.Equal(first, other) {
		w.Errorf("seed 26 chooses as seed 25: %v", other)
	}
	if slices.Sort(other); len(slices.Compact(other)) < 4 {
		w.Errorf("not at random: %d pods on %v", count, other)
	}
}

func (w *world) podsGoToTheNodeOfTheirDigit() {
	s := w.start(3, "digits")
	for i := range 20 {
		s.create(fmt.Sprintf("digits-pod%d", i))
	}
	s.create("digits-none")
	for i := range 20 {
		name := fmt.Sprintf("digits-pod%d", i)
		if node, want := w.untilNode(name), fmt.Sprintf("node%d", i%10); node != want {
			w.Errorf("%s is on %s, want %s", name, node, want)
		}
	}
	w.untilNode("digits-none") // wherever
}

func (w *world) preScoreReadsTheDigitOnce() {
	const reads = "read the digit of the pod's name: "
	for _, row := range []struct {
		step      int
		want, not string
	}{
		{3, reads + "10 times", reads + "1 time\n"},
		{4, reads + "1 time\n", reads + "10 times"},
	} {
		name := fmt.Sprintf("readings-%d", row.step)
		s := w.start(row.step, name, "--verbose")
		s.create(name + "-pod1")
		if node := w.untilNode(name + "-pod1"); node != "node1" {
			w.Errorf("%s-pod1 is on %s", name, node)
		}
		s.untilPrinted(row.want)
		if log := s.LogTail(1000); strings.Contains(log, row.not) {
			w.Errorf("step %d also prints %q:\n%s", row.step, row.not, log)
		}
	}
}

// pod8 waits 8 s; pod1, which comes after it, 1 s, each to within a second on a quiet machine; one that is deleted while
// it waits gets an Event and holds up no other.
func (w *world) permitWaits() {
	s := w.start(5, "permit")
	created := map[string]time.Time{}
	create := func(pod string) {
		created[pod] = time.Now()
		s.create(pod)
	}
	create("permit-pod8")
	create("permit-pod9")
	s.untilItWaits()
	w.deletePod("permit-pod9")
	create("permit-pod1")
	create("permit-pod0")
	check := func(pod string, seconds int) {
		took, want := w.boundAfter(pod, created[pod]), time.Duration(seconds)*time.Second
		if took < want {
			w.Errorf("%s is bound after %v, want %v at least", pod, took, want)
		}
		w.Within(time.Second, pod+" is bound, without what it waits,", took-want)
	}
	check("permit-pod0", 0)
	check("permit-pod1", 1)
	if w.isBound("permit-pod8") {
		w.Error("permit-pod8 is bound already")
	}
	w.untilEvent("permit-pod9", corev1.EventTypeWarning, "FailedScheduling", "deleted")
	check("permit-pod8", 8)
	if w.Tracker.Pod("default", "permit-pod9") != nil {
		w.Error("permit-pod9 is there again")
	}
}

func (w *world) schedulersTouchTheirOwnPods() {
	one, two := w.start(7, "one"), w.start(2, "two")
	for i := range 5 {
		one.create(fmt.Sprintf("of-one-%d", i))
		two.create(fmt.Sprintf("of-two-%d", i))
		w.Pods(kube.MakePod(fmt.Sprintf("of-three-%d", i)).Scheduler("three"))
	}
	for i := range 5 {
		for _, s := range []*scheduler{one, two} {
			pod := fmt.Sprintf("of-%s-%d", s.name, i)
			w.untilNode(pod)
			w.untilEvent(pod, corev1.EventTypeNormal, "Scheduled", "")
			for _, event := range w.eventsOf(pod) {
				if event.ReportingController != s.name {
					w.Errorf("%s has an Event %s of %s", pod, event.Reason, event.ReportingController)
				}
			}
		}
		untouched, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, fmt.Sprintf("of-three-%d", i), metav1.GetOptions{})
		w.Must(err)
		if len(w.eventsOf(untouched.Name)) > 0 || untouched.Spec.NodeName != "" || len(untouched.Status.Conditions) > 0 {
			w.Errorf("a pod of no scheduler is touched: %v %v", untouched.Spec.NodeName, untouched.Status.Conditions)
		}
	}
	for _, s := range []*scheduler{one, two} {
		if log := s.LogTail(1000); strings.Contains(log, "of-three") || (s == one) == strings.Contains(log, "of-two") {
			w.Errorf("%s mentions pods of others:\n%s", s.name, log)
		}
	}
}

func (w *world) longName() {
	name := strings.Repeat("a", 252) + "3"
	s := w.start(3, "long-names")
	s.create(name)
	if node := w.untilNode(name); node != "node3" {
		w.Errorf("it is on %s", node)
	}
	w.untilEvent(name, corev1.EventTypeNormal, "Scheduled", "Successfully assigned default/"+name+" to node3")
}

// What wakes a pod that found no node: in step 6 nothing but the flush after five minutes, which the unit tests wait
// for by a clock of their own; in step 7 a new node, also one that does not help, but no label.
func TestOnlyWhatMayHelpWakesAPod(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.nodes(0, 8, true)
	deaf, awake := w.start(6, "deaf"), w.start(7, "awake")
	deaf.create("deaf-pod1")
	awake.create("awake-pod1")
	deaf.untilLines("deaf-pod1", 1)
	awake.untilLines("awake-pod1", 1)
	// Its backoff, 1 s, ends: from now on what wakes it has it tried at once.
	time.Sleep(1500 * time.Millisecond)

	w.changeNode("node0", func(node *corev1.Node) { node.Labels["color"] = "red" })
	time.Sleep(1500 * time.Millisecond)
	if lines := awake.lines("awake-pod1"); len(lines) != 1 {
		w.Errorf("a label wakes it: %q", lines)
	}
	w.Nodes(kube.MakeNode("node9").Cordoned())
	if lines := awake.untilLines("awake-pod1", 2); !strings.Contains(lines[1], "0/10 nodes") {
		w.Errorf("tried again, but without the new node: %q", lines)
	}
	began := time.Now()
	w.changeNode("node4", func(node *corev1.Node) { node.Spec.Unschedulable = false })
	if node := w.untilNode("awake-pod1"); node != "node4" {
		w.Errorf("awake-pod1 is on %s", node)
	}
	// A second failure: 2 s of backoff; then 4 s of Permit.
	w.Within(7*time.Second, "the pod is bound to the node that takes pods again", time.Since(began))
	if lines := awake.untilLines("awake-pod1", 3); len(lines) != 3 {
		w.Errorf("tried %d times: %q", len(lines), lines)
	}
	if lines := deaf.lines("deaf-pod1"); len(lines) != 1 || w.isBound("deaf-pod1") {
		w.Errorf("step 6 tries again: %q", lines)
	}
}
