package containers

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StartReplica makes one more pod of a Deployment, as its controller would, and starts it. The API server admits the pod
// and adds the defaults; it goes to the node past every scheduler.
func (n *Node) StartReplica(ctx context.Context, deployment *appsv1.Deployment) (*Pod, error) {
	template := deployment.Spec.Template
	pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	pod.Name, pod.Namespace = fmt.Sprintf("%s-%d", deployment.Name, n.replicas.Add(1)), deployment.Namespace
	pod.Spec.NodeName = "of-containers"
	made, err := n.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("pod of Deployment %s: %w", deployment.Name, err)
	}
	return n.Start(ctx, made)
}

// Delete stops a pod and deletes it in the API server; see Stop.
func (p *Pod) Delete(ctx context.Context) ([]Exit, error) {
	exits, err := p.Stop()
	if err != nil {
		return exits, err
	}
	return exits, p.node.client.CoreV1().Pods(p.Namespace).Delete(ctx, p.Name,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(p.UID))})
}
