package queue

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// The examples of agents/gang/qos/README.md, with deploy/queue-scheduler.yaml, on a full cluster that is freed place by place:
// with room for all no order could be seen.
func TestTheExamplesAreBoundInTheOrderOfTheQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9, 7)
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "-f", scheduling.QueueScheduler.Path())
	w.Must(err)
	agent, scheduler := w.StartDeployed(scheduling.QueueScheduler)
	group := w.apply("group-lacks-members.yaml")

	// Two places are free, and the two members wait all the same.
	for _, pod := range group {
		w.untilSaid(pod, "gang default/blue waits: 2 of 3 members exist")
	}
	if bound := w.bindings(); len(bound) > 0 {
		t.Errorf("%v are bound", bound)
	}
	w.Pods(kube.MakePod("blue-2").Scheduler("riya-scheduler").Request(corev1.ResourceCPU, "1").
		Label("podGroup", "blue").Label("minAvailable", "3"))
	w.untilSaid("blue-2", "gang default/blue waits: ")
	w.freePlace()
	bound := w.untilBindings(3)
	if slices.Sort(bound); !slices.Equal(bound, []string{"blue-0", "blue-1", "blue-2"}) {
		t.Fatalf("bound are %v, want the group", bound)
	}

	// The cluster is full: all wait, whatever the order in which they were created.
	for _, file := range []string{"no-labels.yaml", "qos-class.yaml", "group-priority.yaml"} {
		w.untilTried(w.apply(file)...)
	}
	w.checkTakesFreedPlaces("red", "yellow", "green", "hi", "hello", "plain")

	if log := scheduler.LogTail(10_000); strings.Contains(log, "forbidden") {
		t.Errorf("a right is missing:\n%s", log)
	}
	checkDecisionsAreLogged(t, agent.LogPath())
	if inversions := agent.Metric(t, "outrigger_qos_inversions_total"); inversions != 0 {
		t.Errorf("%v inversions", inversions)
	}
}

// At level debug each decision names both units, what they are ordered by, and which goes first. Which pods the scheduler
// asks about when a place becomes free is its own business: one of a few decisions is enough.
func checkDecisionsAreLogged(t *testing.T, path string) {
	t.Helper()
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][]string{{
		"pod default/red (groupPriority 10, priority 0, Burstable) goes before pod default/yellow (groupPriority 5, priority 0, Burstable)",
		"pod default/yellow (groupPriority 5, priority 0, Burstable) goes before pod default/green (groupPriority 1, priority 0, Burstable)",
	}, {
		"pod default/hi (groupPriority 0, priority 0, Guaranteed) goes before pod default/hello (groupPriority 0, priority 0, Burstable)",
	}} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(string(log), line) }) {
			t.Errorf("the log has none of the lines %q", lines)
		}
	}
}

// With qos alone members of a group wait for the others too, and start one by one once they exist.
func TestWithQosAloneAGroupThatLacksMembersWaits(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t, 6, 2)
	agent := w.Serve("qos", "--qos.scheduler-lease", "none", "--qos.scheduler-names", "riya-scheduler",
		"--qos.pod-priority=false")
	base := append(w.SchedulerBase(), "profiles: [{schedulerName: riya-scheduler}]\n"...)
	w.StartScheduler(outrigger.SchedulerConfig(t, base, "--agents", "qos", "--url", agent.URL))
	group := w.apply("group-lacks-members.yaml")
	for _, pod := range group {
		w.untilSaid(pod, "gang default/blue waits: 2 of 3 members exist")
	}
	began := time.Now()
	w.Pods(kube.MakePod("blue-2").Scheduler("riya-scheduler").Request(corev1.ResourceCPU, "1").
		Label("podGroup", "blue").Label("minAvailable", "3"))
	w.untilBindings(3)
	w.Within(3*time.Second, "the group is bound", time.Since(began))
}
