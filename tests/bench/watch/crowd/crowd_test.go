package crowd_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/watch/crowd"
	"outrigger.dev/outrigger/tests/support/cluster"
)

func length(t *testing.T, object any) int {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

func TestACrowdIsRunningAndAsLargeAsARealOne(t *testing.T) {
	c := cluster.ForTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	size := crowd.Size{Nodes: 40, Pods: 200}
	filled, err := crowd.Fill(ctx, c.Config, c.EtcdURL(), 1, size, nil)
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	pods, err := c.Client.CoreV1().Pods(crowd.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(nodes.Items) != size.Nodes || len(pods.Items) != size.Pods {
		t.Fatalf("%d nodes, %d pods", len(nodes.Items), len(pods.Items))
	}
	t.Logf("filled in %v; a node has %d bytes, a pod %d", filled.Took, length(t, nodes.Items[0]), length(t, pods.Items[0]))
	if n := length(t, nodes.Items[0]); n < 14_000 || n > 18_000 {
		t.Errorf("a node has %d bytes", n)
	}
	if managers := len(nodes.Items[0].ManagedFields); managers != 2 {
		t.Errorf("%d managers of a node", managers)
	}
	if got, want := nodes.Items[0].Annotations["mean-free-cpu"], bodies.New(1, 1).Nodes[0].Annotations["mean-free-cpu"]; got != want {
		t.Errorf("mean-free-cpu is %q, want %q", got, want)
	}
	// A copy is like what the server has made.
	if made, copied := length(t, pods.Items[0]), length(t, pods.Items[150]); copied < made-50 || copied > made+50 {
		t.Errorf("a pod that the server made has %d bytes, a copy %d", made, copied)
	}
	if made, copied := length(t, nodes.Items[0]), length(t, nodes.Items[size.Nodes-1]); copied < made-200 || copied > made+200 {
		t.Errorf("a node that the server made has %d bytes, a copy %d", made, copied)
	}
	uids := map[types.UID]bool{}
	perNode := map[string]int{}
	for _, pod := range pods.Items {
		perNode[pod.Spec.NodeName]++
		uids[pod.UID] = true
		if pod.Status.Phase != corev1.PodRunning || len(pod.Status.Conditions) != 5 || len(pod.ManagedFields) != 2 {
			t.Fatalf("pod %s: %s, %d conditions, %d managers", pod.Name, pod.Status.Phase, len(pod.Status.Conditions), len(pod.ManagedFields))
		}
	}
	if n := length(t, pods.Items[0]); n < 6_000 || n > 8_000 {
		t.Errorf("a pod has %d bytes", n)
	}
	if len(uids) != size.Pods {
		t.Errorf("%d UIDs for %d pods", len(uids), size.Pods)
	}
	for node, count := range perNode {
		if count != size.Pods/size.Nodes {
			t.Errorf("%d pods on %s", count, node)
		}
	}
}

func TestLeanPodsHaveNoManagedFields(t *testing.T) {
	c := cluster.ForTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := crowd.Fill(ctx, c.Config, c.EtcdURL(), 1, crowd.Size{Nodes: 1, Pods: 2, Lean: true}, nil); err != nil {
		t.Fatal(err)
	}
	pods, err := c.Client.CoreV1().Pods(crowd.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) != 2 {
		t.Fatalf("%d pods, %v", len(pods.Items), err)
	}
	pod := pods.Items[0]
	if n := length(t, pod); len(pod.ManagedFields) != 0 || pod.Status.Phase != corev1.PodRunning || n < 3_400 || n > 4_500 {
		t.Errorf("%d bytes, %d managers, %s", n, len(pod.ManagedFields), pod.Status.Phase)
	}
}

func TestEveryChangeIsOneEventWithItsTime(t *testing.T) {
	c := cluster.ForTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := crowd.Fill(ctx, c.Config, c.EtcdURL(), 1, crowd.Size{Nodes: 2, Pods: 10}, nil); err != nil {
		t.Fatal(err)
	}
	changer, err := crowd.NewChanger(ctx, c.EtcdURL())
	if err != nil {
		t.Fatal(err)
	}
	defer changer.Close()
	list, err := c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	watcher, err := c.Client.CoreV1().Pods("").Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Stop()
	began := time.Now()
	changes, err := changer.Change(ctx, 50, time.Second)
	if err != nil || changes.Sent != 50 || len(changes.Writes) != 50 || time.Since(began) < 900*time.Millisecond {
		t.Fatalf("%+v, %v", changes, err)
	}
	for range 50 {
		select {
		case event := <-watcher.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				t.Fatalf("%v", event)
			}
			sent, err := time.Parse(time.RFC3339Nano, pod.Annotations[crowd.SentAnnotation])
			if err != nil || sent.Before(began) || sent.After(time.Now()) {
				t.Errorf("sent at %v, %v", sent, err)
			}
		case <-ctx.Done():
			t.Fatal("fewer than 50 events")
		}
	}
	// Nothing else has changed, and the server can still write what was written past it.
	pods := c.Client.CoreV1().Pods(crowd.Namespace)
	pod, err := pods.Get(ctx, crowd.PodName(3), metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if pod.Status.Phase != corev1.PodRunning || len(pod.Annotations) != len(list.Items[3].Annotations)+1 {
		t.Errorf("%s, annotations %v", pod.Status.Phase, pod.Annotations)
	}
	pod.Labels["x"] = "y"
	if _, err := pods.Update(ctx, pod, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
}
