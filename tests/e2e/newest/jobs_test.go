package newest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/controller/job"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// world has the agent gang beside kube-scheduler, and the Job controller.
type world struct {
	*scheduling.World
	gang *outrigger.Server
}

func newWorld(t *testing.T, slots int) *world {
	t.Helper()
	w := &world{World: scheduling.New(t)}
	w.Nodes(kube.MakeNode("n").Resource(corev1.ResourceCPU, fmt.Sprint(slots)))
	w.gang = w.Serve("gang", "--gang.scheduler-lease", "none")
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))

	factory := informers.NewSharedInformerFactory(w.Client, 0)
	controller, err := job.NewController(w.Ctx, w.Client, factory.Core().V1().Pods(), factory.Batch().V1().Jobs(),
		nil, nil) // no workloads
	w.Must(err)
	factory.Start(w.Ctx.Done())
	go controller.Run(w.Ctx, 1)
	return w
}

// create makes a Job whose pods are one gang by labels and take a cpu each.
func (w *world) create(name string, minimum int, change func(spec *batchv1.JobSpec)) {
	w.Helper()
	object := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	template := &object.Spec.Template
	template.Labels = map[string]string{"podGroup": name, "minAvailable": fmt.Sprint(minimum)}
	template.Spec = corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{Name: "c", Image: "registry.example/pause", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}},
	}
	change(&object.Spec)
	_, err := w.Client.BatchV1().Jobs("default").Create(w.Ctx, object, metav1.CreateOptions{})
	w.Must(err)
}

// running returns the pods of a Job that are bound and not finished.
func (w *world) running(name string) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range w.Tracker.Pods() {
		if strings.HasPrefix(pod.Name, name+"-") && scheduling.IsBound(pod) && !kube.IsFinished(pod) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// untilRunning waits until so many pods of a Job run, and returns them.
func (w *world) untilRunning(name string, count int) []*corev1.Pod {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	var pods []*corev1.Pod
	if err := w.Tracker.Until(ctx, func() bool {
		pods = w.running(name)
		return len(pods) == count
	}); err != nil {
		w.Fatalf("%d pods of Job %s run, want %d: %v\n%s", len(pods), name, count, err, kube.Summary(w.Tracker.Pods()))
	}
	return pods
}

// end is what a kubelet does when the containers of a pod end.
func (w *world) end(pod *corev1.Pod, phase corev1.PodPhase) {
	w.Helper()
	patch := fmt.Appendf(nil, `{"status":{"phase":%q}}`, phase)
	_, err := w.Client.CoreV1().Pods("default").Patch(w.Ctx, pod.Name, types.MergePatchType, patch,
		metav1.PatchOptions{}, "status")
	w.Must(err)
	w.Until(pod.Name, "finished", kube.IsFinished)
}

// untilComplete waits until the Job controller calls the Job complete.
func (w *world) untilComplete(name string) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
		object, err := w.Client.BatchV1().Jobs("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range object.Status.Conditions {
			if condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("job %s is not complete: %+v", name, object.Status)
	}))
}

// kubernetes#142330. Four pods start together; each later one starts when one of them has succeeded.
func TestAJobWithMoreCompletionsThanPodsAtOnceRunsToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	const parallelism, completions = 4, 7
	w.create("work", parallelism, func(spec *batchv1.JobSpec) {
		spec.Parallelism, spec.Completions = new(int32(parallelism)), new(int32(completions))
	})
	for left := completions; left > 0; left-- {
		pods := w.untilRunning("work", min(left, parallelism))
		w.end(pods[0], corev1.PodSucceeded)
	}
	w.untilComplete("work")
	w.CheckBoundOnce(completions)

	// The same name once more is a new gang, though the finished pods of the first are still there: three of
	// four pods have room, and none of them starts.
	policy := metav1.DeletePropagationOrphan
	w.Must(w.Client.BatchV1().Jobs("default").Delete(w.Ctx, "work", metav1.DeleteOptions{PropagationPolicy: &policy}))
	w.Pods(kube.MakePod("single").Request(corev1.ResourceCPU, "1"))
	w.Until("single", "bound", scheduling.IsBound)
	w.create("again", parallelism, func(spec *batchv1.JobSpec) {
		spec.Parallelism, spec.Completions = new(int32(parallelism)), new(int32(parallelism))
		spec.Template.Labels["podGroup"] = "work"
	})
	w.UntilEventWith("GangWaiting", "gang default/work waits")
	if pods := w.running("again"); len(pods) != 0 {
		t.Errorf("%d of 4 pods of a new gang run, and there is room for 3", len(pods))
	}
	w.end(w.Tracker.Pod("default", "single"), corev1.PodSucceeded)
	w.untilRunning("again", parallelism)
	w.CheckSettled()
}

// A retry takes the part of the index that failed, while others run and have succeeded, also where the agent has
// started again meanwhile.
func TestARetryOfAnIndexedJobStartsBesideThoseThatSucceeded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.create("indexed", 3, func(spec *batchv1.JobSpec) {
		spec.Parallelism, spec.Completions = new(int32(3)), new(int32(3))
		spec.CompletionMode = new(batchv1.IndexedCompletion)
		spec.BackoffLimitPerIndex = new(int32(3))
	})
	pods := w.untilRunning("indexed", 3)
	w.end(pods[0], corev1.PodSucceeded)
	w.gang.Kill()
	w.gang.Restart(t)
	w.end(pods[1], corev1.PodFailed)
	for _, pod := range w.untilRunning("indexed", 2) {
		w.end(pod, corev1.PodSucceeded)
	}
	w.untilComplete("indexed")
	w.CheckSettled()
}
