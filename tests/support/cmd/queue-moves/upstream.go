package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "unsafe" // go:linkname

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	clocktesting "k8s.io/utils/clock/testing"
)

// What the queue's own goroutines call: the one every second, the other every 30 s of real time, by which no fake
// clock goes. linkname.s lets these have no body.

//go:linkname flushBackoff k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoff(*queue.PriorityQueue, klog.Logger)

//go:linkname flushLeftovers k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func flushLeftovers(*queue.PriorityQueue, klog.Logger)

const leftoversEvery = 30 * time.Second

// switchGatesOff: the lab's queue does not take pods out of their backoff when it has nothing else to do.
func switchGatesOff() error {
	return utilfeature.DefaultMutableFeatureGate.Set("SchedulerPopFromBackoffQ=false")
}

// registration is what a plugin of the rows asks for.
type registration struct {
	Plugin   string   `json:"plugin"`
	Resource string   `json:"resource"`
	Actions  []string `json:"actions"`
}

// registered: Silent waits for nothing.
var registered = []registration{
	{"Number", "Node", []string{"Add"}},
	{"Taints", "Node", []string{"Add", "UpdateNodeTaint"}},
	{"Taints", "Pod", []string{"UpdatePodToleration"}},
	{"Labels", "Node", []string{"UpdateNodeLabel"}},
	{"Labels", "Pod", []string{"UpdatePodLabel"}},
	{"Room", "Node", []string{"Add", "UpdateNodeAllocatable"}},
	{"Room", "AssignedPod", []string{"Delete"}},
}

var actions = map[string]fwk.ActionType{
	"Add": fwk.Add, "Delete": fwk.Delete, "UpdateNodeAllocatable": fwk.UpdateNodeAllocatable,
	"UpdateNodeLabel": fwk.UpdateNodeLabel, "UpdateNodeTaint": fwk.UpdateNodeTaint,
	"UpdateNodeAnnotation": fwk.UpdateNodeAnnotation, "UpdatePodLabel": fwk.UpdatePodLabel,
	"UpdatePodToleration":                fwk.UpdatePodToleration,
	"UpdatePodSchedulingGatesEliminated": fwk.UpdatePodSchedulingGatesEliminated,
}

// Pod is the pod itself: what happens to a pod without a node helps that one.
var resources = map[string]fwk.EventResource{
	"Node": fwk.Node, "AssignedPod": fwk.AssignedPod, "Pod": fwk.TargetPod,
}

func hints() queue.QueueingHintMap {
	hints := queue.QueueingHintMap{}
	for _, r := range registered {
		event := fwk.ClusterEvent{Resource: resources[r.Resource]}
		for _, action := range r.Actions {
			event.ActionType |= actions[action]
		}
		hints[event] = append(hints[event], &queue.QueueingHintFunction{PluginName: r.Plugin, QueueingHintFn: hint})
	}
	return hints
}

// hint is what plugins do that look at the pod which has changed: they ask whether it is theirs.
func hint(_ klog.Logger, pod *v1.Pod, _, now interface{}) (fwk.QueueingHint, error) {
	if changed, ok := now.(*v1.Pod); ok && changed.Spec.NodeName == "" && changed.UID != pod.UID {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

// player plays the scheduler and the informers around upstream's queue.
type player struct {
	queue   *queue.PriorityQueue
	clock   *clocktesting.FakeClock
	passed  time.Duration
	stop    context.CancelFunc
	cluster map[string]*v1.Pod // by name, as the informer has them
	flights map[string]*framework.QueuedPodInfo
}

const schedulerName = "lab"

func newPlayer() *player {
	ctx, stop := context.WithCancel(context.Background())
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	q := queue.NewTestQueue(ctx, less, queue.WithClock(clock),
		queue.WithQueueingHintMapPerProfile(queue.QueueingHintMapPerProfile{schedulerName: hints()}))
	return &player{queue: q, clock: clock, stop: stop, cluster: map[string]*v1.Pod{},
		flights: map[string]*framework.QueuedPodInfo{}}
}

// less: first come, first served; at the same time by name, since upstream has no order among equals.
func less(a, b fwk.QueuedEntityInfo) bool {
	if !a.GetTimestamp().Equal(b.GetTimestamp()) {
		return a.GetTimestamp().Before(b.GetTimestamp())
	}
	return a.(framework.QueuedEntityInfo).GetName() < b.(framework.QueuedEntityInfo).GetName()
}

// play fills in what follows from each step.
func play(row *row) {
	p := newPlayer()
	defer p.stop()
	for i := range row.Steps {
		p.do(&row.Steps[i])
		row.Steps[i].Then = p.parts()
	}
}

func nameOf(uid string) string { return strings.TrimRight(uid, "0123456789") }

func newPod(uid string) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: nameOf(uid), Namespace: "default", UID: types.UID(uid)},
		Spec:       v1.PodSpec{SchedulerName: schedulerName},
	}
}

