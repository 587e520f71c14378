package kube

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// followAgain is the pause before an API server that is away is asked again. An informer of client-go waits longer each
// time, up to a minute: a test of an API server that comes back would wait for its own witness.
const followAgain = 100 * time.Millisecond

// podFollower keeps what a watch of all pods shows. One goroutine uses it.
type podFollower struct {
	client kubernetes.Interface
	set    func(*corev1.Pod) // a pod is there, or has changed
	remove func(*corev1.Pod) // it is gone

	pods map[string]*corev1.Pod // by UID
}

// followPods calls set for all pods of now and returns. Until ctx ends it then calls set and remove for what a watch
// shows, on one goroutine. A watch that ends is opened again, whatever its end.
func followPods(ctx context.Context, client kubernetes.Interface, set, remove func(*corev1.Pod)) error {
	f := &podFollower{client: client, set: set, remove: remove, pods: map[string]*corev1.Pod{}}
	version, err := f.list(ctx)
	if err != nil {
		return fmt.Errorf("follow pods: %w", err)
	}
	go f.run(ctx, version)
	return nil
}

func (f *podFollower) run(ctx context.Context, version string) {
	for {
		f.watch(ctx, version)
		for again := true; again; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(followAgain):
			}
			var err error
			version, err = f.list(ctx)
			again = err != nil
		}
	}
}

// list brings the pods up to date and returns the list's version.
func (f *podFollower) list(ctx context.Context) (string, error) {
	list, err := f.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	there := map[string]bool{}
	for i := range list.Items {
		there[string(list.Items[i].UID)] = true
	}
	for uid, pod := range f.pods {
		if !there[uid] {
			f.lose(pod)
		}
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if known := f.pods[string(pod.UID)]; known == nil || known.ResourceVersion != pod.ResourceVersion {
			f.see(pod)
		}
	}
	return list.ResourceVersion, nil
}

// watch returns when the watch has ended.
func (f *podFollower) watch(ctx context.Context, version string) {
	watcher, err := f.client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return
	}
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		pod, isPod := event.Object.(*corev1.Pod)
		switch {
		case !isPod: // an error: the watch is over
			return
		case event.Type == watch.Deleted:
			f.lose(pod)
		default:
			f.see(pod)
		}
	}
}

func (f *podFollower) see(pod *corev1.Pod) {
	f.pods[string(pod.UID)] = pod
	f.set(pod)
}

func (f *podFollower) lose(pod *corev1.Pod) {
	delete(f.pods, string(pod.UID))
	f.remove(pod)
}
