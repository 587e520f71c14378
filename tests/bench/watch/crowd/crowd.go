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

	clients []kubernetes.Interface
}

// Fill creates everything; the server must have none of it. progress, unless nil, is called now and
// then with the number of objects that are there; it must be quick.
func Fill(ctx context.Context, config *rest.Config, seed uint64, size Size, progress func(done int)) (*Crowd, error) {
	c := &Crowd{Size: size, Cluster: bodies.New(seed, size.Nodes)}
	for range connections {
		client, err := newClient(config)
		if err != nil {
			return nil, err
		}
		c.clients = append(c.clients, client)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if _, err := c.clients[0].CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}
	began := time.Now()
	if progress == nil {
		progress = func(int) {}
	}
	var done atomic.Int64
	step := func() { progress(int(done.Add(1))) }
	if err := c.each(ctx, size.Nodes, func(ctx context.Context, client kubernetes.Interface, i int) error {
		defer step()
		return c.createNode(ctx, client, i)
	}); err != nil {
		return nil, err
	}
	if err := c.each(ctx, size.Pods, func(ctx context.Context, client kubernetes.Interface, i int) error {
		defer step()
		return c.createPod(ctx, client, i)
	}); err != nil {
		return nil, err
	}
	c.Took = time.Since(began)
	return c, nil
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

// each runs what for 0 .. count-1, many at once, and returns the first error.
func (c *Crowd) each(
	ctx context.Context, count int, what func(ctx context.Context, client kubernetes.Interface, i int) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := what(ctx, c.clients[worker%connections], i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return fmt.Errorf("fill: %w", context.Cause(ctx))
	}
	return nil
}
