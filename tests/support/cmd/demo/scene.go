package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// scene is a stage on which the same pods are shown twice: with the scheduler alone, then with an agent.
type scene struct {
	*stage
	out *printer
	report
}

// startScene starts a control plane with these nodes and a scheduler without agents. The caller stops it.
func startScene(ctx context.Context, nodes []*corev1.Node) (*scene, error) {
	return openScene(ctx, nodes, func(ctx context.Context, s *stage) error { return s.startScheduler(ctx) })
}

// openScene starts a control plane with these nodes, and then does as start says. The caller stops it.
func openScene(
	ctx context.Context, nodes []*corev1.Node, start func(context.Context, *stage) error,
) (*scene, error) {
	binary := os.Getenv(outrigger.BinaryEnv)
	if binary == "" {
		return nil, fmt.Errorf("%s is not set: run scripts/demo", outrigger.BinaryEnv)
	}
	s, err := startStage(ctx, binary, nodes, start)
	if err != nil {
		return nil, err
	}
	return &scene{stage: s, out: newPrinter(os.Stdout)}, nil
}

func (s *scene) title(text string) {
	s.out.line("")
	s.out.line("%s", s.out.in(bold, text))
}

func (s *scene) wait(ctx context.Context, what string, condition func() bool) error {
	progress("until " + what)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := s.tracker.Until(limited, condition)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if exit := s.scheduler.ExitError(); exit != nil {
		return exit
	}
	return fmt.Errorf("not in %s: %s", patience, what)
}

// create creates a pod, and waits for a condition of it.
func (s *scene) create(ctx context.Context, pod *corev1.Pod, condition func(*corev1.Pod) bool) error {
	if _, err := s.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := s.until(ctx, pod.Name, condition)
	return err
}

// remove deletes a pod of the namespace default, as if its work were done.
func (s *scene) remove(ctx context.Context, name string) error {
	now := int64(0)
	return s.cluster.Client.CoreV1().Pods(metav1.NamespaceDefault).Delete(ctx, name,
		metav1.DeleteOptions{GracePeriodSeconds: &now})
}

// elapsed is for times in the output.
func elapsed(began time.Time) string { return fmt.Sprintf("%6.2f s", time.Since(began).Seconds()) }
