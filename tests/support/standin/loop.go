// Package standin plays, against a real API server, the parts of a cluster that a test needs beside
// a scheduler: the kubelet (Kubelet), a controller that recreates pods (Set), the disruption
// controller (Disruptions) and a provisioner of volumes (Volumes). Each stand-in lists what it does not imitate.
package standin

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// loop calls reconcile for every key that was added, never twice at a time for one key, and again
// with a growing delay as long as it fails.
type loop struct {
	queue     workqueue.TypedRateLimitingInterface[string]
	reconcile func(ctx context.Context, key string) error

	mutex   sync.Mutex
	lastErr error
}

func newLoop(reconcile func(ctx context.Context, key string) error) *loop {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, time.Second)
	return &loop{queue: workqueue.NewTypedRateLimitingQueue(limiter), reconcile: reconcile}
}

// run starts workers that end with ctx.
func (l *loop) run(ctx context.Context, workers int) {
	go func() {
		<-ctx.Done()
		l.queue.ShutDown()
	}()
	for range workers {
		go func() {
			for l.next(ctx) {
			}
		}()
	}
}

func (l *loop) next(ctx context.Context) bool {
	key, shutdown := l.queue.Get()
	if shutdown {
		return false
	}
	defer l.queue.Done(key)
	if err := l.reconcile(ctx, key); err != nil {
		l.mutex.Lock()
		l.lastErr = fmt.Errorf("%s: %w", key, err)
		l.mutex.Unlock()
		l.queue.AddRateLimited(key)
		return true
	}
	l.queue.Forget(key)
	return true
}

// err returns the last failure, nil if there was none; it may have been cured by a retry.
func (l *loop) err() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.lastErr
}

// onEvery makes a handler that calls f with the object of every event, deletions included.
func onEvery[T any](f func(object T)) cache.ResourceEventHandlerFuncs {
	call := func(object any) {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		f(object.(T))
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    call,
		UpdateFunc: func(_, object any) { call(object) },
		DeleteFunc: call,
	}
}
