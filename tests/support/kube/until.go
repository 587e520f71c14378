package kube

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Watcher is what the Watch calls of client-go return.
type Watcher = watch.Interface

// Until watches objects of one kind, the present ones first, until condition holds for one of them
// or the time is over. A watch that the server ends is opened again.
func Until[T any](
	ctx context.Context, limit time.Duration,
	open func(metav1.ListOptions) (Watcher, error), condition func(object T) bool,
) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		watcher, err := open(metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("watch: %w", err)
		}
		met, err := untilClosed(ctx, watcher, condition)
		watcher.Stop()
		if met || err != nil {
			return err
		}
	}
}

func untilClosed[T any](ctx context.Context, watcher Watcher, condition func(object T) bool) (bool, error) {
	for {
		select {
		case <-ctx.Done():
			return false, fmt.Errorf("condition not met: %w", ctx.Err())
		case event, open := <-watcher.ResultChan():
			if !open {
				return false, nil
			}
			object, ok := event.Object.(T)
			if ok && event.Type != watch.Deleted && condition(object) {
				return true, nil
			}
		}
	}
}
