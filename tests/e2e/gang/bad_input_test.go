package gang

import (
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// What goes wrong where the scheduler asks about members alone, or members wait with the gate, has one answer each:
// docs/gang.md has the tables.

// doctor is what the doctor says of a scheduler's configuration and the live cluster.
func (w *world) doctor(config []byte, args ...string) string {
	w.Helper()
	file := w.schedulerFile(config)
	kubeconfig, err := w.Cluster.WriteKubeconfig("person", w.Cluster.Config)
	w.Must(err)
	return string(outrigger.Run(w, append([]string{"doctor", file, "--live", "--kubeconfig", kubeconfig, "--agents", "gang",
		"--gang.scheduler-lease", "none"}, args...)...))
}

func checkFinds(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("doctor does not say %q:\n%s", part, said)
		}
	}
}

// Neither policy nor templates give members the gate: they are scheduled at once, and their gangs whole as ever.
func TestWithoutThePolicyOfTheGateGangsAreWholeAllTheSame(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := gatesAlone.newGangWorld(t, 1)
	w.inParallel(4, interleaved(gangOf("a", 4), gangOf("b", 4)))
	first, second := w.firstWhole(4, "a", "b")
	w.UntilEventWith("GangWaiting", "gang default/"+second+" waits: 4 members need cpu 1")
	w.checkHoldsNothing(second + "-")
	config := w.Config(map[string]string{"gang": w.gang.URL})
	checkFinds(t, w.doctor(config), "gate-missing", "4 pods of groups without a node, none with the gate")
	w.deletePods(first + "-")
	w.untilBoundOf(second+"-", 4, time.Now())
	w.CheckSettled()
}

// Neither policy nor templates give members the resources: kube-scheduler places each alone, and all that can be said is.
func TestWithoutThePolicyOfTheResourcesMembersAreFound(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := gatesAndMembers.newGangWorld(t, 1)
	w.inParallel(4, gangOf("train", 5))
	w.untilBoundOf("train-", 4, time.Now())
	w.UntilEventWith("GangResourceMissing", "gang default/train has ")
	w.gang.UntilMetricAbove(t, 0, "outrigger_gang_resource_missing", `pods="waiting"`)
	w.gang.UntilMetricAbove(t, 3, "outrigger_gang_resource_missing", `pods="bound"`)
	config := w.Config(map[string]string{"gang": w.gang.URL}, "--members-only")
	checkFinds(t, w.doctor(config), "group-resource-missing", "gate-missing")
}

// A pod asks and is in no group: it names none, or its minimum is no number. It is answered as any single pod is.
func TestAPodThatAsksWithoutAGroupIsASinglePod(t *testing.T) {
	t.Parallel()
	w := newAskingWorld(t, 2)
	w.inParallel(4, askingGang("train", 8, false)[:7]) // keeps nothing: a member is missing
	w.Pods(asksFor(slot("alone"), callResource, bindCallResource),
		asksFor(slot("no-number").Label("podGroup", "g").Label("minAvailable", "two"), callResource, bindCallResource))
	w.untilBoundOf("alone", 1, time.Now())
	w.untilBoundOf("no-number", 1, time.Now())
	if asked := w.podsOf("filter", "alone") + w.podsOf("filter", "no-number"); asked != 2 {
		t.Errorf("filter was called about %d of both", asked)
	}
}

// The gate is on pods of a scheduler that no agent plans for: it stays, and the doctor finds them.
func TestGatedPodsOfAnotherSchedulerAreFound(t *testing.T) {
	t.Parallel()
	w := gatesAndMembers.newGangWorld(t, 1)
	w.Pods(w.gangOf("train", 2)...)
	w.Pods(w.member("foreign", 0, 1).Scheduler("other"), gated(slot("single"), queueGate).Scheduler("other"))
	w.untilBoundOf("train-", 2, time.Now())
	config := w.Config(map[string]string{"gang": w.gang.URL}, "--members-only")
	checkFinds(t, w.doctor(config), "gate-stays",
		"2 pods that no agent of this file plans, with the gate outrigger.dev/queue")
	w.checkExplained("foreign", "1 of another scheduler")
	if !isGated(w.Tracker.Pod("default", "foreign-000")) || !isGated(w.Tracker.Pod("default", "single")) {
		t.Error("pods of another scheduler are released")
	}
}

// A quota forbids what members ask for, which is only possible where that is more than 0: the API server says which quota
// to who makes the pods, and the gang waits for members.
func TestAQuotaThatForbidsTheResourcesIsNamedToWhoMakesThePods(t *testing.T) {
	t.Parallel()
	w := newAskingWorld(t, 1)
	w.namespace("poor")
	w.quota("poor", amounts("1", "requests."+callResource))
	member := func(name, amount string) *kube.PodBuilder { return asksFrom("poor", name, amount) }
	w.untilRefused(member("more", "2"), "exceeded quota: q, requested: requests.outrigger.dev/gang=2")
	w.Must(w.tryCreate(member("first", "1")))
	w.untilRefused(member("second", "1"), "exceeded quota: q, requested: requests.outrigger.dev/gang=1, used: "+
		"requests.outrigger.dev/gang=1, limited: requests.outrigger.dev/gang=1")
	w.UntilEventWith("GangWaiting", "gang poor/g waits: 1 of 2 members exist")
	w.Must(w.tryCreate(member("none", "0"))) // which no quota sees
	w.untilBoundOf("first", 1, time.Now())
	w.untilBoundOf("none", 1, time.Now())
}
