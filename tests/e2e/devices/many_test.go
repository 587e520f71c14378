package devices

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/devicejudge"
	"outrigger.dev/outrigger/tests/support/kube"
)

// withShapes applies 50 nodes with 154 foozers and 88 barzers, in pools of 2 or 4: their pools and drivers, with a class of each type.
func withShapes(s *serving) {
	s.Helper()
	text := driversOfShapes
	for _, one := range shapes {
		text += one.yaml(one.nodes)
	}
	file := filepath.Join(s.TempDir(), "pools.yaml")
	s.Must(os.WriteFile(file, []byte(text), 0o644))
	s.kinds.kubectl("apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", file)
	for _, device := range []string{"foozer", "barzer"} {
		s.make([3]string{"DeviceClass", device, "spec: {driver: example.com-" + device + ", deviceType: " + device + "}"})
	}
	nodes := map[string]bool{}
	for _, pool := range s.state().Pools {
		if !nodes[pool.Spec.NodeName] {
			s.Nodes(kube.MakeNode(pool.Spec.NodeName))
		}
		nodes[pool.Spec.NodeName] = true
	}
	if len(nodes) != 50 {
		s.Fatalf("%d nodes have pools, want 50", len(nodes))
	}
}

func (s *serving) state() devicejudge.State {
	s.Helper()
	state, err := devicejudge.Read(s.Ctx, s.kinds.dynamic, s.Client)
	s.Must(err)
	return state
}

// 200 pods on 50 nodes: each device is used at most once, and who waits could not be served.
func TestManyPodsShareNodesOfMixedShapes(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	s := newServing(t)
	withShapes(s)
	s.serve(nil)
	ask := func(class string, count int) string {
		return fmt.Sprintf(`[{"name": "d", "claim": {"deviceClass": %q, "minDeviceCount": %d, "maxDeviceCount": %d,
			"matchAttributes": ["numa"]}}]`, class, count, count)
	}
	for i := range 50 {
		s.Pods(pod(fmt.Sprintf("one-a-%02d", i), ask("foozer", 1)), pod(fmt.Sprintf("one-b-%02d", i), ask("foozer", 1)),
			pod(fmt.Sprintf("two-%02d", i), ask("foozer", 2)), pod(fmt.Sprintf("barzer-%02d", i), ask("barzer", 2)))
	}
	s.untilTried()
	s.untilSound()
	// One of two that were promised the same devices is tried again.
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(context.Context) error {
		if bound := s.bound("barzer-"); len(bound) != 44 {
			return fmt.Errorf("%d pods have two barzers, want 44", len(bound))
		}
		return s.waitForAReason()
	}))

	ended := s.bound("barzer-")[:5]
	s.remove(ended...)
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(context.Context) error {
		bound := s.bound("barzer-")
		if len(bound) != 44 || slices.ContainsFunc(ended, func(name string) bool { return slices.Contains(bound, name) }) {
			return fmt.Errorf("%d pods have two barzers after %q have ended, want 44: %q", len(bound), ended, bound)
		}
		return nil
	}))
	s.untilSound()
}

// bound are the pods with a node whose names begin so.
func (s *serving) bound(prefix string) (names []string) {
	for _, pod := range s.Tracker.Pods() {
		if scheduling.IsBound(pod) && strings.HasPrefix(pod.Name, prefix) {
			names = append(names, pod.Name)
		}
	}
	return names
}

// untilTried waits until each pod has a node or a reason why not.
func (s *serving) untilTried() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Ctx, scheduling.Patience)
	defer cancel()
	err := s.Tracker.Until(ctx, func() bool {
		for _, pod := range s.Tracker.Pods() {
			if !scheduling.IsBound(pod) && kube.Condition(pod, corev1.PodScheduled).Reason != corev1.PodReasonUnschedulable {
				return false
			}
		}
		return true
	})
	if err != nil {
		s.Fatalf("not every pod was tried: %v\n%s", err, kube.Summary(s.Tracker.Pods()))
	}
}

// waitForAReason is an error unless of what each waiting pod asks for no pool has enough, and its reason says who has it.
func (s *serving) waitForAReason() error {
	s.Helper()
	most := map[string]int64{} // free in one pool, by driver
	pools, err := s.kinds.client(kinds["DevicePool"]).List(s.Ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	driver := map[string]string{}
	for _, pool := range pools.Items {
		driver[pool.GetName()], _ = pool.Object["spec"].(map[string]any)["driver"].(string)
	}
	for _, pool := range s.state().Pools {
		most[driver[pool.Name]] = max(most[driver[pool.Name]], *pool.Status.FreeDevices)
	}
	waiting := 0
	for _, pod := range s.Tracker.Pods() {
		if scheduling.IsBound(pod) {
			continue
		}
		waiting++
		device, asks := "foozer", int64(2)
		if strings.HasPrefix(pod.Name, "barzer") {
			device = "barzer"
		} else if strings.HasPrefix(pod.Name, "one") {
			asks = 1
		}
		if free := most["example.com-"+device]; free >= asks {
			return fmt.Errorf("pod %s waits for %d of %s, and a pool has %d free", pod.Name, asks, device, free)
		}
		if message := kube.Condition(pod, corev1.PodScheduled).Message; !strings.Contains(message, "in use by default/") {
			return fmt.Errorf("pod %s waits, and nobody is named: %s", pod.Name, message)
		}
	}
	if waiting < 6+10 {
		return fmt.Errorf("%d pods wait, want 6 for barzers and some for foozers", waiting)
	}
	return nil
}
