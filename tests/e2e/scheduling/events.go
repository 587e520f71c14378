package scheduling

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// UntilEventWith waits until there is an event of that reason whose note has a text.
func (w *World) UntilEventWith(reason, text string) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, Patience, func(ctx context.Context) error {
		var others []string
		events, err := w.Client.EventsV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == reason && strings.Contains(event.Note, text) {
				return nil
			}
			if event.Reason == reason {
				others = append(others, event.Note)
			}
		}
		return fmt.Errorf("no event %s with %q, but %q", reason, text, others)
	}))
}
