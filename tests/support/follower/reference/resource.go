package reference

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// resource is nodes or pods: how they are asked for, and what is known of them.
type resource struct {
	name  string
	limit limits
	list  func(context.Context, kubernetes.Interface, metav1.ListOptions) (runtime.Object, error)
	watch func(context.Context, kubernetes.Interface, metav1.ListOptions) (watch.Interface, error)

	// All below is guarded by the follower's mutex.
	objects map[string]runtime.Object // nil before the first list
	version string
	fresh   time.Time // when the server was last heard of
	failure error     // of the last attempt
}

func nodes(limit limits) *resource {
	return &resource{name: "nodes", limit: limit,
		list: func(ctx context.Context, c kubernetes.Interface, o metav1.ListOptions) (runtime.Object, error) {
			return c.CoreV1().Nodes().List(ctx, o)
		},
		watch: func(ctx context.Context, c kubernetes.Interface, o metav1.ListOptions) (watch.Interface, error) {
			return c.CoreV1().Nodes().Watch(ctx, o)
		}}
}

func pods(limit limits) *resource {
	return &resource{name: "pods", limit: limit,
		list: func(ctx context.Context, c kubernetes.Interface, o metav1.ListOptions) (runtime.Object, error) {
			return c.CoreV1().Pods("").List(ctx, o)
		},
		watch: func(ctx context.Context, c kubernetes.Interface, o metav1.ListOptions) (watch.Interface, error) {
			return c.CoreV1().Pods("").Watch(ctx, o)
		}}
}

// why says why the resource is not to be trusted; "" if it is.
func (r *resource) why(now time.Time) string {
	switch age := now.Sub(r.fresh); {
	case r.objects == nil:
		return fmt.Sprintf("%s: not listed yet: %v", r.name, r.failure)
	case age > r.limit.staleness:
		return fmt.Sprintf("%s: not heard of for %v: %v", r.name, age.Round(time.Millisecond), r.failure)
	}
	return ""
}

func (r *resource) replace(list runtime.Object) error {
	objects := map[string]runtime.Object{}
	err := meta.EachListItem(list, func(object runtime.Object) error {
		key, err := keyOf(object)
		objects[key] = object
		return err
	})
	if err != nil {
		return err
	}
	of, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	r.objects, r.version = objects, of.GetResourceVersion()
	return nil
}

func (r *resource) apply(event watch.Event) error {
	if event.Type == watch.Error {
		return fmt.Errorf("watch of %s: %v", r.name, event.Object)
	}
	of, err := meta.Accessor(event.Object)
	if err != nil {
		return err
	}
	if event.Type == watch.Bookmark {
		r.version = of.GetResourceVersion()
		return nil
	}
	key, err := keyOf(event.Object)
	if err != nil {
		return err
	}
	switch event.Type {
	case watch.Deleted:
		delete(r.objects, key)
	case watch.Added, watch.Modified:
		r.objects[key] = event.Object
	}
	r.version = of.GetResourceVersion()
	return nil
}

func keyOf(object runtime.Object) (string, error) {
	of, err := meta.Accessor(object)
	if err != nil {
		return "", err
	}
	if of.GetName() == "" {
		return "", errors.New("an object without a name")
	}
	return of.GetNamespace() + "/" + of.GetName(), nil
}

// state are the objects known, as copies share nothing that changes.
func state(nodes, pods *resource) (all []corev1.Node, some []corev1.Pod) {
	for _, object := range nodes.objects {
		all = append(all, *object.(*corev1.Node))
	}
	for _, object := range pods.objects {
		some = append(some, *object.(*corev1.Pod))
	}
	return all, some
}
