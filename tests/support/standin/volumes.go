package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	// LateClass is the storage class whose claims Volumes serves; they bind when a pod has a node.
	LateClass = "late"

	selectedNode  = "volume.kubernetes.io/selected-node"
	bindCompleted = "pv.kubernetes.io/bind-completed"
)

// Volumes plays an external provisioner of local volumes and the controller that binds claims to
// them. A claim for which kube-scheduler has selected a node gets a volume that only that node
// reaches, and is bound to it; before that, it fails as often as asked for: it takes the selected
// node away again, which is how a provisioner tells the scheduler to look for another one.
//
// Not imitated: classes that bind at once, volumes that are there already, capacity, deletion.
type Volumes struct {
	client kubernetes.Interface
	claims corelisters.PersistentVolumeClaimLister
	loop   *loop
	limit  int

	mutex    sync.Mutex
	failures map[types.UID]int // of each claim
}

// StartVolumes creates the class and serves its claims until ctx ends; each fails so many times.
func StartVolumes(ctx context.Context, client kubernetes.Interface, failures int) (*Volumes, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	claims := factory.Core().V1().PersistentVolumeClaims()
	v := &Volumes{client: client, claims: claims.Lister(), limit: failures, failures: map[types.UID]int{}}
	v.loop = newLoop(v.reconcile)
	if _, err := claims.Informer().AddEventHandler(onEvery(func(claim *corev1.PersistentVolumeClaim) {
		v.loop.queue.Add(claim.Namespace + "/" + claim.Name)
	})); err != nil {
		return nil, fmt.Errorf("volumes stand-in: %w", err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), claims.Informer().HasSynced) {
		return nil, fmt.Errorf("volumes stand-in: first list: %w", ctx.Err())
	}
	late := storagev1.VolumeBindingWaitForFirstConsumer
	if _, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: LateClass}, Provisioner: "standin.outrigger.dev/local",
		VolumeBindingMode: &late}, metav1.CreateOptions{}); err != nil {
		return nil, fmt.Errorf("volumes stand-in: %w", err)
	}
	v.loop.run(ctx, 4)
	return v, nil
}

// Failures returns how often the provisioning of volumes has failed, in all.
func (v *Volumes) Failures() int {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	sum := 0
	for _, failures := range v.failures {
		sum += failures
	}
	return sum
}

// Err returns the last failure of a call to the API server; it may have been cured since.
func (v *Volumes) Err() error { return v.loop.err() }

func (v *Volumes) reconcile(ctx context.Context, key string) error {
	namespace, name, _ := cache.SplitMetaNamespaceKey(key)
	claim, err := v.claims.PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return nil // gone
	}
	node := claim.Annotations[selectedNode]
	isLate := claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == LateClass
	if !isLate || node == "" || claim.Status.Phase == corev1.ClaimBound {
		return nil
	}
	v.mutex.Lock()
	fails := v.failures[claim.UID] < v.limit
	v.mutex.Unlock()
	if fails {
		return v.fail(ctx, claim)
	}
	volume := localVolume(claim, node)
	if _, err := v.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{}); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		return err
	}
	return v.bind(ctx, claim, volume.Name)
}

func (v *Volumes) fail(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	v.count(claim.UID, 1) // before anybody can see it
	err := v.patch(ctx, claim, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{selectedNode: nil}},
	})
	if err != nil {
		v.count(claim.UID, -1)
	}
	return err
}

func (v *Volumes) count(claim types.UID, failures int) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.failures[claim] += failures
}

func (v *Volumes) bind(ctx context.Context, claim *corev1.PersistentVolumeClaim, volume string) error {
	bound := map[string]any{"status": map[string]any{"phase": "Bound"}}
	if err := v.patchStatus(ctx, "persistentvolumes", "", volume, bound); err != nil {
		return err
	}
	if claim.Spec.VolumeName == "" {
		if err := v.patch(ctx, claim, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{bindCompleted: "yes"}},
			"spec":     map[string]any{"volumeName": volume},
		}); err != nil {
			return err
		}
	}
	return v.patchStatus(ctx, "persistentvolumeclaims", claim.Namespace, claim.Name, bound)
}

// patch changes a claim as it was read: what has changed meanwhile is looked at again.
func (v *Volumes) patch(ctx context.Context, claim *corev1.PersistentVolumeClaim, change map[string]any) error {
	change["metadata"].(map[string]any)["resourceVersion"] = claim.ResourceVersion
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = v.client.CoreV1().PersistentVolumeClaims(claim.Namespace).Patch(
		ctx, claim.Name, types.MergePatchType, text, metav1.PatchOptions{})
	return err
}

func (v *Volumes) patchStatus(ctx context.Context, resource, namespace, name string, change map[string]any) error {
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return v.client.CoreV1().RESTClient().Patch(types.MergePatchType).NamespaceIfScoped(namespace, namespace != "").
		Resource(resource).Name(name).SubResource("status").Body(text).Do(ctx).Error()
}

func localVolume(claim *corev1.PersistentVolumeClaim, node string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-" + string(claim.UID)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         claim.Spec.Resources.Requests,
			AccessModes:      claim.Spec.AccessModes,
			StorageClassName: LateClass,
			ClaimRef: &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: "/standin/" + string(claim.UID)}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
					}},
				}},
			}},
		},
	}
}
