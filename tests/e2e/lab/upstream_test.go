package lab

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// The real kube-scheduler and step 7 meet the same pod, each under a name of its own. What they write is compared field
// by field, in all but names, uids, times and what kube-scheduler adds on preemption.
func TestConditionsAndEventsAreThoseOfKubeScheduler(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const real = "real"
	w.StartScheduler(append(w.SchedulerBase(), "profiles: [{schedulerName: real}]\n"...))
	ours := w.start(7, "ours")
	meet := func(pod string, done func(pod string)) {
		for _, name := range []string{real, ours.name} {
			w.Pods(kube.MakePod(pod + "-" + name).Scheduler(name))
			done(pod + "-" + name)
		}
		w.checkSame(w.traces(pod, real), w.traces(pod, ours.name))
	}
	refused := func(pod string) {
		w.untilRefused(pod)
		w.untilEvent(pod, corev1.EventTypeWarning, "FailedScheduling", "")
	}
	meet("no-nodes", refused)
	w.deletePod("no-nodes-real")
	w.deletePod("no-nodes-ours")
	w.nodes(0, 8, true)
	for _, name := range []string{real, ours.name} { // nodes that come later than the schedulers may be late
		w.untilKnown(name, "0/9 nodes are available")
	}
	meet("cordoned", refused)
	w.Nodes(kube.MakeNode("worker"))
	w.untilNode("cordoned-" + real) // then it is known
	w.untilNode("cordoned-" + ours.name)
	meet("bound", func(pod string) {
		w.untilNode(pod)
		w.untilEvent(pod, corev1.EventTypeNormal, "Scheduled", "")
	})
}

// untilKnown creates one pod after the other until a scheduler says of one what it says once it knows all nodes.
func (w *world) untilKnown(scheduler, says string) {
	w.Helper()
	for i := 0; ; i++ {
		name := fmt.Sprintf("probe-%d-%s", i, scheduler)
		w.Pods(kube.MakePod(name).Scheduler(scheduler))
		said := w.untilRefused(name).Message
		w.deletePod(name)
		if strings.Contains(said, says) {
			return
		}
	}
}

// traces are what a scheduler has left at a pod, with its own name and the pod's replaced: its conditions, its node, and
// its Events, one of each reason.
func (w *world) traces(pod, scheduler string) map[string]any {
	w.Helper()
	name := pod + "-" + scheduler
	found, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	traces := map[string]any{
		"node": found.Spec.NodeName, "nominated": found.Status.NominatedNodeName, "conditions": found.Status.Conditions}
	for _, event := range w.eventsOf(name) {
		event.ObjectMeta.ManagedFields = nil
		traces["event "+event.Reason] = event
	}
	text, err := json.Marshal(traces)
	w.Must(err)
	text = []byte(strings.NewReplacer(name, "POD", string(found.UID), "UID", `"`+scheduler, `"SCHEDULER`).Replace(string(text)))
	for _, hidden := range []struct{ pattern, by string }{
		{`"(lastTransitionTime|creationTimestamp|eventTime|lastObservedTime)":"[^"]+"`, `"$1":"TIME"`},
		{`"resourceVersion":"\d+"`, `"resourceVersion":"NUMBER"`},
		{`"(metadata":\{"name":"POD)\.[0-9a-f]+"`, `"$1.NUMBER"`},
		{`"uid":"[0-9a-f-]{36}"`, `"uid":"UID"`},
		{`( no new claims to deallocate,)? preemption: [^"]*"`, `"`},
	} {
		text = regexp.MustCompile(hidden.pattern).ReplaceAll(text, []byte(hidden.by))
	}
	var fields map[string]any
	w.Must(json.Unmarshal(text, &fields))
	return flat("", fields, map[string]any{})
}

// flat has a key for each field, with dots for depth.
func flat(path string, value any, into map[string]any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			flat(path+"."+key, inner, into)
		}
	case []any:
		for i, inner := range value {
			flat(fmt.Sprintf("%s[%d]", path, i), inner, into)
		}
	default:
		into[path] = value
	}
	return into
}

func (w *world) checkSame(real, ours map[string]any) {
	w.Helper()
	for field, want := range real {
		if have, found := ours[field]; !found || have != want {
			w.Errorf("%s: kube-scheduler writes %v, the lab's %v", field, want, have)
		}
	}
	for field, have := range ours {
		if _, found := real[field]; !found {
			w.Errorf("%s: kube-scheduler does not write it, the lab's scheduler %v", field, have)
		}
	}
}
