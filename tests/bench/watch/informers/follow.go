package main

import (
	"errors"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/watch/crowd"
)

// follow starts the informers and returns when both are synced.
func follow(client kubernetes.Interface, lags *lags, stop <-chan struct{}) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(trim))
	nodes, pods := factory.Core().V1().Nodes().Informer(), factory.Core().V1().Pods().Informer()
	handler, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, now any) {
		sent := now.(*corev1.Pod).Annotations[crowd.SentAnnotation]
		if sent != "" && sent != before.(*corev1.Pod).Annotations[crowd.SentAnnotation] {
			lags.add(sent, time.Now())
		}
	}})
	if err != nil {
		return err
	}
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, nodes.HasSynced, pods.HasSynced, handler.HasSynced) {
		return errors.New("not synced")
	}
	return nil
}

// trim drops the managedFields, as kube-scheduler does.
func trim(object any) (any, error) {
	if of, err := meta.Accessor(object); err == nil {
		of.SetManagedFields(nil)
	}
	return object, nil
}

// lags are the times from when changes were sent to when they were seen. Safe for concurrent use.
type lags struct {
	mutex sync.Mutex
	all   []time.Duration
}

func (l *lags) add(sent string, seen time.Time) {
	at, err := time.Parse(time.RFC3339Nano, sent)
	if err != nil {
		return // not ours
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = append(l.all, seen.Sub(at))
}

func (l *lags) count() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.all)
}

func (l *lags) summary() replay.Summary {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return replay.Summarize(slices.Clone(l.all))
}
