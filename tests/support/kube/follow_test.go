package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// After a watch has ended and the API server was away, what has changed meanwhile is shown, and nothing else.
func TestPodsAreFollowedThroughAnOutage(t *testing.T) {
	pod := func(name, uid, version string) *corev1.Pod {
		pod := MakePod(name).Pod()
		pod.UID, pod.ResourceVersion = types.UID(uid), version
		return pod
	}
	lists := [][]*corev1.Pod{
		{pod("stays", "1", "1"), pod("goes", "2", "2"), pod("comes-again", "3", "3"), pod("changes", "4", "4")},
		nil, nil, // away
		{pod("stays", "1", "1"), pod("comes-again", "5", "7"), pod("changes", "4", "8"), pod("new", "6", "9")},
	}
	client := fake.NewClientset()
	client.PrependReactor("list", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		pods := lists[0]
		lists = lists[1:]
		if pods == nil {
			return true, nil, errors.New("away")
		}
		list := &corev1.PodList{}
		for _, pod := range pods {
			list.Items = append(list.Items, *pod)
		}
		return true, list, nil
	})
	watches := make(chan *watch.FakeWatcher, 2)
	client.PrependWatchReactor("pods", func(clienttesting.Action) (bool, watch.Interface, error) {
		watcher := watch.NewFake()
		watches <- watcher
		return true, watcher, nil
	})
	seen := make(chan string, 20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := followPods(ctx, client,
		func(pod *corev1.Pod) { seen <- fmt.Sprintf("%s %s", pod.Name, pod.ResourceVersion) },
		func(pod *corev1.Pod) { seen <- fmt.Sprintf("%s %s gone", pod.Name, pod.ResourceVersion) }); err != nil {
		t.Fatal(err)
	}
	expect := func(want ...string) {
		t.Helper()
		var have []string
		for range want {
			select {
			case one := <-seen:
				have = append(have, one)
			case <-ctx.Done():
				t.Fatalf("seen are %q, want %q", have, want)
			}
		}
		slices.Sort(have)
		if slices.Sort(want); !slices.Equal(have, want) {
			t.Fatalf("seen are %q, want %q", have, want)
		}
	}
	expect("changes 4", "comes-again 3", "goes 2", "stays 1")
	first := <-watches
	first.Modify(pod("stays", "1", "1"))
	expect("stays 1")
	first.Stop()
	expect("goes 2 gone", "comes-again 3 gone")
	expect("changes 8", "comes-again 7", "new 9")
	second := <-watches
	second.Delete(pod("new", "6", "10"))
	expect("new 10 gone")
}
