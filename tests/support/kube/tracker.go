package kube

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
)

// Binding is one pod seen to have got a node, at the time at which the watch showed it.
type Binding struct {
	Namespace, Name, UID, Node string
	At                         time.Time
}

// Steps are when the watch showed what leads to a pod's binding; zero: it has not.
type Steps struct {
	Nominated time.Time // first
	Released  time.Time // its last scheduling gate was gone
}

// Failure is one reason for which a scheduler said that it could not place a pod.
type Failure struct{ Namespace, Name, Reason, Message string }

// Tracker watches all pods and records every binding, and every change of the reason why a pod is
// not scheduled, in the order in which the watch showed them. A pod that was bound twice (to
// another node) would be in the record twice. Its methods are safe
// for concurrent use; pods that it hands out are shared and must not be changed.
type Tracker struct {
	mutex    sync.Mutex
	pods     map[string]*corev1.Pod // by namespace/name
	nodeOf   map[string]string      // by UID
	steps    map[string]Steps       // by UID
	bindings []Binding
	failures []Failure
	changed  chan struct{} // closed and replaced by every event
}

// TrackPods starts a tracker that knows all pods of now when it returns and ends with ctx.
func TrackPods(ctx context.Context, client kubernetes.Interface) (*Tracker, error) {
	t := &Tracker{pods: map[string]*corev1.Pod{}, nodeOf: map[string]string{}, steps: map[string]Steps{},
		changed: make(chan struct{})}
	if err := followPods(ctx, client, t.set, t.remove); err != nil {
		return nil, fmt.Errorf("track pods: %w", err)
	}
	return t, nil
}

// Pod returns a pod, nil if there is none.
func (t *Tracker) Pod(namespace, name string) *corev1.Pod {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.pods[namespace+"/"+name]
}

// Pods returns all pods in order of namespace and name.
func (t *Tracker) Pods() []*corev1.Pod {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	pods := make([]*corev1.Pod, 0, len(t.pods))
	for _, pod := range t.pods {
		pods = append(pods, pod)
	}
	sort.Slice(pods, func(a, b int) bool {
		if pods[a].Namespace != pods[b].Namespace {
			return pods[a].Namespace < pods[b].Namespace
		}
		return pods[a].Name < pods[b].Name
	})
	return pods
}

// Bindings returns a copy of the record.
func (t *Tracker) Bindings() []Binding {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return append([]Binding(nil), t.bindings...)
}

// Steps returns those of the pod with a UID.
func (t *Tracker) Steps(uid string) Steps {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.steps[uid]
}

// BindingCount is how many Bindings there are.
func (t *Tracker) BindingCount() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return len(t.bindings)
}

// Failures returns a copy of the record of failures.
func (t *Tracker) Failures() []Failure {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return append([]Failure(nil), t.failures...)
}

// Until blocks until condition holds; it is asked at once and after every event. An error means
// that ctx ended first, and carries the last state of the pods.
func (t *Tracker) Until(ctx context.Context, condition func() bool) error {
	for {
		t.mutex.Lock()
		changed := t.changed
		t.mutex.Unlock()
		if condition() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%w; pods: %s", ctx.Err(), Summary(t.Pods()))
		}
	}
}

func (t *Tracker) set(pod *corev1.Pod) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	key := pod.Namespace + "/" + pod.Name
	before, now := Condition(t.pods[key], corev1.PodScheduled), Condition(pod, corev1.PodScheduled)
	if now.Status == corev1.ConditionFalse && (now.Reason != before.Reason || now.Message != before.Message) {
		t.failures = append(t.failures, Failure{pod.Namespace, pod.Name, now.Reason, now.Message})
	}
	t.step(t.pods[key], pod)
	t.pods[key] = pod
	if node := pod.Spec.NodeName; node != t.nodeOf[string(pod.UID)] {
		t.nodeOf[string(pod.UID)] = node
		t.bindings = append(t.bindings, Binding{pod.Namespace, pod.Name, string(pod.UID), node, time.Now()})
	}
	t.wake()
}

func (t *Tracker) step(before, pod *corev1.Pod) {
	steps := t.steps[string(pod.UID)]
	if steps.Nominated.IsZero() && pod.Status.NominatedNodeName != "" {
		steps.Nominated = time.Now()
	}
	if before != nil && len(before.Spec.SchedulingGates) > 0 && len(pod.Spec.SchedulingGates) == 0 {
		steps.Released = time.Now()
	}
	if steps != (Steps{}) {
		t.steps[string(pod.UID)] = steps
	}
}

func (t *Tracker) remove(pod *corev1.Pod) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if now := t.pods[pod.Namespace+"/"+pod.Name]; now != nil && now.UID == pod.UID {
		delete(t.pods, pod.Namespace+"/"+pod.Name)
	}
	t.wake()
}

func (t *Tracker) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}
