package devicejudge

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

func parse[T any](t *testing.T, text string) T {
	t.Helper()
	var object T
	if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return object
}

// sound is a state with a pool that counts, one that lists devices, and a pod for each.
func sound(t *testing.T) State {
	t.Helper()
	pod := func(name, claims string) corev1.Pod {
		return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("u-" + name),
			Annotations: map[string]string{Annotation: claims}}, Spec: corev1.PodSpec{NodeName: "n1"}}
	}
	return State{
		Pools: []Pool{
			parse[Pool](t, `
metadata: {name: counted}
spec: {nodeName: n1, count: 4, attributes: [{name: numa, stringValue: "0"}]}
status: {totalDevices: 4, freeDevices: 2, allocations: [{claimUID: c1, podUID: u-a, state: Confirmed, deviceCount: 2}]}`),
			parse[Pool](t, `
metadata: {name: listed}
spec:
  nodeName: n1
  resources: [{name: slots, capacity: 2}]
  devices:
  - {name: d1, requests: {slots: 1}, attributes: [{name: numa, intValue: 0}]}
  - {name: d2, requests: {slots: 2}, attributes: [{name: numa, intValue: 0}]}
  - {name: d3, resources: [{name: memory, capacity: 8Gi}], attributes: [{name: numa, intValue: 0}]}
status:
  totalDevices: 3
  freeDevices: 1
  allocations:
  - {claimUID: c2, podUID: u-b, state: Confirmed, devices: [{name: d1}, {name: d3, allocations: [{name: memory, allocation: 4Gi}]}]}`),
		},
		Claims: []Claim{
			parse[Claim](t, `
metadata: {namespace: default, name: first, uid: c1}
spec: {deviceClass: foozer, minDeviceCount: 2, matchAttributes: [numa]}
status: {state: Allocated, nodeName: n1, allocations: [{devicePoolName: counted, deviceCount: 2}], podNames: [a],
  pods: [{name: a, uid: u-a}]}`),
			parse[Claim](t, `
metadata: {namespace: default, name: b-own, uid: c2}
spec: {claims: [{deviceClass: foozer, requests: {count: 2}}], matchAttributes: [numa]}
status: {state: Allocated, nodeName: n1, podNames: [b], pods: [{name: b, uid: u-b}], allocations: [
  {devicePoolName: listed, deviceName: d3, allocations: [{name: memory, allocation: 4Gi}]},
  {devicePoolName: listed, deviceName: d1}]}`),
		},
		Pods: []corev1.Pod{pod("a", `[{"name": "x", "claimName": "first"}]`),
			pod("b", `[{"name": "own", "claim": {"claims": [{"deviceClass": "foozer"}]}}]`)},
	}
}

func TestASoundStateHasNoProblems(t *testing.T) {
	if problems := Problems(sound(t)); len(problems) > 0 {
		t.Error(strings.Join(problems, "\n"))
	}
}

