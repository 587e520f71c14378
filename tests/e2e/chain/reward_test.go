package chain

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/standin"
)

// pageEnv names a file to which the test writes what GET /reward says once it has learned.
const pageEnv = "OUTRIGGER_REWARD_JSON"

// The demonstration of kubeRL, ten times as fast: the mean time to failure, of 600 s, too.
const (
	mttf       = 60 // seconds
	failsEarly = 500 * time.Millisecond
	failsLate  = 6 * time.Second
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

	// What it knows outlives the pods and the process.
	for i := range 3 {
		w.remove(replica(i))
	}
	w.untilStored("early", "late")
	reward.Kill()
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

// untilStored waits until the agent's state knows something of each of the nodes. It writes every five seconds at most:
// what came just after a write is lost if the process is killed before the next one and the pods are gone.
func (w *world) untilStored(nodes ...string) {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		state, err := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, "outrigger-reward", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, node := range nodes {
			if !strings.Contains(state.Data["pairs"], "\nnode "+node+"\n") {
				return fmt.Errorf("nothing is stored of node %s:\n%s", node, state.Data["pairs"])
			}
		}
		return nil
	})
}
