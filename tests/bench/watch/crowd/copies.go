package crowd

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
)

// copies writes what is like an object that the API server has made, past the server.
type copies struct {
	crowd *Crowd
	store *store
	node  *corev1.Node
	pod   *corev1.Pod
}

// newCopies takes the models: the first objects that the server has made.
func newCopies(ctx context.Context, crowd *Crowd, store *store) (*copies, error) {
	node, err := first[*corev1.Node](ctx, store, nodePrefix)
	if err != nil {
		return nil, err
	}
	pod, err := first[*corev1.Pod](ctx, store, podPrefix)
	return &copies{crowd, store, node, pod}, err
}

// createNode writes node i with the metadata that the server gave the model.
func (c *copies) createNode(ctx context.Context, _ kubernetes.Interface, i int) error {
	node := c.crowd.Cluster.Nodes[i].DeepCopy()
	node.ObjectMeta = metav1.ObjectMeta{Name: node.Name, Labels: node.Labels, Annotations: node.Annotations,
		UID: uuid.NewUUID(), CreationTimestamp: c.node.CreationTimestamp, ManagedFields: c.node.ManagedFields}
	value, err := encode("Node", node)
	if err != nil {
		return err
	}
	return c.store.put(ctx, nodePrefix+node.Name, value)
}

// createPod writes pod i: the model with what differs between pods.
func (c *copies) createPod(ctx context.Context, _ kubernetes.Interface, i int) error {
	pod := c.pod.DeepCopy()
	pod.Name, pod.UID = PodName(i), uuid.NewUUID()
	pod.Spec.NodeName = c.crowd.Cluster.Nodes[i%c.crowd.Size.Nodes].Name
	pod.Status = running(i, pod)
	value, err := encode("Pod", pod)
	if err != nil {
		return err
	}
	return c.store.put(ctx, podPrefix+pod.Name, value)
}