// Each row breaks a sound state in one way.
func TestEachContradictionIsFound(t *testing.T) {
	entry := func(s *State, pool int) *Entry { return &s.Pools[pool].Status.Allocations[0] }
	for _, row := range []struct {
		name  string
		spoil func(s *State)
		says  string
	}{
		{"claim gone", func(s *State) { s.Claims = s.Claims[1:] }, "a claim c1 that is not there"},
		{"intent left", func(s *State) { entry(s, 0).State = "Intent" }, "is Intent"},
		{"claim has more", func(s *State) { s.Claims[0].Status.Allocations[0].DeviceCount = 3 }, "the claim says 3"},
		{"other device", func(s *State) { s.Claims[1].Status.Allocations[1].DeviceName = "d2" }, "the claim says"},
		{"other amount", func(s *State) { s.Claims[1].Status.Allocations[0].Allocations = nil }, "the claim says"},
		{"too many", func(s *State) { s.Pools[0].Spec.Count = new(int64) }, "has 0 devices, and gave out 2"},
		{"counter", func(s *State) {
			s.Pools[1].Spec.Devices[0].Requests["slots"] = s.Pools[1].Spec.Devices[1].Requests["slots"]
			s.Pools[1].Spec.Resources[0].Capacity.Set(1)
		}, "devices take 2 of slots, and there is 1"},
		{"twice", func(s *State) {
			again := *entry(s, 1)
			s.Pools[1].Status.Allocations = append(s.Pools[1].Status.Allocations, again)
		},
			"device d1 is in use by claim b-own and by b-own"},
		{"shared beyond", func(s *State) { s.Pools[1].Spec.Devices[2].Resources[0].Capacity.Set(1) }, "device d3 gave out 4Gi"},
		{"no such device", func(s *State) { s.Pools[1].Spec.Devices = s.Pools[1].Spec.Devices[1:] }, "has no device d1"},
		{"free", func(s *State) { *s.Pools[0].Status.FreeDevices = 3 }, "free 3, want 4 and 2"},
		{"total not set", func(s *State) { s.Pools[0].Status.TotalDevices = nil }, "total not set"},
		{"entry lost", func(s *State) { s.Pools[0].Status.Allocations = nil }, "which has no entry of it"},
		{"pool gone", func(s *State) { s.Pools = s.Pools[1:] }, "pool counted, which is not there"},
		{"other node", func(s *State) { s.Pools[0].Spec.NodeName = "n2" }, "of node n2"},
		{"pod gone", func(s *State) { s.Pods = s.Pods[1:] }, "pod a, which is gone or ended"},
		{"pod ended", func(s *State) { s.Pods[0].Status.Phase = corev1.PodFailed }, "pod a, which is gone or ended"},
		{"pod elsewhere", func(s *State) { s.Pods[0].Spec.NodeName = "n2" }, `its pod a is on "n2"`},
		{"pod not bound", func(s *State) { s.Pods[0].Spec.NodeName = "" }, `its pod a is on ""`},
		{"pod without devices", func(s *State) { s.Claims[0].Status.Pods[0].UID = "u-b" }, "has no devices for it"},
		{"claim of a pod gone", func(s *State) { s.Claims[1].Name = "other" }, "its claim b-own is not there"},
		{"names differ", func(s *State) { s.Claims[0].Status.PodNames = nil }, "podNames []"},
		{"state", func(s *State) { s.Claims[0].Status.State = "Pending" }, `state "Pending"`},
		{"left over", func(s *State) { s.Claims[0].Status.Allocations = nil }, "has no devices, but state"},
		{"too few", func(s *State) { *s.Claims[0].Spec.MinDeviceCount = 3 }, "asks for 3 devices, and has 2"},
		{"not equal", func(s *State) { *s.Pools[1].Spec.Devices[0].Attributes[0].IntValue = 1 }, "asks for equal numa"},
		{"no attribute", func(s *State) { s.Pools[0].Spec.Attributes = nil }, "asks for equal numa"},
	} {
		t.Run(row.name, func(t *testing.T) {
			state := sound(t)
			row.spoil(&state)
			if problems := strings.Join(Problems(state), "\n"); !strings.Contains(problems, row.says) {
				t.Errorf("want %q among:\n%s", row.says, problems)
			}
		})
	}
}

// What a claim has by admin access takes nothing away from others, next to what it holds.
func TestAdminAccessIsNoUse(t *testing.T) {
	state := sound(t)
	watching := state.Claims[0]
	watching.UID, watching.Name, watching.Privileged = "c3", "watching", true
	watching.Status.Allocations = []Allocation{{DevicePoolName: "counted", DeviceCount: 4, AdminAccess: true}}
	state.Claims = append(state.Claims, watching)
	state.Claims[1].Status.Allocations = append(state.Claims[1].Status.Allocations,
		Allocation{DevicePoolName: "listed", DeviceName: "d2", AdminAccess: true})
	if problems := Problems(state); len(problems) > 0 {
		t.Error(strings.Join(problems, "\n"))
	}
	state.Claims[2].Status.Allocations[0].AdminAccess = false
	if problems := strings.Join(Problems(state), "\n"); !strings.Contains(problems, "which has no entry of it") {
		t.Errorf("devices without the mark are held, yet: %s", problems)
	}
}
