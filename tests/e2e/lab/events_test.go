package lab

import (
	"context"
	"fmt"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// eventsOf returns the Events about a pod of the namespace default.
func (w *world) eventsOf(pod string) []eventsv1.Event {
	w.Helper()
	events, err := w.listEvents(w.Ctx, pod)
	w.Must(err)
	return events
}

func (w *world) listEvents(ctx context.Context, pod string) ([]eventsv1.Event, error) {
	list, err := w.Client.EventsV1().Events("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var events []eventsv1.Event
	for _, event := range list.Items {
		if event.Regarding.Name == pod {
			events = append(events, event)
		}
	}
	return events, nil
}

// untilEvent waits until there is an Event of that type and reason about a pod, with a text in its note, and returns it.
func (w *world) untilEvent(pod, kind, reason, text string) (found eventsv1.Event) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
		events, err := w.listEvents(ctx, pod)
		if err != nil {
			return err
		}
		var others []string
		for _, event := range events {
			if event.Type == kind && event.Reason == reason && strings.Contains(event.Note, text) {
				found = event
				return nil
			}
			others = append(others, event.Reason+": "+event.Note)
		}
		return fmt.Errorf("no Event %s %s with %q about %s, but %q", kind, reason, text, pod, others)
	}))
	return found
}
