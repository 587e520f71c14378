package gang

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// residentMB is the memory of the agent's process.
func (w *gangWorld) residentMB() int {
	w.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.gang.Pid()))
	w.Must(err)
	for line := range strings.Lines(string(text)) {
		if kilobytes, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			number, err := strconv.Atoi(strings.Fields(kilobytes)[0])
			w.Must(err)
			return number >> 10
		}
	}
	w.Fatal("no VmRSS of the agent")
	return 0
}

// cpu is the processor time that the agent's process has used.
func (w *gangWorld) cpu() time.Duration {
	w.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.gang.Pid()))
	w.Must(err)
	// The name, field 2, may have spaces; user and system time are fields 14 and 15, in hundredths of a second.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] {
		number, err := strconv.Atoi(field)
		w.Must(err)
		ticks += number
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// What one tenant asks for holds up nobody else: single pods and gangs of others are bound as always, the agent stays
// small, and it ends when it is told to.
func TestPodsThatAskForTooMuchHoldUpNobody(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	rows := []struct {
		name string
		args []string
		ask  func(w *gangWorld)
	}{
		{"SpreadConstraints", nil, func(w *gangWorld) {
			pod := slot("evil").Pod()
			for i := range 5000 {
				pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints,
					corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: fmt.Sprintf("example.com/k%d", i),
						WhenUnsatisfiable: corev1.DoNotSchedule})
			}
			_, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, pod, metav1.CreateOptions{})
			w.Must(err)
		}},
		{"UnlikeMembers", nil, func(w *gangWorld) {
			unlike := 250 // kube-scheduler tries them all, again and again
			if scheduling.AllAreWanted() {
				unlike = 1000
			}
			var pods []*kube.PodBuilder
			for i := range unlike {
				pods = append(pods, member("evil", i, unlike).Request(corev1.ResourceCPU, fmt.Sprintf("%dm", 3001+i%999)))
			}
			w.inParallel(8, pods)
			// What stands before others in kube-scheduler's own queue is not the agent's doing.
			w.Must(w.Tracker.Until(w.Ctx, func() bool {
				last := w.Tracker.Pod("default", fmt.Sprintf("evil-%03d", unlike-1))
				return kube.Condition(last, corev1.PodScheduled).Status == corev1.ConditionFalse
			}))
		}},
		{"VictimsThatAreOfNoUse", []string{"--gang.preempt"}, func(w *gangWorld) {
			for name, value := range map[string]int32{"ten": 10, "hundred": 100} {
				class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
				_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, class, metav1.CreateOptions{})
				w.Must(err)
			}
			w.slots("big", 8, 16)
			var pods []*kube.PodBuilder
			for i := range 140 {
				pods = append(pods, slot(fmt.Sprintf("cheap-%03d", i)))
			}
			w.inParallel(8, pods)
			w.untilBoundOf("cheap-", 140, time.Now())
			w.haveRunLong()
			for _, gang := range []struct{ name, class string }{{"mid", "ten"}, {"high", "hundred"}} {
				for i := range 8 {
					w.Pods(member(gang.name, i, 8).Request(corev1.ResourceCPU, "16").PriorityClass(gang.class))
				}
			}
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			w := newGangWorld(t, 50, row.args...)
			row.ask(w)
			// How long others wait is also a matter of kube-scheduler's queue, where a thousand refused pods come first
			// again and again, and of what else runs on the machine. What the agent does for each is its own matter.
			agents := []*outrigger.Server{w.gang}
			used, calls, began := w.cpu(), w.filterCalls(agents), time.Now()
			for i := range 5 {
				w.Pods(slot(fmt.Sprintf("single-%d", i)))
			}
			w.Logf("single pods are bound after %.2f s", w.untilBoundInTheEnd("single-", 5, began).Seconds())
			began = time.Now()
			w.inParallel(2, gangOf("innocent", 3))
			w.Logf("an innocent gang is whole after %.2f s", w.untilBoundInTheEnd("innocent-", 3, began).Seconds())
			used, calls = w.cpu()-used, w.filterCalls(agents)-calls
			w.WithinCPU(time.Second+time.Duration(calls)*time.Millisecond,
				fmt.Sprintf("the agent, until others are bound, for %.0f calls", calls), used)
			if resident := w.residentMB(); resident > 200 {
				t.Errorf("the agent takes %d MB", resident)
			}
			began = time.Now()
			w.Must(w.gang.Stop(scheduling.Patience))
			w.Within(time.Second, "the agent has ended", time.Since(began))
		})
	}
}
