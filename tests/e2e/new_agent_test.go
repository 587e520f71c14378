//go:build newagent

// Compiled for tests/scripts/new_agent_test.sh alone, which has built a program with the agent that
// OUTRIGGER_NEW_AGENT names: a copy of agents/template's second example.

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const appLabel = "app.kubernetes.io/name"

// Three pods of one application and two nodes, of which kube-scheduler alone prefers the first: the
// agent sends the second pod to the other node, and refuses both to the third.
func TestPodsArePlacedByACopyOfTheSecondExample(t *testing.T) {
	agent := os.Getenv("OUTRIGGER_NEW_AGENT")
	if agent == "" {
		t.Fatal("OUTRIGGER_NEW_AGENT is not set: it must name the agent")
	}
	w := newWorld(t)
	w.nodes(kube.MakeNode("liked"),
		kube.MakeNode("disliked").Taint("example.com/x", "y", corev1.TaintEffectPreferNoSchedule))
	server := w.serve(agent)
	w.startScheduler(outrigger.SchedulerConfig(w, w.schedulerBase(),
		"--agents", agent, "--url", agent+"="+server.URL))

	w.pods(kube.MakePod("web-0").Label(appLabel, "web"))
	w.untilOn("web-0", "liked")
	w.untilRefused(server, agent, "liked")
	w.pods(kube.MakePod("web-1").Label(appLabel, "web"), kube.MakePod("other").Label(appLabel, "other"))
	w.untilOn("web-1", "disliked")
	w.untilOn("other", "liked")
	w.untilRefused(server, agent, "disliked")
	w.pods(kube.MakePod("web-2").Label(appLabel, "web"))
	w.until("web-2", "refused with the agent's reason", func(pod *corev1.Pod) bool {
		condition := kube.Condition(pod, corev1.PodScheduled)
		return condition.Reason == corev1.PodReasonUnschedulable && strings.Contains(condition.Message,
			"2 "+agent+": the node has reached the limit of 1 for pods with "+appLabel+"=web")
	})
}

func (w *world) untilOn(pod, node string) {
	w.Helper()
	w.until(pod, "on "+node, func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

// untilRefused waits until the agent refuses the node to a pod of the application: it follows the
// cluster by a watch of its own, which may be later than ours.
func (w *world) untilRefused(server *outrigger.Server, agent, node string) {
	w.Helper()
	body, err := json.Marshal(map[string]any{
		"Pod":       kube.MakePod("asks").Label(appLabel, "web").Pod(),
		"NodeNames": []string{node},
	})
	w.must(err)
	var answer []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		response, err := http.Post(server.URL+"/"+agent+"/filter", "application/json", bytes.NewReader(body))
		w.must(err)
		answer, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		w.must(err)
		var result struct{ FailedNodes map[string]string }
		w.must(json.Unmarshal(answer, &result))
		if result.FailedNodes[node] != "" {
			return
		}
	}
	w.Fatalf("%s is never refused: %s", node, answer)
}
