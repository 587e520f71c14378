package standin

import (
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// End is how one run of a container ends.
type End struct {
	// After is the time from its start; below 0: it runs on.
	After time.Duration
	// ExitCode is what it ends with.
	ExitCode int32
	// Reason is "Completed" or "Error", by the exit code, unless it is set ("OOMKilled").
	Reason string
	// NoStart is the reason for which the container cannot be made ("ImagePullBackOff"): it waits with
	// this reason for After, and is then tried again. The restart count stays.
	NoStart string
}

// RunsOn is the end of a container that does not end.
var RunsOn = End{After: -1}

// Script says how a container's run ends, by the pod (its node is in the spec) and the number of restarts
// before; it is asked once for each run.
type Script func(pod *corev1.Pod, container string, restarts int32) End

// Backoff says how long a container that has ended waits before it is started again: a container ends for
// the first time and is started at once, then after First, twice that, and so on, at most after Most. A run
// that lasted twice as long as Most begins this again. The zero value is what kubelets do: 10 s and 300 s.
type Backoff struct{ First, Most time.Duration }

// runs is what the containers of all scripted pods do.
type runs struct {
	backoff Backoff

	mutex sync.Mutex
	pods  map[string]*podRuns // by namespace/name
}

type podRuns struct {
	uid types.UID
	// What the pod has once and for all: a status that was written a moment ago may not have come back yet.
	address string
	began   *metav1.Time

	containers []*containerRun
}

// containerRun is one container: it runs until next, or waits until next. The API has whole seconds, so
// the times that count are kept here.
type containerRun struct {
	name     string
	restarts int32
	started  time.Time // zero: it waits
	next     time.Time // zero: for ever
	end      End       // of the run or of the attempt to start it
	wait     time.Duration
	last     *corev1.ContainerStateTerminated
	over     bool // and not to be started again
}

func newRuns(backoff Backoff) runs {
	if backoff.First == 0 {
		backoff.First = 10 * time.Second
	}
	if backoff.Most == 0 {
		backoff.Most = 300 * time.Second
	}
	return runs{backoff: backoff, pods: map[string]*podRuns{}}
}

func (r *runs) forget(key string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.pods, key)
}

// of returns the runs of a pod, new ones for a pod that was not seen yet.
func (r *runs) of(pod *corev1.Pod, script Script, now time.Time) *podRuns {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := pod.Namespace + "/" + pod.Name
	p := r.pods[key]
	if p == nil || p.uid != pod.UID {
		p = &podRuns{uid: pod.UID}
		for _, container := range pod.Spec.Containers {
			c := &containerRun{name: container.Name}
			c.start(pod, script, now)
			p.containers = append(p.containers, c)
		}
		r.pods[key] = p
	}
	return p
}

// start begins a run, or an attempt that fails.
func (c *containerRun) start(pod *corev1.Pod, script Script, at time.Time) {
	c.end = script(pod, c.name, c.restarts)
	c.started, c.next = at, time.Time{}
	if c.end.After >= 0 {
		c.next = at.Add(c.end.After)
	}
	if c.end.NoStart != "" {
		c.started = time.Time{}
	}
}

// advance does what is due, one step at a time: who watches sees each state.
func (c *containerRun) advance(pod *corev1.Pod, script Script, backoff Backoff, now time.Time) {
	if c.over || c.next.IsZero() || now.Before(c.next) {
		return
	}
	at := c.next
	switch {
	case !c.started.IsZero():
		c.stop(pod.Spec.RestartPolicy, backoff, at)
	case c.end.NoStart == "":
		c.restarts++
		c.start(pod, script, now)
	default:
		c.start(pod, script, now)
	}
}