func (p *player) do(s *step) {
	logger := klog.Background()
	switch s.Do {
	case "add":
		pod := newPod(s.Pod)
		p.cluster[pod.Name] = pod
		p.queue.Add(context.Background(), pod)
	case "pop":
		if len(p.queue.PodsInActiveQ()) == 0 {
			must(errors.New("pop would wait for ever")) // a row that expects too much
		}
		entity, err := p.queue.Pop(logger)
		must(err)
		info := entity.(*framework.QueuedPodInfo)
		s.Pod = string(info.Pod.UID)
		p.flights[s.Pod] = info
	case "fail":
		p.fail(s.Pod, s.Plugins)
	case "done":
		delete(p.flights, s.Pod)
		if pod := p.cluster[nameOf(s.Pod)]; pod != nil && string(pod.UID) == s.Pod {
			delete(p.cluster, pod.Name) // it has a node: no pod that waits
		}
		p.queue.Done(types.UID(s.Pod))
	case "update":
		p.update(s.Pod, s.Changes)
	case "delete", "bound":
		pod := p.cluster[nameOf(s.Pod)]
		delete(p.cluster, pod.Name)
		if s.Do == "bound" {
			pod = pod.DeepCopy()
			pod.Spec.NodeName = "n"
			p.cluster[pod.Name] = pod
		}
		p.queue.Delete(logger, pod)
	case "event":
		event := fwk.ClusterEvent{Resource: resources[s.Resource], ActionType: actions[s.Action]}
		p.queue.MoveAllToActiveOrBackoffQueue(logger, event, nil, nil, nil)
	case "advance":
		p.advance(time.Duration(s.Ms) * time.Millisecond)
	default:
		must(fmt.Errorf("step %q", s.Do))
	}
}

// fail does what handleSchedulingFailure (pkg/scheduler/schedule_one.go) does.
func (p *player) fail(uid string, plugins []string) {
	info := p.flights[uid].DeepCopy()
	delete(p.flights, uid)
	info.ClearRejectorPlugins()
	info.UnschedulablePlugins = sets.New(plugins...)
	cached := p.cluster[nameOf(uid)]
	if cached == nil || cached.UID != info.Pod.UID || cached.Spec.NodeName != "" {
		p.queue.Done(info.Pod.UID)
		return
	}
	var err error
	info.PodInfo, err = framework.NewPodInfo(cached.DeepCopy())
	must(err)
	must(p.queue.AddUnschedulablePodIfNotPresent(klog.Background(), info, p.queue.SchedulingCycle()))
}

func (p *player) update(uid string, changes []string) {
	before := p.cluster[nameOf(uid)]
	after := before.DeepCopy()
	for _, change := range changes {
		switch change {
		case "labels":
			metav1.SetMetaDataLabel(&after.ObjectMeta, "l", before.Labels["l"]+"x")
		case "annotations":
			metav1.SetMetaDataAnnotation(&after.ObjectMeta, "a", before.Annotations["a"]+"x")
		case "tolerations":
			after.Spec.Tolerations = append(after.Spec.Tolerations, v1.Toleration{Operator: v1.TolerationOpExists})
		}
	}
	p.cluster[after.Name] = after
	p.queue.Update(context.Background(), before, after)
}

// advance looks at leftovers when it is time to, and at backoffs at the end: the lab's queue ends them when they are
// over, upstream's within the second.
func (p *player) advance(by time.Duration) {
	until := p.passed + by
	for next := p.passed.Truncate(leftoversEvery) + leftoversEvery; next <= until; next += leftoversEvery {
		p.stepTo(next)
		flushLeftovers(p.queue, klog.Background())
	}
	p.stepTo(until)
}

func (p *player) stepTo(when time.Duration) {
	p.clock.Step(when - p.passed)
	p.passed = when
	flushBackoff(p.queue, klog.Background())
}

// parts says where each pod is. No row may bring a pod into two parts, which upstream does, without
// SchedulerPopFromBackoffQ, where a pod in its backoff changes in two ways and the second one does not help: it
// is put into backoff for the first and into unschedulable for the second.
func (p *player) parts() map[string]string {
	parts := map[string]string{}
	put := func(part string, pods []*v1.Pod) {
		for _, pod := range pods {
			if there, ok := parts[string(pod.UID)]; ok {
				must(fmt.Errorf("%s is %s and %s", pod.UID, there, part))
			}
			parts[string(pod.UID)] = part
		}
	}
	put("active", p.queue.PodsInActiveQ())
	put("backoff", p.queue.PodsInBackoffQ())
	put("unschedulable", p.queue.UnschedulablePods())
	put("in flight", p.queue.InFlightPods())
	return parts
}
