package acting

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"outrigger.dev/outrigger/tests/support/actor"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
)

func TestEvents(t *testing.T) {
	w := newWorld(t)
	w.scene("arrive with every field", everyField)
	w.scene("are read through core v1", readThroughCore)
	w.scene("become a series", becomeASeries)
	w.scene("are limited", areLimited)
	w.scene("of long and strange names", strangeNames)
	w.scene("go on after a deletion", deletedEvent)
	w.scene("are dropped without rights", withoutRights)
	w.scene("are one though an answer was lost", lostAnswer)
	w.scene("stay one though a patch was refused", refusedPatch)
}

// pod makes a pod in default, and returns what an event about it says.
func (w *world) pod(name string) actor.Event {
	w.Helper()
	pod, err := w.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(w.Ctx, kube.MakePod(name).Pod(), metav1.CreateOptions{})
	w.Must(err)
	return actor.Event{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID),
		Reason: "GangWaiting", Action: "Scheduling", Note: "2 of 3 members are there", Warning: true}
}

// record records an event, and fails the test if all that was recorded was not written or dropped as it
// should have been.
func (w *world) record(a *actor.Actor, event actor.Event, written, dropped int) {
	w.Helper()
	stats, err := a.Record(event)
	w.Must(err)
	if stats.Written != written || stats.Dropped != dropped {
		w.Errorf("%d written and %d dropped, not %d and %d", stats.Written, stats.Dropped, written, dropped)
	}
}

// eventsOf are the events about an object, as client-go reads them.
func (w *world) eventsOf(about actor.Event) []eventsv1.Event {
	w.Helper()
	list, err := w.Client.EventsV1().Events(metav1.NamespaceAll).List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	var found []eventsv1.Event
	for _, event := range list.Items {
		if event.Regarding.Kind == about.Kind && event.Regarding.Name == about.Name {
			found = append(found, event)
		}
	}
	return found
}

// onlyEventOf is the one event about an object.
func (w *world) onlyEventOf(about actor.Event) eventsv1.Event {
	w.Helper()
	found := w.eventsOf(about)
	if len(found) != 1 {
		w.Fatalf("%d events about %s, not 1: %+v", len(found), about.Name, found)
	}
	return found[0]
}

func everyField(w *world) {
	about := w.pod("every-field")
	before := time.Now().Add(-time.Second)
	w.record(w.actor("every-field", w.config, "--controller", "outrigger.dev/gang", "--instance", "gang-0"), about, 1, 0)
	event := w.onlyEventOf(about)
	got := fmt.Sprintln(event.Regarding.APIVersion, event.Regarding.Kind, event.Regarding.Namespace, event.Regarding.Name,
		event.Regarding.UID, event.Type, event.Reason, event.Action, event.Note, event.ReportingController, event.ReportingInstance)
	want := fmt.Sprintln("v1", about.Kind, about.Namespace, about.Name,
		about.UID, corev1.EventTypeWarning, about.Reason, about.Action, about.Note, "outrigger.dev/gang", "gang-0")
	if got != want {
		w.Errorf("arrived as %s sent as %s", got, want)
	}
	if event.Namespace != about.Namespace || !strings.HasPrefix(event.Name, about.Name+".") {
		w.Errorf("is %s/%s", event.Namespace, event.Name)
	}
	if at := event.EventTime.Time; at.Before(before) || at.After(time.Now().Add(time.Second)) {
		w.Errorf("eventTime is %v, and now is %v", at, time.Now())
	}
	if event.Series != nil || event.DeprecatedCount != 0 || event.DeprecatedSource.Component != "" ||
		!event.DeprecatedFirstTimestamp.IsZero() || !event.DeprecatedLastTimestamp.IsZero() {
		w.Errorf("has fields that a first event has not: %+v", event)
	}
}

// readThroughCore reads an event as kubectl and older programs do.
func readThroughCore(w *world) {
	about := w.pod("through-core")
	about.Count = 3
	w.record(w.actor("through-core", w.config), about, 3, 0)
	pod, err := w.Client.CoreV1().Pods(about.Namespace).Get(w.Ctx, about.Name, metav1.GetOptions{})
	w.Must(err)
	found, err := w.Client.CoreV1().Events(about.Namespace).SearchWithContext(w.Ctx, scheme.Scheme, pod)
	w.Must(err)
	if len(found.Items) != 1 {
		w.Fatalf("%d events about the pod, not 1", len(found.Items))
	}
	event := found.Items[0]
	if event.Message != about.Note || event.Reason != about.Reason || event.Type != corev1.EventTypeWarning || event.Action != about.Action ||
		event.ReportingController != "outrigger.dev/actor" || event.InvolvedObject.UID != pod.UID ||
		event.Series == nil || event.Series.Count != 3 {
		w.Errorf("is read as %+v", event)
	}
	for _, command := range [][]string{{"describe", "pod", about.Name}, {"events", "--for", "pod/" + about.Name}} {
		text, err := w.Cluster.Kubectl(w.Ctx, command...)
		w.Must(err)
		if !strings.Contains(text, about.Reason) || !strings.Contains(text, about.Note) {
			w.Errorf("kubectl %v does not show the event:\n%s", command, text)
		}
	}
}

