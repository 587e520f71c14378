package crowd

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
)

// SentAnnotation carries the time at which the change of a pod was sent, as RFC3339Nano, always with
// nine digits.
const SentAnnotation = "bench.outrigger/sent"

// sentFormat has one length for all times, so that the bytes of a pod need no encoding anew.
const sentFormat = "2006-01-02T15:04:05.000000000Z"

// changedPods is how many pods take turns in changing.
const changedPods = 2000

// Changer changes pods past kube-apiserver, in etcd: 1000 writes per second through the server would
// take all of a small machine, and what is to be measured is those who follow it. The server sees the
// changes as those of another server of the same cluster, and so does who watches.
type Changer struct {
	store *store
	pods  []storedPod
}

// storedPod is a pod as etcd has it, with the place of the time in it.
type storedPod struct {
	key  string
	head []byte // up to the time
	tail []byte
}

// NewChanger prepares to change pods of the crowd, in the etcd at url. The caller closes it.
func NewChanger(ctx context.Context, url string) (*Changer, error) {
	store, err := openStore(url)
	if err != nil {
		return nil, err
	}
	c := &Changer{store: store}
	stored, err := store.client.Get(ctx, podPrefix, clientv3.WithPrefix(), clientv3.WithLimit(changedPods))
	if err == nil {
		err = c.addAll(stored)
	}
	if err != nil {
		store.close()
		return nil, fmt.Errorf("pods in etcd: %w", err)
	}
	return c, nil
}

// Pods is how many pods take turns in changing.
func (c *Changer) Pods() int { return len(c.pods) }

// Close ends the connection to etcd.
func (c *Changer) Close() { c.store.close() }

func (c *Changer) addAll(stored *clientv3.GetResponse) error {
	for _, each := range stored.Kvs {
		if err := c.add(string(each.Key), each.Value); err != nil {
			return err
		}
	}
	if len(c.pods) == 0 {
		return fmt.Errorf("none in namespace %s", Namespace)
	}
	return nil
}

// add takes a pod, with an annotation of its own for the time.
func (c *Changer) add(key string, value []byte) error {
	pod, err := decode[*corev1.Pod](key, value)
	if err != nil {
		return err
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[SentAnnotation] = sentFormat
	encoded, err := encode("Pod", pod)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	head, tail, found := bytes.Cut(encoded, []byte(sentFormat))
	if !found {
		return fmt.Errorf("%s: the annotation is lost", key)
	}
	c.pods = append(c.pods, storedPod{key, slices.Clone(head), slices.Clone(tail)})
	return nil
}

func (c *Changer) changeOne(ctx context.Context, i int, sent time.Time) error {
	pod := &c.pods[i%len(c.pods)]
	value := slices.Concat(pod.head, []byte(sent.UTC().Format(sentFormat)), pod.tail)
	return c.store.put(ctx, pod.key, value)
}
