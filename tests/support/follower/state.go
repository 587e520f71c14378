package follower

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/kube"
)

// State is what the API server has.
type State struct {
	Nodes []corev1.Node
	Pods  []corev1.Pod
}

// Read reads the state past every cache: lists without a resource version are consistent.
func Read(ctx context.Context, client kubernetes.Interface) (*State, error) {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("read pods: %w", err)
	}
	return &State{nodes.Items, pods.Items}, nil
}

// UntilEqual waits until the follower knows what the server has; the error has the differences.
func (f *Follower) UntilEqual(ctx context.Context, client kubernetes.Interface, limit time.Duration) error {
	return kube.Eventually(ctx, limit, func(ctx context.Context) error {
		state, err := Read(ctx, client)
		if err != nil {
			return err
		}
		dump, err := f.Dump()
		if err != nil {
			return err
		}
		if differences := state.Differences(dump); len(differences) > 0 {
			return fmt.Errorf("the follower differs from the server:\n  %s\nend of its log:\n%s",
				strings.Join(differences[:min(20, len(differences))], "\n  "), f.LogTail())
		}
		return nil
	})
}

// UntilReady waits until the follower says that it is ready, or that it is not.
func (f *Follower) UntilReady(ctx context.Context, want bool, limit time.Duration) (Readiness, error) {
	var last Readiness
	return last, kube.Eventually(ctx, limit, func(context.Context) error {
		var err error
		if last, err = f.Ready(); err != nil {
			return err
		}
		if last.Ready != want {
			return fmt.Errorf("ready: %t %q, want %t; end of the follower's log:\n%s", last.Ready, last.Reasons, want, f.LogTail())
		}
		return nil
	})
}
