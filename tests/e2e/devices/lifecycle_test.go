package devices

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/kube"
)

// untilFree waits until a pool has so many free devices.
func (s *serving) untilFree(pool string, want int64) {
	s.Helper()
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(ctx context.Context) error {
		object, err := s.kinds.client(kinds["DevicePool"]).Get(ctx, pool, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if free, found, _ := unstructured.NestedInt64(object.Object, "status", "freeDevices"); !found || free != want {
			return fmt.Errorf("pool %s has %d free devices (set: %v), want %d", pool, free, found, want)
		}
		return nil
	}))
}

// patchSpec changes the spec of an object without a namespace.
func (s *serving) patchSpec(kind, name, spec string) {
	s.Helper()
	_, err := s.kinds.client(kinds[kind]).Patch(s.Ctx, name, types.MergePatchType, []byte(`{"spec": `+spec+`}`),
		metav1.PatchOptions{})
	s.Must(err)
}

// What users, drivers and administrators do while the agent runs; the parts share one control plane.
func TestClaimsFollowWhatHappensToPodsPoolsAndClasses(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	s := newServing(t)
	withFoozers(s)
	s.serve(nil)
	for _, part := range []struct {
		name string
		run  func(s *serving)
	}{
		{"a claim is shared until its last pod has gone", checkShared},
		{"a pod that was bound past the agent gets devices", checkBoundPast},
		{"a claim that is deleted keeps its devices until its pod has ended", checkClaimDeleted},
		{"a class that comes later wakes the pod", checkClassComes},
		{"an attribute that is set later wakes the pod", checkAttributeComes},
	} {
		t.Run(part.name, func(t *testing.T) {
			inner, base := *s, *s.World
			base.T = t
			inner.World = &base
			part.run(&inner)
			inner.untilSound()
		})
	}
	page := browser.Look(s, s.Cluster.LogDir(), s.agent.AdminURL, "#table/device-pools", "foozer")
	page.Until("one with how full each pool is", "document.querySelectorAll('#table-rows td .bar').length > 0")
}

func checkShared(s *serving) {
	s.make([3]string{"DeviceClaim", "shared", "spec: {deviceClass: foozer}"})
	s.Pods(pod("shares-0", `[{"name": "f", "claimName": "shared"}]`))
	s.untilOn("shares-0", "")
	node := s.Until("shares-0", "bound", scheduling.IsBound).Spec.NodeName
	s.Pods(pod("shares-1", `[{"name": "f", "claimName": "shared"}]`))
	s.untilOn("shares-1", node)
	s.untilSound()
	s.remove("shares-0")
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(context.Context) error {
		names, _, _ := unstructured.NestedStringSlice(s.claim("shared").Object, "status", "podNames")
		if len(names) != 1 || names[0] != "shares-1" {
			return fmt.Errorf("podNames are %v, want shares-1", names)
		}
		return nil
	}))
	s.untilClaim("shared", "state", "Allocated")
	s.remove("shares-1")
	s.untilClaim("shared", "state", "Pending")
}

func checkBoundPast(s *serving) {
	two := `[{"name": "two", "claim": {"deviceClass": "foozer", "minDeviceCount": 2, "matchAttributes": ["numa"]}}]`
	s.Pods(pod("past-0", two).Node("n1"))
	s.untilClaim("past-0-two", "state", "Allocated")
	s.untilFree("n1-00", 0)
	s.untilSound()
	s.Pods(pod("past-1", two).Node("n1"))
	s.UntilEventWith("DevicesConflict", "2 foozer on one numa wanted, best has 0 free (2 in use by default/past-0-two)")
	s.remove("past-0")
	s.untilClaim("past-1-two", "state", "Allocated")
	s.untilSound()
	s.remove("past-1")
	s.untilFree("n1-00", 2)
}

func checkClaimDeleted(s *serving) {
	s.make([3]string{"DeviceClaim", "deleted", "spec: {deviceClass: foozer, minDeviceCount: 2, matchAttributes: [numa]}"})
	s.Pods(pod("keeps", `[{"name": "f", "claimName": "deleted"}]`))
	s.untilOn("keeps", "n1")
	s.untilFree("n1-00", 0)
	s.Must(s.kinds.client(kinds["DeviceClaim"]).Delete(s.Ctx, "deleted", metav1.DeleteOptions{}))
	// Another one that wants them waits as long as the pod is there.
	s.Pods(pod("wants", `[{"name": "f", "claim": {"deviceClass": "foozer", "minDeviceCount": 2, "matchAttributes": ["numa"]}}]`))
	s.untilRefused("wants", "in use by default/deleted")
	s.remove("keeps")
	s.untilOn("wants", "n1")
	_, err := s.kinds.client(kinds["DeviceClaim"]).Get(s.Ctx, "deleted", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		s.Errorf("the deleted claim is there again: %v", err)
	}
	s.untilSound()
	s.remove("wants")
	s.untilFree("n1-00", 2)
}

func checkClassComes(s *serving) {
	s.Pods(pod("early", `[{"name": "f", "claim": {"deviceClass": "later"}}]`))
	s.untilRefused("early", "later")
	s.make([3]string{"DeviceClass", "later", "spec: {driver: example.com-foozer, deviceType: foozer}"})
	s.untilOn("early", "")
	s.untilSound()
	s.remove("early")
}

func checkAttributeComes(s *serving) {
	s.Pods(pod("fast", `[{"name": "f", "claim": {"deviceClass": "foozer", "constraints": "device.speed == 'fast'"}}]`))
	s.untilRefused("fast", "speed")
	s.patchSpec("DevicePool", "n2-00", `{"attributes": [{"name": "numa", "stringValue": "0"},
		{"name": "speed", "stringValue": "fast"}]}`)
	s.untilOn("fast", "n2")
	s.untilSound()
	s.remove("fast")
}
