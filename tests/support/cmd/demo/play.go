package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/support/kube"
)

// patience is how long one pod may take that takes a second or two on a quiet machine.
const patience = 60 * time.Second

// report is how the promises of the scenario were kept.
type report struct {
	promises int
	broken   []string
}

func (r *report) promise(kept bool, format string, values ...any) {
	r.promises++
	if !kept {
		r.broken = append(r.broken, fmt.Sprintf(format, values...))
	}
}

// play creates the pods one after another, shows the words that were said about each, and judges
// where each ended.
func play(ctx context.Context, s *stage, out *printer) (*report, error) {
	r := &report{}
	for _, spec := range podSpecs {
		progress("pod " + spec.name)
		pod := spec.build()
		if _, err := s.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
		if err := s.show(ctx, spec, isDecided, out, r); err != nil {
			return nil, err
		}
	}
	return r, s.cure(ctx, out, r)
}

// cure does to a node what its monitor would, so that the pending pod fits.
func (s *stage) cure(ctx context.Context, out *printer, r *report) error {
	out.cure()
	progress("pod " + curedPod)
	// A monitor writes again and again. The scheduler may hear of the first writing before the agent, and just when it
	// tries the pod a second time: then only later news wakes the pod.
	for value := cureValue; value < cureValue+10; value++ {
		if err := s.annotate(ctx, cureNode, cureKey, strconv.Itoa(value)); err != nil {
			return err
		}
		if s.boundWithin(ctx, curedPod, time.Second) {
			break
		}
	}
	for _, spec := range podSpecs {
		if spec.name == curedPod {
			spec.node = cureNode
			return s.show(ctx, spec, isBound, out, r)
		}
	}
	return fmt.Errorf("no pod %s in the scenario", curedPod)
}

// show waits until the pod is decided, prints its rows and checks its promise.
func (s *stage) show(
	ctx context.Context, spec podSpec, decided func(*corev1.Pod) bool, out *printer, r *report,
) error {
	pod, err := s.until(ctx, spec.name, decided)
	if err != nil {
		return err
	}
	calls, err := s.recorder.Calls()
	if err != nil {
		return err
	}
	attempts := attemptsOf(spec.name, calls)
	if len(attempts) == 0 {
		return fmt.Errorf("pod %s was decided without a call to any agent", spec.name)
	}
	last := attempts[len(attempts)-1]
	out.pod(spec, last, pod)
	if spec.node == "" {
		r.judgePending(spec, last, pod)
	} else {
		r.judgePlaced(spec, last, pod)
	}
	return nil
}

func (r *report) judgePlaced(spec podSpec, said attempt, pod *corev1.Pod) {
	r.promise(pod.Spec.NodeName == spec.node, "pod %s is on %q, want %s", spec.name, pod.Spec.NodeName, spec.node)
	r.promise(slices.Equal(said.best(), []string{spec.node}),
		"pod %s: the agents' words favour %v, want %s alone", spec.name, said.best(), spec.node)
}

func (r *report) judgePending(spec podSpec, said attempt, pod *corev1.Pod) {
	condition := kube.Condition(pod, corev1.PodScheduled)
	r.promise(pod.Spec.NodeName == "" && condition.Reason == corev1.PodReasonUnschedulable,
		"pod %s is on %q with condition %s, want pending", spec.name, pod.Spec.NodeName, condition.Reason)
	reasons := 0
	for node, w := range said {
		if w.reason == "" {
			continue
		}
		reasons++
		r.promise(strings.Contains(condition.Message, w.reason),
			"pod %s: its condition lacks what was said of %s: %s", spec.name, node, w.reason)
	}
	r.promise(reasons > 0 && len(said.best()) == 0, "pod %s: %d nodes rejected, %v left", spec.name, reasons, said.best())
}

func (s *stage) until(ctx context.Context, name string, condition func(*corev1.Pod) bool) (*corev1.Pod, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var pod *corev1.Pod
	err := s.tracker.Until(limited, func() bool {
		pod = s.tracker.Pod(metav1.NamespaceDefault, name)
		return pod != nil && condition(pod)
	})
	if err == nil || ctx.Err() != nil {
		return pod, err
	}
	if exit := s.scheduler.ExitError(); exit != nil {
		return nil, exit
	}
	return nil, fmt.Errorf("pod %s: %w", name, err)
}

func (s *stage) boundWithin(ctx context.Context, name string, limit time.Duration) bool {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return s.tracker.Until(limited, func() bool {
		pod := s.tracker.Pod(metav1.NamespaceDefault, name)
		return pod != nil && isBound(pod)
	}) == nil
}

func (s *stage) annotate(ctx context.Context, node, key, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{key: value}}})
	if err != nil {
		return err
	}
	_, err = s.cluster.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func isBound(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" }

// isDecided also holds for a pod of which the scheduler has said why it is nowhere.
func isDecided(pod *corev1.Pod) bool {
	return isBound(pod) || kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
}