// stop ends a run.
func (c *containerRun) stop(policy corev1.RestartPolicy, backoff Backoff, at time.Time) {
	reason := c.end.Reason
	if reason == "" {
		reason = "Completed"
		if c.end.ExitCode != 0 {
			reason = "Error"
		}
	}
	c.last = &corev1.ContainerStateTerminated{ExitCode: c.end.ExitCode, Reason: reason,
		StartedAt: metav1.NewTime(c.started), FinishedAt: metav1.NewTime(at)}
	ran := at.Sub(c.started)
	c.started, c.next = time.Time{}, time.Time{}
	if policy == corev1.RestartPolicyNever || policy == corev1.RestartPolicyOnFailure && c.end.ExitCode == 0 {
		c.over = true
		return
	}
	switch {
	case c.restarts == 0 || ran >= 2*backoff.Most:
		c.wait = 0
	case c.wait == 0:
		c.wait = backoff.First
	default:
		c.wait = min(2*c.wait, backoff.Most)
	}
	c.next = at.Add(c.wait)
}

// scripted returns the status of a pod with a script, nil if it has it, and when to look again.
func (k *Kubelet) scripted(pod *corev1.Pod) (*corev1.PodStatus, time.Duration) {
	now := time.Now()
	p := k.runs.of(pod, k.script, now)
	for _, c := range p.containers {
		c.advance(pod, k.script, k.runs.backoff, now)
	}
	status := k.started(pod)
	if p.address == "" {
		p.address, p.began = status.PodIP, status.StartTime
	}
	status.StartTime, status.PodIP, status.PodIPs = p.began, p.address, []corev1.PodIP{{IP: p.address}}
	p.describe(status)
	if sameRuns(pod.Status, *status) {
		status = nil
	}
	if next := p.next(); !next.IsZero() {
		return status, max(time.Until(next), time.Millisecond)
	}
	return status, 0
}

// next is when something happens; zero for never.
func (p *podRuns) next() (next time.Time) {
	for _, c := range p.containers {
		if !c.next.IsZero() && (next.IsZero() || c.next.Before(next)) {
			next = c.next
		}
	}
	return next
}

// describe makes the status of a pod whose containers all run that of this one.
func (p *podRuns) describe(status *corev1.PodStatus) {
	ready, over, failed, made := true, true, false, false
	for i, c := range p.containers {
		status.ContainerStatuses[i] = c.status(status.ContainerStatuses[i])
		ready = ready && !c.started.IsZero()
		over = over && c.over
		failed = failed || c.over && c.last.ExitCode != 0
		made = made || c.last != nil || !c.started.IsZero()
	}
	switch {
	case over && failed:
		finish(status, corev1.PodFailed)
	case over:
		finish(status, corev1.PodSucceeded)
	case !ready:
		unready(status, "ContainersNotReady")
	}
	if !made {
		status.Phase = corev1.PodPending
	}
}

// status is what the API says of the container; running has what does not change.
func (c *containerRun) status(running corev1.ContainerStatus) corev1.ContainerStatus {
	status := running
	status.RestartCount = c.restarts
	if !c.started.IsZero() {
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.started)}}
		if c.last != nil {
			status.LastTerminationState.Terminated = c.last
		}
		return status
	}
	no := false
	status.Ready, status.Started = false, &no
	switch {
	case c.end.NoStart != "":
		status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: c.end.NoStart}}
		status.LastTerminationState.Terminated = c.last
	case c.over || c.wait == 0:
		status.State = corev1.ContainerState{Terminated: c.last}
	default:
		status.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff",
			Message: fmt.Sprintf("back-off %v restarting failed container=%s", c.wait, c.name)}}
		status.LastTerminationState.Terminated = c.last
	}
	return status
}

// sameRuns tells whether the API server has what the containers do.
func sameRuns(there, wanted corev1.PodStatus) bool {
	if there.Phase != wanted.Phase || len(there.ContainerStatuses) != len(wanted.ContainerStatuses) {
		return false
	}
	for i, want := range wanted.ContainerStatuses {
		has := there.ContainerStatuses[i]
		if has.RestartCount != want.RestartCount || stateOf(has.State) != stateOf(want.State) {
			return false
		}
	}
	return true
}

func stateOf(state corev1.ContainerState) string {
	switch {
	case state.Running != nil:
		return "running"
	case state.Terminated != nil:
		return "terminated"
	case state.Waiting != nil:
		return state.Waiting.Reason + state.Waiting.Message
	}
	return ""
}
