package server

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// With the rights of the manifest's account the agent counts a failure, stores it, and steers the next pod of the type
// past the node where it happened.
func TestRewardLearnsWithTheRightsOfItsManifest(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := scheduling.New(t)
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", scheduling.Reward.Path())
	w.Must(err)
	untilGranted(w, scheduling.Reward)
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	agent, _ := w.StartDeployed(scheduling.Reward)
	for i := range 3 {
		name := fmt.Sprintf("failing-%d", i)
		w.Pods(kube.MakePod(name).Label("podtype", "D").Node("a"))
		ended(w, name, 1)
	}
	for i := range 3 {
		name := fmt.Sprintf("fine-%d", i)
		w.Pods(kube.MakePod(name).Label("podtype", "D").Node("b"))
		ended(w, name, 0)
	}
	agent.UntilMetricAbove(t, 2, "outrigger_reward_outcomes_total", "exit")
	agent.UntilMetricAbove(t, 2, "outrigger_reward_outcomes_total", "success")
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
		state, err := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, "outrigger-reward", metav1.GetOptions{})
		if err == nil && !strings.Contains(state.Data["pairs"], "type default/D ") {
			err = fmt.Errorf("nothing of type D is stored: %q", state.Data["pairs"])
		}
		return err
	}))
	for i := range 5 {
		name := fmt.Sprintf("next-%d", i)
		w.Pods(kube.MakePod(name).Label("podtype", "D").Scheduler(scheduling.Reward.Scheduler))
		w.Until(name, "bound", scheduling.IsBound)
		if node := w.Tracker.Pod("default", name).Spec.NodeName; node != "b" {
			t.Errorf("%s went to node %s, where pods of its type fail", name, node)
		}
	}
	if status, page := agent.Ask("/reward"); status != http.StatusOK || !strings.Contains(page, `"failuresLastHour":3`) {
		t.Errorf("GET /reward: %d: %s", status, page)
	}
	log, err := os.ReadFile(agent.LogPath())
	w.Must(err)
	if strings.Contains(string(log), "forbidden") || strings.Contains(string(log), "cannot ") {
		t.Errorf("a right is missing:\n%s", log)
	}
}

// untilGranted waits until the API server has heard of all rights of the manifest's account: until then it refuses them, and
// the agent's log says so.
func untilGranted(w *scheduling.World, d scheduling.Deployed) {
	w.Helper()
	text, err := os.ReadFile(d.Path())
	w.Must(err)
	account := w.Account(d)
	for _, grant := range scheduling.GrantsOf(w.T, text, d.Name+"-agents") {
		rule := rbacv1.PolicyRule{APIGroups: []string{grant.Group}, Resources: []string{grant.Resource}, Verbs: []string{grant.Verb}}
		if grant.Name != "" {
			rule.ResourceNames = []string{grant.Name}
		}
		namespace := ""
		if grant.Local {
			namespace = metav1.NamespaceSystem
		}
		w.UntilGranted(account, rule, namespace)
	}
}

// ended makes the pod show that its container has ended with that exit code after five seconds, as a kubelet does.
func ended(w *scheduling.World, name string, code int32) {
	w.Helper()
	pods := w.Client.CoreV1().Pods(metav1.NamespaceDefault)
	pod, err := pods.Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	now := metav1.Now()
	pod.Status.Phase = corev1.PodFailed
	if code == 0 {
		pod.Status.Phase = corev1.PodSucceeded
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name,
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: "Error",
			StartedAt: metav1.NewTime(now.Add(-5 * time.Second)), FinishedAt: now}}}}
	_, err = pods.UpdateStatus(w.Ctx, pod, metav1.UpdateOptions{})
	w.Must(err)
}
