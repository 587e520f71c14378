package load

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// sized is a pod of so many of the 8 cpus of a node, and of the same share of its 32 GiB.
func sized(name string, cpu int) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, fmt.Sprint(cpu)).
		Request(corev1.ResourceMemory, fmt.Sprintf("%dGi", 4*cpu)).Scheduler(scheduling.Pigeon.Scheduler)
}

// deploy/extender.pigeon.yaml as it is, and the example of the agent's README: kube-scheduler alone spreads the small pods over
// two nodes, and the second large one waits.
func TestPigeonKeepsRoomForALargePod(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", scheduling.Pigeon.Path())
	w.Must(err)
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"), kube.MakeNode("c"))
	agent, _ := w.StartDeployed(scheduling.Pigeon)

	w.Pods(sized("fits-nowhere", 100)) // it is tried, and does not count
	sizes := []int{6, 1, 1, 1, 1, 1, 1, 1, 1, 6}
	for i, cpu := range sizes {
		name := fmt.Sprintf("p%d", i)
		w.Pods(sized(name, cpu))
		pod := w.Until(name, "bound or refused", func(pod *corev1.Pod) bool {
			return scheduling.IsBound(pod) || kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
		})
		if !scheduling.IsBound(pod) {
			t.Fatalf("pod %d of %d cpus waits: %s", i, cpu, kube.Condition(pod, corev1.PodScheduled).Message)
		}
	}
	for metric, want := range map[string]float64{
		"outrigger_pigeon_counted_pods_total": float64(len(sizes)), "outrigger_pigeon_counted_nodes": 3} {
		if got := agent.Metric(t, metric); got != want {
			t.Errorf("%s is %v, want %v", metric, got, want)
		}
	}
	w.Must(agent.Stop(5 * time.Second)) // stores what is new at the latest then
	state, err := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(w.Ctx, "outrigger-pigeon", metav1.GetOptions{})
	w.Must(err)
	if demand := state.Data["demand"]; !strings.Contains(demand, fmt.Sprintf("resources cpu memory\npods %d\n", len(sizes))) {
		t.Errorf("the demand of the pods is not stored: %q", demand)
	}
	log, err := os.ReadFile(agent.LogPath())
	w.Must(err)
	if strings.Contains(string(log), "forbidden") || strings.Contains(string(log), "cannot ") {
		t.Errorf("a right is missing:\n%s", log)
	}
}
