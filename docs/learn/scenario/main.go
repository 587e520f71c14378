// A scenario: it acts on the cluster, and prints what the scheduler makes of it.
//
// Run it with `make start`, which starts a cluster and a scheduler for it, or with any cluster:
//
//	cd tests && KUBECONFIG=... go run ../docs/learn/scenario/main.go
//
// It is here to be edited. Change scenario(), or copy this file and run the copy:
//
//	make start STEP=3 SCENARIO=my-scenario.go
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// scenario is what happens, from the first line to the last.
func scenario() {
	// Nine nodes. Each is cordoned: its owner wants no new pods on it.
	for i := 0; i < 9; i++ {
		createNode(fmt.Sprintf("node%d", i), cordoned)
	}
	say("node0 to node8 are created, all of them cordoned")

	// The scheduler hears of nodes and of pods by two separate streams. This gives it time to hear
	// of all nodes before the pod comes.
	time.Sleep(1 * time.Second)

	createPod("pod1")
	say("pod1 is created")
	waitBound("pod1", 3*time.Second)
	say(whereIs("pod1"))

	// One more node, and this one takes pods. Which scheduler notices?
	createNode("node10")
	say("node10 is created, and it is not cordoned")
	waitBound("pod1", 5*time.Second)
	say(whereIs("pod1"))
}

// ---- What scenario() is made of. Read on when you want to change more than the lines above. ----

// cordoned marks a node as `kubectl cordon` does.
func cordoned(node *corev1.Node) { node.Spec.Unschedulable = true }

// createNode creates a node. Options change it before: createNode("node3", cordoned). A node that
// is there already stays as it is.
func createNode(name string, options ...func(*corev1.Node)) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	for _, option := range options {
		option(node)
	}
	_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		must(err)
	}
}

// updateNode reads a node, changes it and writes it back:
//
//	updateNode("node3", func(node *corev1.Node) { node.Spec.Unschedulable = false })
func updateNode(name string, change func(*corev1.Node)) {
	node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	must(err)
	change(node)
	_, err = client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{})
	must(err)
}

// deleteNode deletes a node.
func deleteNode(name string) {
	must(client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}))
}

// createPod creates a pod that waits for a node. Options change it before.
func createPod(name string, options ...func(*corev1.Pod)) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: schedulerName,
			Containers:    []corev1.Container{{Name: "main", Image: "registry.k8s.io/pause:3.10"}},
		},
	}
	for _, option := range options {
		option(pod)
	}
	_, err := client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{})
	must(err)
}

// deletePod deletes a pod at once.
func deletePod(name string) {
	now := int64(0)
	must(client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now}))
}

// getPod reads a pod.
func getPod(name string) *corev1.Pod {
	pod, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	must(err)
	return pod
}

// waitBound waits until the pod has a node, but no longer than limit. It returns true if it has.
func waitBound(name string, limit time.Duration) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(250 * time.Millisecond) {
		if getPod(name).Spec.NodeName != "" {
			return true
		}
	}
	return getPod(name).Spec.NodeName != ""
}

// whereIs describes where a pod is; without a node, why: schedulers write that into its condition.
func whereIs(name string) string {
	pod := getPod(name)
	if pod.Spec.NodeName != "" {
		return name + " is bound to " + pod.Spec.NodeName
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled {
			return fmt.Sprintf("%s is pending, %s: %s", name, condition.Reason, condition.Message)
		}
	}
	return name + " is pending, and no scheduler has said why"
}

// say prints a line. Its mark tells it from the scheduler's lines.
func say(text string) { fmt.Println("scenario: " + text) }

// must ends the scenario if a call has failed.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "scenario:", err)
		os.Exit(1)
	}
}

// The cluster that KUBECONFIG leads to.
var (
	ctx       = context.Background()
	client    kubernetes.Interface
	namespace string // that of the kubeconfig; "default" if it names none
	// schedulerName is the scheduler that pods ask for; SCHEDULER_NAME in the environment.
	schedulerName = corev1.DefaultSchedulerName
)

func main() {
	if name := os.Getenv("SCHEDULER_NAME"); name != "" {
		schedulerName = name
	}
	kubeconfig := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), &clientcmd.ConfigOverrides{})
	config, err := kubeconfig.ClientConfig()
	must(err)
	namespace, _, err = kubeconfig.Namespace()
	must(err)
	client, err = kubernetes.NewForConfig(config)
	must(err)
	scenario()
}
