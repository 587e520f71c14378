package standin_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/standin"
)

func TestVolumes(t *testing.T) {
	f := newFixture(t)
	volumes, err := standin.StartVolumes(f.ctx, f.client, 1)
	f.must(err)
	claims := f.client.CoreV1().PersistentVolumeClaims("default")
	_, err = claims.Create(f.ctx, kube.MakeClaim("data", standin.LateClass), metav1.CreateOptions{})
	f.must(err)
	selectNode := func() { // as kube-scheduler does
		_, err := claims.Patch(f.ctx, "data", types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"a"}}}`), metav1.PatchOptions{})
		f.must(err)
	}
	until := func(what string, condition func(*corev1.PersistentVolumeClaim) bool) (claim *corev1.PersistentVolumeClaim) {
		f.must(kube.Eventually(f.ctx, process.Patience, func(ctx context.Context) error {
			if claim, err = claims.Get(ctx, "data", metav1.GetOptions{}); err == nil && !condition(claim) {
				err = fmt.Errorf("not %s: %+v", what, claim)
			}
			return err
		}))
		return claim
	}

	selectNode()
	until("without its node", func(claim *corev1.PersistentVolumeClaim) bool { return len(claim.Annotations) == 0 })
	if failures := volumes.Failures(); failures != 1 {
		t.Errorf("Failures() = %d, want 1", failures)
	}
	selectNode()
	claim := until("bound", func(claim *corev1.PersistentVolumeClaim) bool {
		return claim.Status.Phase == corev1.ClaimBound
	})
	volume, err := f.client.CoreV1().PersistentVolumes().Get(f.ctx, claim.Spec.VolumeName, metav1.GetOptions{})
	f.must(err)
	node := volume.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values
	if volume.Spec.ClaimRef.UID != claim.UID || volume.Status.Phase != corev1.VolumeBound || fmt.Sprint(node) != "[a]" {
		t.Errorf("the volume is %+v", volume)
	}
	if failures := volumes.Failures(); failures != 1 {
		t.Errorf("Failures() = %d, want 1", failures)
	}
}
