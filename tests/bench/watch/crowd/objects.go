package crowd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// loadAnnotation tells whether an annotation of a node is written by an annotator, not by the kubelet.
func loadAnnotation(key string) bool {
	return key == "congestion-factor" || strings.HasSuffix(key, "-free-cpu") || strings.HasSuffix(key, "-free-memory")
}

// createNode creates node i as the kubelet would, and annotates it as an annotator would: whoever
// owns which field is in the managedFields.
func (c *Crowd) createNode(ctx context.Context, client kubernetes.Interface, i int) error {
	node := c.Cluster.Nodes[i].DeepCopy()
	node.ObjectMeta = metav1.ObjectMeta{Name: node.Name, Labels: node.Labels, Annotations: node.Annotations}
	load := maps.Clone(node.Annotations)
	maps.DeleteFunc(load, func(key, _ string) bool { return !loadAnnotation(key) })
	maps.DeleteFunc(node.Annotations, func(key, _ string) bool { return loadAnnotation(key) })
	if _, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{FieldManager: "kubelet"}); err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": load}})
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Nodes().Patch(ctx, node.Name, types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: "outrigger-annotate"})
	return err
}

// PodName is the name of pod i.
func PodName(i int) string { return fmt.Sprintf("storefront-7d9c5b6f48-%06d", i) }

// createPod creates pod i, bound already, and fills in its status as the kubelet would.
func (c *Crowd) createPod(ctx context.Context, client kubernetes.Interface, i int) error {
	pod := c.Cluster.Pod.DeepCopy()
	pod.ObjectMeta = metav1.ObjectMeta{Name: PodName(i), Namespace: Namespace, GenerateName: pod.GenerateName,
		Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences}
	pod.Spec.NodeName = c.Cluster.Nodes[i%c.Size.Nodes].Name
	created, err := client.CoreV1().Pods(Namespace).Create(ctx, pod, metav1.CreateOptions{FieldManager: "kube-controller-manager"})
	if err != nil {
		return err
	}
	created.Status = running(i, created)
	_, err = client.CoreV1().Pods(Namespace).UpdateStatus(ctx, created, metav1.UpdateOptions{FieldManager: "kubelet"})
	if err == nil && c.Size.Lean { // one empty entry is how the API is told to drop them all
		_, err = client.CoreV1().Pods(Namespace).Patch(ctx, created.Name, types.MergePatchType,
			[]byte(`{"metadata":{"managedFields":[{}]}}`), metav1.PatchOptions{})
	}
	return err
}

// running is the status of a pod that has started and is ready.
func running(i int, pod *corev1.Pod) corev1.PodStatus {
	started := metav1.NewTime(pod.CreationTimestamp.Add(3 * time.Second))
	address := fmt.Sprintf("172.%d.%d.%d", 20+i/65536, i/256%256, i%256)
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, QOSClass: corev1.PodQOSBurstable, StartTime: &started,
		HostIP: "10.16.0.1", HostIPs: []corev1.HostIP{{IP: "10.16.0.1"}},
		PodIP: address, PodIPs: []corev1.PodIP{{IP: address}},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: pod.Spec.Containers[0].Name, Ready: true, Started: new(true),
			Image:       pod.Spec.Containers[0].Image,
			ImageID:     fmt.Sprintf("images.example.internal/shop/storefront@sha256:%064x", 7),
			ContainerID: fmt.Sprintf("containerd://%064x", i),
			State:       corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
		}},
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodReadyToStartContainers, corev1.PodInitialized,
		corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: started})
	}
	return status
}
