// Package crowd fills a real API server with a cluster, nodes and running pods bound to them, as fast
// as the server takes them, and changes pods at a steady rate. The objects are those of package bodies,
// with the status and the managedFields that they get when kubelets and controllers write them.
package crowd

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// Namespace is where all pods are.
const Namespace = "shop"

// connections is how many connections there are to the API server, workers how many requests are
// under way on all of them.
const (
	connections = 8
	workers     = 64
)

// Size is how large a crowd is.
type Size struct {
	Nodes, Pods int
	// Lean pods have no managedFields: about 4 KB of JSON each in place of 7.
	Lean bool
}

// Crowd is a filled API server.
type Crowd struct {
	Size Size
	// Cluster has the nodes, by the seed from which they were made.
	Cluster *bodies.Cluster
	// Took is how long filling took.
	Took time.Duration

	clients  []kubernetes.Interface
	progress func(done int)
	done     atomic.Int64 // objects
}

// byServer is how many nodes and how many pods the API server makes; the others are copies of them.
const byServer = 20

// Fill creates everything on a server, whose etcd is at etcdURL, that has none of it. The API server
// makes the first objects, by the requests of kubelets and controllers; the others are written to etcd
// as it would have made them: a small machine would take a quarter of an hour for 100 000 writes
// through the server. progress, unless nil, is called with the number of objects that are there; it
// must be quick.
func Fill(ctx context.Context, config *rest.Config, etcdURL string, seed uint64, size Size, progress func(done int)) (*Crowd, error) {
	c := &Crowd{Size: size, Cluster: bodies.New(seed, size.Nodes), progress: progress}
	for range connections {
		client, err := newClient(config)
		if err != nil {
			return nil, err
		}
		c.clients = append(c.clients, client)
	}
	store, err := openStore(etcdURL)
	if err != nil {
		return nil, err
	}
	defer store.close()
	began := time.Now()
	if err := c.fill(ctx, store); err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}
	c.Took = time.Since(began)
	return c, nil
}

func (c *Crowd) fill(ctx context.Context, store *store) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if _, err := c.clients[0].CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return err
	}
	nodes, pods := min(byServer, c.Size.Nodes), min(byServer, c.Size.Pods)
	if err := c.each(ctx, 0, nodes, c.createNode); err != nil {
		return err
	}
	if err := c.each(ctx, 0, pods, c.createPod); err != nil {
		return err
	}
	copies, err := newCopies(ctx, c, store)
	if err != nil {
		return err
	}
	if err := c.each(ctx, nodes, c.Size.Nodes, copies.createNode); err != nil {
		return err
	}
	if err := c.each(ctx, pods, c.Size.Pods, copies.createPod); err != nil {
		return err
	}
	return c.verify(ctx)
}

// verify asks the API server, consistently, whether it has everything.
func (c *Crowd) verify(ctx context.Context) error {
	count := func(list *metav1.ListMeta, items int) int {
		if list.RemainingItemCount != nil {
			items += int(*list.RemainingItemCount)
		}
		return items
	}
	nodes, err := c.clients[0].CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	pods, err := c.clients[0].CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	got := Size{count(&nodes.ListMeta, len(nodes.Items)), count(&pods.ListMeta, len(pods.Items)), c.Size.Lean}
	if got != c.Size {
		return fmt.Errorf("the API server has %d nodes and %d pods, want %d and %d", got.Nodes, got.Pods, c.Size.Nodes, c.Size.Pods)
	}
	return nil
}

// newClient returns a client with a connection of its own: client-go shares one between clients whose
// configurations are equal, and a way to dial is equal to no other.
func newClient(config *rest.Config) (kubernetes.Interface, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1 // no limit
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.Dial = (&net.Dialer{}).DialContext
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client of %s: %w", config.Host, err)
	}
	return client, nil
}

// each runs what for begin .. end-1, many at once, and returns the first error.
func (c *Crowd) each(
	ctx context.Context, begin, end int, what func(ctx context.Context, client kubernetes.Interface, i int) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	next.Store(int64(begin))
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < end && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := what(ctx, c.clients[worker%connections], i); err != nil {
					cancel(err)
				}
				if done := int(c.done.Add(1)); c.progress != nil {
					c.progress(done)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}
