package chain

import (
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/standin"
)

// pageEnv names a file to which the test writes what GET /reward says once it has learned.
const pageEnv = "OUTRIGGER_REWARD_JSON"

// The demonstration of kubeRL, at least ten times as fast; the mean time to failure, of 600 s, thirty times.
const (
	mttf       = 20 // seconds
	failsEarly = 500 * time.Millisecond
	failsLate  = 2 * time.Second
)

// typeD fails on two nodes.
func typeD(pod *corev1.Pod, _ string, _ int32) standin.End {
	switch pod.Spec.NodeName {
	case "early":
		return standin.End{After: failsEarly, ExitCode: 1}
	case "late":
		return standin.End{After: failsLate, ExitCode: 2}
	}
	return standin.RunsOn
}

func TestAPodGoesWherePodsOfItsTypeDoNotFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Nodes(kube.MakeNode("early"), kube.MakeNode("fine"), kube.MakeNode("late"))
	_, err := standin.StartScriptedKubelet(w.Ctx, w.Client, typeD, standin.Backoff{First: time.Second, Most: 30 * time.Second})
	w.Must(err)
	reward := w.serve("reward", "--reward.mttf", fmt.Sprint(mttf))
	w.StartScheduler(w.Config(map[string]string{"reward": reward.URL}))
	replica := func(i int) string { return fmt.Sprintf("replica-%d", i) }
	on := map[string]*corev1.Pod{}
	for i := range 3 {
		w.Pods(kube.MakePod(replica(i)).Label("podtype", "D").Label("app", "demo").Apart(corev1.LabelHostname, "app", "demo"))
		pod := w.Until(replica(i), "bound", scheduling.IsBound)
		on[pod.Spec.NodeName] = pod
	}
	if len(on) != 3 {
		t.Fatalf("the replicas are on %v", on)
	}
	fails := func(node string, times int32) {
		w.Until(on[node].Name, "failing", func(pod *corev1.Pod) bool {
			return len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].RestartCount >= times
		})
	}
	fails("early", 2)
	fails("late", 1)
	w.probeType = "D"
	w.untilPodsGoTo("fine")
	w.keepPage(reward)
	page := browser.Look(w, w.Cluster.LogDir(), reward.AdminURL, "#table/reward", "early", "late", "fine")
	page.Until("one with a bar for each figure", "document.querySelectorAll('#table-rows td .bar').length >= 3")

	// What it knows outlives the pods and the process.
	for i := range 3 {
		w.remove(replica(i))
	}
	w.Must(reward.Stop(scheduling.Patience)) // it writes what it has not yet written
	reward.Restart(t)
	reward.UntilReady(t)
	for range inARow {
		if went := w.probe(); went != "fine" {
			t.Errorf("after a restart of the agent a pod is on %s", went)
		}
	}
}

// keepPage writes what the agent has learned to the file that pageEnv names, for scripts/plot-load.
func (w *world) keepPage(reward *outrigger.Server) {
	w.Helper()
	if file := os.Getenv(pageEnv); file != "" {
		w.Must(os.WriteFile(file, []byte(reward.Get(w, "/reward")), 0o644))
	}
}
