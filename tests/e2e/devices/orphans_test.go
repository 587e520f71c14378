package devices

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// A thousand entries of claims that are gone are removed before the agent is ready, in a few writes of their pool.
func TestAThousandOrphansOfAPoolAreRemovedInAFewWrites(t *testing.T) {
	t.Parallel()
	const orphans = 1000
	s := newServing(t)
	s.Nodes(kube.MakeNode("n1"))
	s.make([3]string{"DeviceClass", "foozer", "spec: {driver: example.com-foozer, deviceType: foozer}"},
		[3]string{"DevicePool", "n1-00", fmt.Sprintf("spec: {nodeName: n1, driver: example.com-foozer, count: %d}", orphans)})
	entries := []map[string]any{}
	for i := range orphans {
		entries = append(entries, map[string]any{"claimUID": fmt.Sprintf("gone-%d", i), "claimNamespace": "default",
			"claimName": fmt.Sprintf("gone-%d", i), "state": "Confirmed", "deviceCount": 1})
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"allocations": entries}})
	s.Must(err)
	pools := s.kinds.client(kinds["DevicePool"])
	_, err = pools.Patch(s.Ctx, "n1-00", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	s.Must(err)
	watch, err := pools.Watch(s.Ctx, metav1.ListOptions{FieldSelector: "metadata.name=n1-00"})
	s.Must(err)
	defer watch.Stop()
	begin := time.Now()
	s.replica("devices", nil)
	s.untilFree("n1-00", orphans)
	t.Logf("%d orphans were removed within %.1f s of the agent's start", orphans, time.Since(begin).Seconds())
	writes := -1 // the first event is the pool as it was
	for last := false; !last; writes++ {
		select {
		case event := <-watch.ResultChan():
			pool, _ := event.Object.(*unstructured.Unstructured)
			free, _, _ := unstructured.NestedInt64(pool.Object, "status", "freeDevices")
			last = free == orphans
		case <-time.After(scheduling.Patience):
			t.Fatal("the watch does not show the pool as it is")
		}
	}
	if writes > 20 {
		t.Errorf("the pool was written %d times, want a few", writes)
	}
	t.Logf("the pool was written %d times", writes)
}
