package devices

import (
	"slices"
	"testing"

	"outrigger.dev/outrigger/tests/support/kube"
)

// Two nodes with foozers, one of which has two on one NUMA node.
func withFoozers(s *serving) {
	s.Nodes(kube.MakeNode("n1"), kube.MakeNode("n2"), kube.MakeNode("bare"))
	s.make(
		[3]string{"DeviceDriver", "example.com-foozer", "deviceTypes: [foozer]"},
		[3]string{"DeviceClass", "foozer", "spec: {driver: example.com-foozer, deviceType: foozer}"},
		[3]string{"DevicePool", "n1-00", `spec: {nodeName: n1, driver: example.com-foozer, count: 2,
			attributes: [{name: numa, stringValue: "0"}, {name: model, stringValue: foozer-1000}]}`},
		[3]string{"DevicePool", "n2-00", `spec: {nodeName: n2, driver: example.com-foozer, count: 1,
			attributes: [{name: numa, stringValue: "0"}, {name: model, stringValue: foozer-1000}]}`},
		[3]string{"DevicePool", "n2-01", `spec: {nodeName: n2, driver: example.com-foozer, count: 1,
			attributes: [{name: numa, stringValue: "1"}, {name: model, stringValue: foozer-1000}]}`},
	)
}

// The main path, from a claim to devices, to a true reason, to the next pod.
func TestPodsGetDevicesAndGiveThemBack(t *testing.T) {
	t.Parallel()
	s := newServing(t)
	withFoozers(s)
	s.make([3]string{"DeviceClaim", "two", "spec: {deviceClass: foozer, minDeviceCount: 2, matchAttributes: [numa]}"})
	s.serve(nil)

	s.Pods(pod("first", `[{"name": "f", "claimName": "two"}]`))
	s.untilOn("first", "n1")
	s.untilClaim("two", "state", "Allocated")
	s.untilClaim("two", "nodeName", "n1")
	s.untilSound()

	// The claim of its own is created by the agent, and goes with the pod.
	own := `[{"name": "own", "claim": {"deviceClass": "foozer", "minDeviceCount": 2, "matchAttributes": ["numa"]}}]`
	s.Pods(pod("second", own))
	s.untilRefused("second", "claim default/second-own: 2 foozer on one numa wanted, best has 0 free (2 in use by default/two)",
		"claim default/second-own: 2 foozer on one numa wanted, best has 1 free,", "the node has no pools")
	s.remove("first")
	s.untilOn("second", "n1")
	s.untilClaim("second-own", "state", "Allocated")
	s.untilClaim("two", "state", "Pending")
	s.untilSound()
	if owners := s.claim("second-own").GetOwnerReferences(); len(owners) != 1 || owners[0].Kind != "Pod" ||
		owners[0].Name != "second" {
		t.Errorf("owners of second-own: %v", owners)
	}
	rows := table(s.kinds.kubectl("get", "dmpool", "n1-00"))
	if len(rows) != 2 || !slices.Equal(rows[1][:5], []string{"n1-00", "n1", "example.com-foozer", "0", "2"}) {
		t.Errorf("kubectl get dmpool: %v", rows)
	}
	rows = table(s.kinds.kubectl("get", "dmclaim", "second-own"))
	if len(rows) != 2 || !slices.Equal(rows[1][:4], []string{"second-own", "foozer", "Allocated", "n1"}) {
		t.Errorf("kubectl get dmclaim: %v", rows)
	}
}
