// Package queuewatch judges from outside whether pods are let through in their order. An Observer sees
// what everybody can see, the watches of pods and nodes, and by a proxy the calls between scheduler and
// agent. It shares no code with the program.
package queuewatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// life is what is known of one pod.
type life struct {
	pod         *corev1.Pod // newest
	seen, ready time.Time   // first seen; first seen without scheduling gates
	node        string
	bound       time.Time
	leaving     time.Time // its deletion began
	gone        time.Time // deleted or ended
	filters     []Call
}

// Observer records pods, nodes and calls. Its methods are safe for concurrent use.
type Observer struct {
	now func() time.Time

	mutex sync.Mutex
	lives map[string]*life // by UID
	nodes map[string]*corev1.Node
	calls []Call
}

func newObserver(now func() time.Time) *Observer {
	return &Observer{now: now, lives: map[string]*life{}, nodes: map[string]*corev1.Node{}}
}

// Start starts an observer that ends with ctx. It knows all pods and nodes of now when it returns.
func Start(ctx context.Context, client kubernetes.Interface) (*Observer, error) {
	o := newObserver(time.Now)
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler(o.see, o.lose))
	if err != nil {
		return nil, fmt.Errorf("observer: %w", err)
	}
	nodes, err := factory.Core().V1().Nodes().Informer().AddEventHandler(handler(o.seeNode, func(*corev1.Node) {}))
	if err != nil {
		return nil, fmt.Errorf("observer: %w", err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced, nodes.HasSynced) {
		return nil, fmt.Errorf("observer: first list: %w", ctx.Err())
	}
	return o, nil
}

func handler[T any](see, lose func(object T)) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { see(object.(T)) },
		UpdateFunc: func(_, object any) { see(object.(T)) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			lose(object.(T))
		},
	}
}

func (o *Observer) see(pod *corev1.Pod) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	now := o.now()
	l := o.lives[string(pod.UID)]
	if l == nil {
		l = &life{seen: now}
		o.lives[string(pod.UID)] = l
	}
	l.pod = pod
	if l.ready.IsZero() && len(pod.Spec.SchedulingGates) == 0 {
		l.ready = now
	}
	if l.node == "" && pod.Spec.NodeName != "" {
		l.node, l.bound = pod.Spec.NodeName, now
	}
	if l.leaving.IsZero() && pod.DeletionTimestamp != nil {
		l.leaving = now
	}
	if l.gone.IsZero() && (pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded) {
		l.leaving, l.gone = now, now
	}
}

func (o *Observer) lose(pod *corev1.Pod) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	l := o.lives[string(pod.UID)]
	if l == nil || !l.gone.IsZero() {
		return
	}
	l.gone = o.now()
	if l.leaving.IsZero() {
		l.leaving = l.gone
	}
}

func (o *Observer) seeNode(node *corev1.Node) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.nodes[node.Name] = node
}

func (o *Observer) note(call Call) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.calls = append(o.calls, call)
}

// Calls returns a copy of the record of one verb, in the order of the answers; "" is every verb.
func (o *Observer) Calls(verb string) []Call {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	var calls []Call
	for _, call := range o.calls {
		if verb == "" || call.Verb == verb {
			calls = append(calls, call)
		}
	}
	return calls
}

// History returns the calls about one pod, a line each, for a failure message.
func (o *Observer) History(pod string) string {
	var lines []string
	for _, call := range o.Calls("") {
		if call.Pod == pod {
			lines = append(lines, fmt.Sprintf("%s %s passed %v %s", call.Answered.Format("15:04:05.000"), call.Verb,
				call.Passed, call.Error))
		}
	}
	return strings.Join(lines, "\n")
}

// CallsPerBound returns how many filter calls there were for each pod that was bound after one.
func (o *Observer) CallsPerBound() float64 {
	bound := 0
	o.mutex.Lock()
	for _, l := range o.settled() {
		if len(l.filters) > 0 && l.node != "" {
			bound++
		}
	}
	o.mutex.Unlock()
	if bound == 0 {
		return 0
	}
	return float64(len(o.Calls("filter"))) / float64(bound)
}

// Refills returns for each place that became free how long it took until a pod was seen bound to its node,
// in ascending order. A binding fills the oldest free place of its node that was free before it.
func (o *Observer) Refills() []time.Duration {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	freed, filled := map[string][]time.Time{}, map[string][]time.Time{}
	for _, l := range o.lives {
		if l.node != "" && !l.gone.IsZero() {
			freed[l.node] = append(freed[l.node], l.gone)
		}
		if l.node != "" && l.bound.After(l.seen) {
			filled[l.node] = append(filled[l.node], l.bound)
		}
	}
	var took []time.Duration
	for node, times := range freed {
		slices.SortFunc(times, time.Time.Compare)
		slices.SortFunc(filled[node], time.Time.Compare)
		bindings := filled[node]
		for _, at := range times {
			for len(bindings) > 0 && !bindings[0].After(at) {
				bindings = bindings[1:]
			}
			if len(bindings) == 0 {
				break
			}
			took = append(took, bindings[0].Sub(at))
			bindings = bindings[1:]
		}
	}
	slices.Sort(took)
	return took
}

// Freed returns when places of a node became free.
func (o *Observer) Freed(node string) (times []time.Time) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, l := range o.lives {
		if l.node == node && !l.gone.IsZero() {
			times = append(times, l.gone)
		}
	}
	return times
}

// Median returns the middle of sorted times; 0 if there is none.
func Median(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// settled returns all lives with their filter calls. The mutex is held.
func (o *Observer) settled() map[string]*life {
	for _, l := range o.lives {
		l.filters = nil
	}
	for _, call := range o.calls {
		if l := o.lives[call.UID]; l != nil && call.Verb == "filter" {
			l.filters = append(l.filters, call)
		}
	}
	return o.lives
}
