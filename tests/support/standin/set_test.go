package standin_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

func TestSet(t *testing.T) {
	f := newFixture(t)
	kubelet, err := standin.StartKubelet(f.ctx, f.client)
	f.must(err)
	set, err := standin.StartSet(f.ctx, f.client, standin.SetSpec{
		Namespace: "default", Name: "web", Size: 3,
		Template: func(int) *corev1.Pod { return kube.MakePod("any").Node("a").Label("app", "web").Pod() },
	})
	f.must(err)
	for _, name := range []string{"web-0-0", "web-1-0", "web-2-0"} {
		pod := f.until(name, ready)
		if pod.Labels["app"] != "web" || pod.Labels[standin.SetLabel] != "web" {
			t.Errorf("labels of %s are %v", name, pod.Labels)
		}
	}

	t.Run("DeletedPodIsReplaced", func(t *testing.T) {
		f.must(f.client.CoreV1().Pods("default").Delete(f.ctx, "web-1-0", metav1.DeleteOptions{}))
		f.until("web-1-1", ready)
		f.until("web-1-0", gone)
	})
	t.Run("FailedPodIsReplacedAndStays", func(t *testing.T) {
		f.must(kubelet.Finish(f.ctx, "default", "web-1-1", 1))
		f.until("web-1-2", ready)
		f.until("web-1-1", func(pod *corev1.Pod) bool { return pod != nil })
	})
	t.Run("SucceededPodIsNotReplaced", func(t *testing.T) {
		f.must(kubelet.Finish(f.ctx, "default", "web-0-0", 0))
		f.until("web-0-0", func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodSucceeded })
		// A later replacement passes through the same watch: once it is there, so would the other be.
		f.must(f.client.CoreV1().Pods("default").Delete(f.ctx, "web-2-0", metav1.DeleteOptions{}))
		f.until("web-2-1", ready)
		if pod := f.tracker.Pod("default", "web-0-1"); pod != nil {
			t.Errorf("%s exists", pod.Name)
		}
	})
	if got := set.Replaced(); got != 3 {
		t.Errorf("Replaced() = %d, want 3", got)
	}
	if err := set.Err(); err != nil {
		t.Errorf("the stand-in met %v", err)
	}
}
