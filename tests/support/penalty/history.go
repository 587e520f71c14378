package penalty

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// Seen is a class as a watch showed it, or its end.
type Seen struct {
	Class *schedulingv1.PriorityClass
	Kind  watch.EventType
	At    time.Time
}

// History is what a watch showed of one PriorityClass. Its methods are safe for concurrent use.
type History struct {
	mutex sync.Mutex
	seen  []Seen
	err   error
}

// Follow begins the history of a class, with what it is now if it is there. It ends with ctx.
func Follow(ctx context.Context, client kubernetes.Interface, name string) (*History, error) {
	only := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	list, err := client.SchedulingV1().PriorityClasses().List(ctx, only)
	if err != nil {
		return nil, fmt.Errorf("history of class %s: %w", name, err)
	}
	h := &History{}
	for i := range list.Items {
		h.seen = append(h.seen, Seen{&list.Items[i], watch.Added, time.Now()})
	}
	only.ResourceVersion = list.ResourceVersion
	watcher, err := client.SchedulingV1().PriorityClasses().Watch(ctx, only)
	if err != nil {
		return nil, fmt.Errorf("history of class %s: %w", name, err)
	}
	go h.record(ctx, watcher)
	return h, nil
}

func (h *History) record(ctx context.Context, watcher watch.Interface) {
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		class, ok := event.Object.(*schedulingv1.PriorityClass)
		h.mutex.Lock()
		if ok {
			h.seen = append(h.seen, Seen{class, event.Type, time.Now()})
		} else {
			h.err = fmt.Errorf("the watch showed %v", event.Object)
		}
		h.mutex.Unlock()
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if ctx.Err() == nil && h.err == nil {
		h.err = errors.New("the watch has ended")
	}
}

// Seen is all so far; an error says that something may be missing.
func (h *History) Seen() ([]Seen, error) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return append([]Seen(nil), h.seen...), h.err
}

// Made is each class of that name that came to be, in order.
func (h *History) Made() ([]Seen, error) {
	all, err := h.Seen()
	var made []Seen
	for _, seen := range all {
		if seen.Kind == watch.Added {
			made = append(made, seen)
		}
	}
	return made, err
}