func becomeASeries(w *world) {
	about := w.pod("series")
	a := w.actor("series", w.config)
	w.record(a, about, 1, 0)
	first := w.onlyEventOf(about)
	about.Count = 4
	w.record(a, about, 5, 0)
	event := w.onlyEventOf(about)
	if event.Name != first.Name || event.Series == nil || event.Series.Count != 5 {
		w.Fatalf("five equal events are %+v", event)
	}
	if event.Series.LastObservedTime.Before(&event.EventTime) || !event.EventTime.Equal(&first.EventTime) {
		w.Errorf("happened at %v, for the last time at %v", event.EventTime, event.Series.LastObservedTime)
	}
	about.Count, about.Reason = 1, "GangReady"
	w.record(a, about, 6, 0)
	if found := w.eventsOf(about); len(found) != 2 {
		w.Errorf("%d objects after another event, not 2", len(found))
	}
	about.Note = "another note"
	w.record(a, about, 7, 0)
	if found := w.eventsOf(about); len(found) != 3 {
		w.Errorf("%d objects after another note, not 3", len(found))
	}
}

func areLimited(w *world) {
	about, other := w.pod("limited"), w.pod("limited-other")
	a := w.actor("limited", w.config, "--burst", "3")
	for i := range 10 {
		about.Reason = fmt.Sprintf("Reason%d", i)
		w.record(a, about, min(i+1, 3), max(i-2, 0))
	}
	w.record(a, other, 4, 7)
	if found := w.eventsOf(about); len(found) != 3 {
		w.Errorf("%d objects, not 3", len(found))
	}
}

// strangeNames are those that objects may have and that would make an event that the server refuses.
func strangeNames(w *world) {
	long := w.pod(strings.Repeat("p12345678.", 25) + "end")
	long.Note = strings.Repeat("ü", 2000)
	colon := actor.Event{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole", Name: "system:node", UID: "u",
		Reason: "Seen", Action: "Looking", Note: "of an object without a namespace"}
	a := w.actor("strange", w.config, "--instance", strings.Repeat("i", 200))
	w.record(a, long, 1, 0)
	w.record(a, colon, 2, 0)
	w.record(a, long, 3, 0)
	event := w.onlyEventOf(long)
	if len(event.Note) > 1024 || len(event.Note) < 1000 || strings.ContainsRune(event.Note, '\uFFFD') {
		w.Errorf("the note was cut to %d bytes: %.100s", len(event.Note), event.Note)
	}
	if event.Series == nil || event.Series.Count != 2 {
		w.Errorf("the series is %+v", event.Series)
	}
	if got := w.onlyEventOf(colon).Namespace; got != metav1.NamespaceDefault {
		w.Errorf("an event of an object without namespace is in %s", got)
	}
}

func deletedEvent(w *world) {
	about := w.pod("deleted")
	a := w.actor("deleted", w.config)
	w.record(a, about, 1, 0)
	w.Must(w.Client.EventsV1().Events(about.Namespace).Delete(w.Ctx, w.onlyEventOf(about).Name, metav1.DeleteOptions{}))
	w.record(a, about, 2, 0)
	if event := w.onlyEventOf(about); event.Series != nil {
		w.Errorf("an event that was made anew counts what is gone: %+v", event.Series)
	}
}

func withoutRights(w *world) {
	config, err := w.Cluster.ConfigWithRules(w.Ctx, "powerless")
	w.Must(err)
	about := w.pod("powerless")
	a := w.actor("powerless", config)
	w.record(a, about, 0, 1)
	w.record(a, about, 0, 2)
}

// lostAnswer has the server make the event without the actor knowing.
func lostAnswer(w *world) {
	about := w.pod("lost-answer")
	proxy, config := w.proxy("lost-answer")
	rule := proxy.Inject(faults.Rule{Match: method(http.MethodPost), Times: 1, Tamper: faults.CutAfter(10)})
	a := w.actor("lost-answer", config)
	w.record(a, about, 0, 1)
	w.record(a, about, 1, 1)
	if event := w.onlyEventOf(about); rule.Hits() != 1 || event.Series == nil || event.Series.Count != 2 {
		w.Errorf("after a lost answer the second event is %+v", event)
	}
}

func refusedPatch(w *world) {
	about := w.pod("refused-patch")
	proxy, config := w.proxy("refused-patch")
	rule := proxy.Inject(faults.Rule{Match: method(http.MethodPatch), Times: 1, Answer: faults.Forbidden()})
	a := w.actor("refused-patch", config)
	w.record(a, about, 1, 0)
	w.record(a, about, 1, 1)
	w.record(a, about, 2, 1)
	if event := w.onlyEventOf(about); rule.Hits() != 1 || event.Series == nil || event.Series.Count != 3 {
		w.Errorf("after a refused patch the third event is %+v", event)
	}
}
