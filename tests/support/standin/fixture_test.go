package standin_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// fixture is the cluster of a test with a tracker of its pods; every wait ends after a while.
type fixture struct {
	*testing.T
	ctx     context.Context
	client  kubernetes.Interface
	tracker *kube.Tracker
}

func newFixture(t *testing.T) *fixture {
	c := cluster.SharedForTest(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	return &fixture{t, ctx, c.Client, c.MustTrackPods(t)}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) create(pod *kube.PodBuilder) {
	f.Helper()
	built := pod.Pod()
	_, err := f.client.CoreV1().Pods(built.Namespace).Create(f.ctx, built, metav1.CreateOptions{})
	f.must(err)
}

// until waits for a condition of one pod (nil while it is not there) and returns the pod.
func (f *fixture) until(name string, condition func(pod *corev1.Pod) bool) *corev1.Pod {
	f.Helper()
	var pod *corev1.Pod
	ctx, cancel := context.WithTimeout(f.ctx, process.Patience)
	defer cancel()
	if err := f.tracker.Until(ctx, func() bool {
		pod = f.tracker.Pod("default", name)
		return condition(pod)
	}); err != nil {
		f.Fatalf("pod %s: %v; it is %+v", name, err, pod)
	}
	return pod
}

func gone(pod *corev1.Pod) bool { return pod == nil }

func ready(pod *corev1.Pod) bool { return pod != nil && kube.IsReady(pod) }
