package standin_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

func TestKubelet(t *testing.T) {
	f := newFixture(t)
	f.create(kube.MakePod("early").Node("a"))
	kubelet, err := standin.StartKubelet(f.ctx, f.client)
	f.must(err)

	t.Run("BoundPodRunsAndIsReady", func(t *testing.T) {
		for _, name := range []string{"early", "late"} {
			if name == "late" {
				f.create(kube.MakePod(name).Node("a"))
			}
			pod := f.until(name, ready)
			if pod.Status.Phase != corev1.PodRunning || pod.Status.StartTime == nil || pod.Status.PodIP == "" {
				t.Errorf("status is %+v", pod.Status)
			}
			if len(pod.Status.ContainerStatuses) != 1 || pod.Status.ContainerStatuses[0].State.Running == nil {
				t.Errorf("containers are %+v", pod.Status.ContainerStatuses)
			}
		}
		if a, b := f.until("early", ready), f.until("late", ready); a.Status.PodIP == b.Status.PodIP {
			t.Errorf("two pods have the address %s", a.Status.PodIP)
		}
	})

	t.Run("UnboundPodStaysPendingUntilItIsBound", func(t *testing.T) {
		f.create(kube.MakePod("unbound"))
		f.create(kube.MakePod("after").Node("a")) // once this one runs, the other was seen too
		f.until("after", ready)
		if pod := f.until("unbound", func(pod *corev1.Pod) bool { return pod != nil }); pod.Status.Phase != corev1.PodPending {
			t.Errorf("phase is %s", pod.Status.Phase)
		}
		f.must(f.client.CoreV1().Pods("default").Bind(f.ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: "unbound"},
			Target:     corev1.ObjectReference{Kind: "Node", Name: "a"},
		}, metav1.CreateOptions{}))
		pod := f.until("unbound", ready)
		if kube.Condition(pod, corev1.PodScheduled).Status != corev1.ConditionTrue {
			t.Errorf("the scheduler's condition was lost: %+v", pod.Status.Conditions)
		}
	})

	t.Run("DeletionIsFinishedWhateverTheGracePeriod", func(t *testing.T) {
		f.create(kube.MakePod("slow").Node("a").GracePeriod(3600))
		f.until("slow", ready)
		f.must(f.client.CoreV1().Pods("default").Delete(f.ctx, "slow", metav1.DeleteOptions{}))
		f.until("slow", gone)
	})

	for _, row := range []struct {
		name  string
		code  int
		phase corev1.PodPhase
	}{{"ok", 0, corev1.PodSucceeded}, {"broken", 3, corev1.PodFailed}} {
		t.Run("FinishedPodIs"+string(row.phase), func(t *testing.T) {
			f.create(kube.MakePod(row.name).Node("a"))
			f.until(row.name, ready)
			f.must(kubelet.Finish(f.ctx, "default", row.name, row.code))
			pod := f.until(row.name, func(pod *corev1.Pod) bool { return kube.IsFinished(pod) })
			state := pod.Status.ContainerStatuses[0].State
			if pod.Status.Phase != row.phase || kube.IsReady(pod) || state.Running != nil ||
				state.Terminated == nil || int(state.Terminated.ExitCode) != row.code {
				t.Errorf("status is %+v", pod.Status)
			}
		})
	}

	t.Run("PodMayBeToldBeforeItIsBound", func(t *testing.T) {
		f.create(kube.MakePod("doomed").Annotation(standin.ExitCodeAnnotation, "1").Node("a"))
		f.until("doomed", func(pod *corev1.Pod) bool { return pod != nil && pod.Status.Phase == corev1.PodFailed })
	})
	if err := kubelet.Err(); err != nil {
		t.Errorf("the stand-in met %v", err)
	}
}
