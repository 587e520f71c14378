package standin_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

// ends is a script by the pod's name and node.
func ends(pod *corev1.Pod, _ string, restarts int32) standin.End {
	switch {
	case pod.Spec.NodeName == "fine":
		return standin.RunsOn
	case pod.Name == "image" && restarts == 0:
		return standin.End{After: 50 * time.Millisecond, NoStart: "ImagePullBackOff"}
	case pod.Name == "memory":
		return standin.End{After: time.Millisecond, ExitCode: 137, Reason: "OOMKilled"}
	case pod.Name == "done":
		return standin.End{After: 10 * time.Millisecond}
	}
	return standin.End{After: 20 * time.Millisecond, ExitCode: 2}
}

// states follows the only container of a pod through count different states.
func states(f *fixture, pod *kube.PodBuilder, count int) (seen []string, last *corev1.Pod) {
	f.Helper()
	watch, err := f.client.CoreV1().Pods("default").Watch(f.ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", pod.Pod().Name).String()})
	f.must(err)
	defer watch.Stop()
	f.create(pod)
	for event := range watch.ResultChan() {
		last = event.Object.(*corev1.Pod)
		if state := describe(last); state != "" && (len(seen) == 0 || seen[len(seen)-1] != state) {
			seen = append(seen, state)
		}
		if len(seen) == count {
			return seen, last
		}
	}
	f.Fatalf("after %q nothing comes", seen)
	return nil, nil
}

// describe is phase, restarts, state and last end.
func describe(pod *corev1.Pod) string {
	if len(pod.Status.ContainerStatuses) != 1 {
		return ""
	}
	c := pod.Status.ContainerStatuses[0]
	text := fmt.Sprintf("%s %d ", pod.Status.Phase, c.RestartCount)
	switch state := c.State; {
	case state.Running != nil:
		text += "runs"
	case state.Waiting != nil:
		text += state.Waiting.Reason
	case state.Terminated != nil:
		text += fmt.Sprintf("%s %d", state.Terminated.Reason, state.Terminated.ExitCode)
	}
	if end := c.LastTerminationState.Terminated; end != nil {
		text += fmt.Sprintf(" after %s %d", end.Reason, end.ExitCode)
	}
	return text
}

func TestScriptedContainers(t *testing.T) {
	f := newFixture(t)
	kubelet, err := standin.StartScriptedKubelet(f.ctx, f.client, ends,
		standin.Backoff{First: 30 * time.Millisecond, Most: 50 * time.Millisecond})
	f.must(err)
	on := func(name, node string, policy corev1.RestartPolicy) *kube.PodBuilder {
		return kube.MakePod(name).Node(node).Change(func(pod *corev1.Pod) { pod.Spec.RestartPolicy = policy })
	}
	for _, row := range []struct {
		pod  *kube.PodBuilder
		want []string
	}{
		{on("crash", "a", corev1.RestartPolicyAlways), []string{
			"Running 0 runs", "Running 0 Error 2", // started again at once
			"Running 1 runs after Error 2", "Running 1 CrashLoopBackOff after Error 2",
			"Running 2 runs after Error 2", "Running 2 CrashLoopBackOff after Error 2",
			"Running 3 runs after Error 2"}},
		{on("memory", "a", corev1.RestartPolicyOnFailure), []string{
			"Running 0 runs", "Running 0 OOMKilled 137", "Running 1 runs after OOMKilled 137"}},
		{on("broken", "a", corev1.RestartPolicyNever), []string{"Running 0 runs", "Failed 0 Error 2"}},
		{on("done", "a", corev1.RestartPolicyOnFailure), []string{"Running 0 runs", "Succeeded 0 Completed 0"}},
		{on("image", "a", corev1.RestartPolicyAlways), []string{"Pending 0 ImagePullBackOff"}},
	} {
		t.Run(row.pod.Pod().Name, func(t *testing.T) {
			seen, last := states(f, row.pod, len(row.want))
			if !slices.Equal(seen, row.want) {
				t.Errorf("seen  %q\nwanted %q", seen, row.want)
			}
			if running := last.Status.ContainerStatuses[0].State.Running != nil; running != kube.IsReady(last) {
				t.Errorf("the container runs: %v; the pod: %+v", running, last.Status.Conditions)
			}
		})
	}
	t.Run("OnAnotherNodeItRunsOn", func(t *testing.T) {
		f.create(on("well", "fine", corev1.RestartPolicyAlways))
		pod := f.until("well", ready)
		if describe(pod) != "Running 0 runs" {
			t.Error(describe(pod))
		}
	})
	t.Run("APodOfTheSameNameBeginsWithoutRestarts", func(t *testing.T) {
		f.must(f.client.CoreV1().Pods("default").Delete(f.ctx, "crash", metav1.DeleteOptions{}))
		f.until("crash", gone)
		f.create(on("crash", "fine", corev1.RestartPolicyAlways))
		if pod := f.until("crash", ready); describe(pod) != "Running 0 runs" {
			t.Error(describe(pod))
		}
	})
	t.Run("FinishEndsItWhateverTheScriptSays", func(t *testing.T) {
		f.must(kubelet.Finish(f.ctx, "default", "well", 0))
		f.until("well", func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodSucceeded })
	})
	if err := kubelet.Err(); err != nil {
		t.Errorf("the stand-in met %v", err)
	}
}
