package load

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// explanation is what `explain pod -o json` prints, as far as these tests look.
type explanation struct {
	Pod struct {
		Name string `json:"name"`
	} `json:"pod"`
	Nodes []struct {
		Name   string `json:"name"`
		Fits   bool   `json:"fits"`
		Agents []struct {
			Agent   string `json:"agent"`
			Verdict string `json:"verdict"`
			Reason  string `json:"reason"`
		} `json:"agents"`
	} `json:"nodes"`
}

// What explain says of a pod that waits is what the pod's own condition says.
func TestExplainNamesTheReasonsOfAPendingPod(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	safe := w.Serve("safe", "--safe.max-risk", "0.3")
	a, b := kube.MakeNode("a"), kube.MakeNode("b")
	for key, value := range overloaded {
		a.Annotation(key, value)
		b.Annotation(key, value)
	}
	b.Annotation("cpu-overload-note", "not read by any agent")
	w.Nodes(a, b)
	w.StartScheduler(configOf(w, map[string]string{"safe": safe.URL}))
	w.Pods(kube.MakePod("p"))
	pod := w.Until("p", "refused", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
	})
	condition := kube.Condition(pod, corev1.PodScheduled).Message

	kubeconfig, err := w.Cluster.WriteKubeconfig("person", w.Cluster.Config)
	w.Must(err)
	args := []string{"explain", "pod", "p", "-n", "default", "--agents", "safe", "--safe.max-risk", "0.3",
		"--kubeconfig", kubeconfig}
	var explained explanation
	text := outrigger.Run(w, append(args, "-o", "json")...)
	if err := json.Unmarshal(text, &explained); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(explained.Nodes) != 2 {
		t.Fatalf("want both nodes: %s", text)
	}
	for _, node := range explained.Nodes {
		if node.Fits || len(node.Agents) != 1 {
			t.Errorf("node %s: %+v", node.Name, node)
			continue
		}
		if reason := node.Agents[0].Reason; reason == "" || !strings.Contains(condition, reason) {
			t.Errorf("node %s: the reason %q is not in the condition:\n%s", node.Name, reason, condition)
		}
	}
	table := string(outrigger.Run(w, args...))
	// Behind the first sentence the scheduler goes on about preemption and other plugins.
	summary, _, _ := strings.Cut(condition, ". ")
	if !strings.Contains(table, summary+".") {
		t.Errorf("the table does not have the scheduler's own words:\n%s\nwant in it: %s", table, summary)
	}
	t.Run("AsAPluginOfKubectl", func(t *testing.T) {
		bin := t.TempDir()
		w.Must(os.Symlink(outrigger.Binary(t), filepath.Join(bin, "kubectl-outrigger")))
		command := exec.CommandContext(w.Ctx, w.Cluster.Binary("kubectl"), append([]string{"outrigger"}, args...)...)
		command.Env = []string{"PATH=" + bin, "HOME=" + t.TempDir()}
		out, err := command.CombinedOutput()
		if err != nil || string(out) != table {
			t.Errorf("kubectl outrigger: %v\n%s\nwant\n%s", err, out, table)
		}
	})
}
