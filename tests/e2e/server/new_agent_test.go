//go:build newagent

// Compiled for tests/scripts/new_agent_test.sh alone, which has built a program with the agent that
// OUTRIGGER_NEW_AGENT names: a copy of agents/template's second example.

package server

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

	"outrigger.dev/outrigger/tests/e2e/scheduling"
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
	w := scheduling.New(t)
	w.Nodes(kube.MakeNode("liked"),
		kube.MakeNode("disliked").Taint("example.com/x", "y", corev1.TaintEffectPreferNoSchedule))
	server := w.Serve(agent)
	w.StartScheduler(outrigger.SchedulerConfig(w, w.SchedulerBase(),
		"--agents", agent, "--url", agent+"="+server.URL))

	w.Pods(kube.MakePod("web-0").Label(appLabel, "web"))
	untilOn(w, "web-0", "liked")
	untilRefused(w, server, agent, "liked")
	w.Pods(kube.MakePod("web-1").Label(appLabel, "web"), kube.MakePod("other").Label(appLabel, "other"))
	untilOn(w, "web-1", "disliked")
	untilOn(w, "other", "liked")
	untilRefused(w, server, agent, "disliked")
	w.Pods(kube.MakePod("web-2").Label(appLabel, "web"))
	w.Until("web-2", "refused with the agent's reason", func(pod *corev1.Pod) bool {
		condition := kube.Condition(pod, corev1.PodScheduled)
		return condition.Reason == corev1.PodReasonUnschedulable && strings.Contains(condition.Message,
			"2 "+agent+": the node has reached the limit of 1 for pods with "+appLabel+"=web")
	})
}

func untilOn(w *scheduling.World, pod, node string) {
	w.Helper()
	w.Until(pod, "on "+node, func(pod *corev1.Pod) bool { return pod.Spec.NodeName == node })
}

// untilRefused waits until the agent refuses the node to a pod of the application: it follows the
// cluster by a watch of its own, which may be later than ours.
func untilRefused(w *scheduling.World, server *outrigger.Server, agent, node string) {
	w.Helper()
	body, err := json.Marshal(map[string]any{
		"Pod":       kube.MakePod("asks").Label(appLabel, "web").Pod(),
		"NodeNames": []string{node},
	})
	w.Must(err)
	var answer []byte
	for end := time.Now().Add(scheduling.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		response, err := http.Post(server.URL+"/"+agent+"/filter", "application/json", bytes.NewReader(body))
		w.Must(err)
		answer, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		w.Must(err)
		var result struct{ FailedNodes map[string]string }
		w.Must(json.Unmarshal(answer, &result))
		if result.FailedNodes[node] != "" {
			return
		}
	}
	w.Fatalf("%s is never refused: %s", node, answer)
}
