package load

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const burst = 20

// What is measured does not change while the pods come: only what they are expected to use can keep the node from
// overload.
func TestABurstIsRejectedBeforeItIsMeasured(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	bound := placeBurst(w, w.Serve("safe").URL)
	// 16 cpu of which 8 are used: 14 pods that use 425 of 500 millicores stay below 90 percent, and some more may come
	// before a busy safe hears of the last one.
	if bound < 14 || bound > 18 {
		t.Errorf("%d of %d pods are on the node, want 14 or a few more", bound, burst)
	}
	kubeconfig, err := w.Cluster.WriteKubeconfig("person", w.Cluster.Config)
	w.Must(err)
	w.Pods(kube.MakePod("next").Scheduler("none"))
	w.Until("next", "there", func(*corev1.Pod) bool { return true })
	text := string(outrigger.Run(w, "explain", "pod", "next", "-n", "default", "--agents", "safe", "--kubeconfig", kubeconfig,
		"-o", "wide"))
	if !strings.Contains(text, fmt.Sprintf("+%dm for pods that came or went", bound*425)) {
		t.Errorf("explain does not show the pods that came:\n%s", text)
	}
}

func TestWithoutAnEstimateABurstIsNotSeen(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	if bound := placeBurst(w, w.Serve("safe", "--safe.estimate", "none").URL); bound != burst {
		t.Errorf("%d of %d pods are on the node", bound, burst)
	}
}

// placeBurst creates one pod after the other, and returns how many are bound. Of pods that come at once the scheduler
// binds the first while it asks about the last: these an extender cannot count.
func placeBurst(w *scheduling.World, url string) (bound int) {
	w.Helper()
	measured := time.Now().UTC().Format(time.RFC3339) + "/300s"
	w.Nodes(kube.MakeNode("a").Resource(corev1.ResourceCPU, "16").Annotation("mean-free-cpu", "8000").
		Annotation("std-free-cpu", "100").Annotation("outrigger.dev/usage-measured", measured))
	w.StartScheduler(configOf(w, map[string]string{"safe": url}))
	for i := range burst {
		w.Pods(kube.MakePod(fmt.Sprintf("p%d", i)).Request(corev1.ResourceCPU, "500m"))
		pod := w.Until(fmt.Sprintf("p%d", i), "bound or refused", func(pod *corev1.Pod) bool {
			return scheduling.IsBound(pod) || kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
		})
		if scheduling.IsBound(pod) {
			bound++
		} else if message := kube.Condition(pod, corev1.PodScheduled).Message; !strings.Contains(message, "safe: cpu: risk ") {
			w.Errorf("pod %s: %s", pod.Name, message)
		}
	}
	return bound
}
