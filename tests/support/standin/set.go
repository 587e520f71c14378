package standin

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
)

const (
	// SetLabel is on every pod of a Set; its value is the set's name.
	SetLabel = "standin.outrigger.dev/set"
	// SetSizeAnnotation on a pod is the size that its set has, for the disruption stand-in.
	SetSizeAnnotation = "standin.outrigger.dev/set-size"
)

// SetSpec says which pods a Set keeps.
type SetSpec struct {
	Namespace, Name string
	Size            int
	// Template returns the pod of one slot, 0 to Size-1; name, namespace and the set's label and
	// annotation are set over it.
	Template func(slot int) *corev1.Pod
}

// Set plays a controller that keeps a number of pods: a pod that fails, is deleted or only asked to
// go is replaced at once (as a ReplicaSet or Job does), one that succeeds is not (as in a Job). Pods
// are named <set>-<slot>-<generation>, so that it is plain which pod replaced which.
//
// Not imitated: owner references, a status, scaling, a back-off before pods that fail again and
// again.
type Set struct {
	spec   SetSpec
	client kubernetes.Interface
	loop   *loop

	mutex      sync.Mutex
	generation []int // of each slot's current pod
}

// StartSet creates the pods and keeps them until ctx ends. A Set expects that no pods of its name
// are there already.
func StartSet(ctx context.Context, client kubernetes.Interface, spec SetSpec) (*Set, error) {
	s := &Set{spec: spec, client: client, generation: make([]int, spec.Size)}
	s.loop = newLoop(s.reconcile)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(spec.Namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.LabelSelector = SetLabel + "=" + spec.Name
		}))
	handler := onEvery(s.observe)
	handler.DeleteFunc = onEvery(s.replace).DeleteFunc
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(handler); err != nil {
		return nil, fmt.Errorf("set %s: %w", spec.Name, err)
	}
	factory.Start(ctx.Done())
	for typ, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, fmt.Errorf("set %s: first list of %v: %w", spec.Name, typ, ctx.Err())
		}
	}
	for slot := range spec.Size {
		s.loop.queue.Add(strconv.Itoa(slot))
	}
	s.loop.run(ctx, 4)
	return s, nil
}

// Err returns the last failure of a call to the API server; it may have been cured since.
func (s *Set) Err() error { return s.loop.err() }

// Replaced returns how many pods were replaced so far.
func (s *Set) Replaced() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sum := 0
	for _, generation := range s.generation {
		sum += generation
	}
	return sum
}

// observe sees a pod that is there.
func (s *Set) observe(pod *corev1.Pod) {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodFailed {
		s.replace(pod)
	}
}

// replace moves the pod's slot to its next generation unless that has happened already.
func (s *Set) replace(pod *corev1.Pod) {
	var slot, generation int
	if _, err := fmt.Sscanf(pod.Name, s.spec.Name+"-%d-%d", &slot, &generation); err != nil || slot >= s.spec.Size {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.generation[slot] == generation {
		s.generation[slot]++
		s.loop.queue.Add(strconv.Itoa(slot))
	}
}

// reconcile creates the current pod of a slot; creating it again changes nothing.
func (s *Set) reconcile(ctx context.Context, key string) error {
	slot, err := strconv.Atoi(key)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	generation := s.generation[slot]
	s.mutex.Unlock()

	pod := s.spec.Template(slot)
	pod.Namespace = s.spec.Namespace
	pod.Name = fmt.Sprintf("%s-%d-%d", s.spec.Name, slot, generation)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, SetLabel, s.spec.Name)
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, SetSizeAnnotation, strconv.Itoa(s.spec.Size))
	_, err = s.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
