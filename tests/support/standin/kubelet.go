package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// ExitCodeAnnotation on a bound pod makes its containers end with that code: phase Succeeded for 0,
// Failed for anything else. It may be there from the start or be added later (Finish does).
const ExitCodeAnnotation = "standin.outrigger.dev/exit-code"

// Kubelet plays the kubelets of all nodes: a bound pod becomes Running and Ready at once (start
// time, pod IP, container statuses), ends when ExitCodeAnnotation says so, and is deleted for good
// as soon as somebody asked for its deletion, whatever the grace period. Containers of pods with a
// Script (StartScriptedKubelet) end by themselves and are started again by the pod's restart policy.
//
// Not imitated: admission of pods (resources, ports, taints), probes, init containers, node status
// and heartbeats.
type Kubelet struct {
	client kubernetes.Interface
	pods   listers.PodLister
	loop   *loop
	lastIP atomic.Uint32
	script Script
	runs   runs
}

// StartKubelet starts a kubelet stand-in that ends with ctx. It has seen all pods of now when it
// returns, though it may still be working on them.
func StartKubelet(ctx context.Context, client kubernetes.Interface) (*Kubelet, error) {
	return StartScriptedKubelet(ctx, client, nil, Backoff{})
}

// StartScriptedKubelet is StartKubelet with containers that do as script says.
func StartScriptedKubelet(
	ctx context.Context, client kubernetes.Interface, script Script, backoff Backoff,
) (*Kubelet, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	informer := factory.Core().V1().Pods()
	k := &Kubelet{client: client, pods: informer.Lister(), script: script, runs: newRuns(backoff)}
	k.loop = newLoop(k.reconcile)
	if _, err := informer.Informer().AddEventHandler(onEvery(func(pod *corev1.Pod) {
		if pod.Spec.NodeName != "" {
			k.loop.queue.Add(pod.Namespace + "/" + pod.Name)
		}
	})); err != nil {
		return nil, fmt.Errorf("kubelet stand-in: %w", err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return nil, fmt.Errorf("kubelet stand-in: first list: %w", ctx.Err())
	}
	k.loop.run(ctx, 8)
	return k, nil
}

// Err returns the last failure of a call to the API server; it may have been cured since.
func (k *Kubelet) Err() error { return k.loop.err() }

// Finish ends a pod's containers with an exit code. The pod may still be unbound: it then ends as
// soon as it is bound.
func (k *Kubelet) Finish(ctx context.Context, namespace, name string, exitCode int) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, ExitCodeAnnotation, strconv.Itoa(exitCode))
	_, err := k.client.CoreV1().Pods(namespace).Patch(
		ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("finish pod %s/%s: %w", namespace, name, err)
	}
	return nil
}

func (k *Kubelet) reconcile(ctx context.Context, key string) error {
	namespace, name, _ := cache.SplitMetaNamespaceKey(key)
	pod, err := k.pods.Pods(namespace).Get(name)
	if err != nil || pod.Spec.NodeName == "" {
		k.runs.forget(key)
		return nil // gone
	}
	if pod.DeletionTimestamp != nil {
		k.runs.forget(key)
		options := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))}
		return ignoreGone(k.client.CoreV1().Pods(namespace).Delete(ctx, name, options))
	}
	status, next := k.wanted(pod)
	if next > 0 {
		k.loop.queue.AddAfter(key, next)
	}
	if status == nil {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = k.client.CoreV1().Pods(namespace).Patch(
		ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return ignoreGone(err)
}

// wanted returns the status that the pod should get, nil if it has it, and after which time to look again
// though nothing has happened, 0 for never.
func (k *Kubelet) wanted(pod *corev1.Pod) (status *corev1.PodStatus, next time.Duration) {
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return nil, 0
	}
	exitCode, err := strconv.Atoi(pod.Annotations[ExitCodeAnnotation])
	exits := err == nil
	if k.script != nil && !exits {
		return k.scripted(pod)
	}
	if pod.Status.Phase == corev1.PodRunning && !exits {
		return nil, 0
	}
	status = k.started(pod)
	if exits {
		end(status, int32(exitCode))
	}
	return status, 0
}

// started returns the status of a pod whose containers all run.
func (k *Kubelet) started(pod *corev1.Pod) *corev1.PodStatus {
	now := metav1.Now()
	status := &corev1.PodStatus{
		Phase: corev1.PodRunning, StartTime: pod.Status.StartTime, PodIP: pod.Status.PodIP, HostIP: "127.0.0.1",
	}
	if status.StartTime == nil {
		n := k.lastIP.Add(1)
		status.StartTime = &now
		status.PodIP = fmt.Sprintf("10.%d.%d.%d", 64+n>>16&63, n>>8&255, n&255)
	}
	status.HostIPs = []corev1.HostIP{{IP: status.HostIP}}
	status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{
			Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now,
		})
	}
	yes := true
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true, Started: &yes,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: *status.StartTime}},
		})
	}
	return status
}

// end turns the status of a running pod into that of one whose containers have all ended.
func end(status *corev1.PodStatus, exitCode int32) {
	phase, reason := corev1.PodSucceeded, "Completed"
	if exitCode != 0 {
		phase, reason = corev1.PodFailed, "Error"
	}
	finish(status, phase)
	no := false
	for i := range status.ContainerStatuses {
		container := &status.ContainerStatuses[i]
		container.Ready, container.Started = false, &no
		container.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: exitCode, Reason: reason, StartedAt: *status.StartTime, FinishedAt: metav1.NewTime(time.Now()),
		}}
	}
}

// finish gives a status the phase of a pod that has ended.
func finish(status *corev1.PodStatus, phase corev1.PodPhase) {
	status.Phase = phase
	unready(status, "Pod"+string(phase))
}

func unready(status *corev1.PodStatus, reason string) {
	for i := range status.Conditions {
		if status.Conditions[i].Type != corev1.PodInitialized {
			status.Conditions[i].Status = corev1.ConditionFalse
			status.Conditions[i].Reason = reason
		}
	}
}

// ignoreGone turns "it is gone", or "another one has its name now", into success.
func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
