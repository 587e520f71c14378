package devices

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// badInput is what somebody writes, a pod that asks for it, and the answers.
type badInput struct {
	name    string
	objects [][3]string
	claims  string   // of the pod, as in its annotation; "": the claim that has the row's name
	refused []string // in the pod's reason; none: it gets its devices
	state   string   // of the claim of the row's name; "": there is none
	message []string // in its status
	event   string   // reason of an Event that has the first of message, or of refused
}

// claimOf is an object of that name with constraints.
func claimOf(name, constraints string) [][3]string {
	return [][3]string{{"DeviceClaim", name, fmt.Sprintf("spec: {deviceClass: foozer, constraints: %q}", constraints)}}
}

func embeddedClaim(spec string) string { return `[{"name": "d", "claim": ` + spec + `}]` }

var badInputs = []badInput{
	{name: "claim-does-not-compile", objects: claimOf("claim-does-not-compile", "device.numa = '0'"),
		refused: []string{"claim default/claim-does-not-compile: ", "ERROR: <input>:1:13: "},
		state:   "Invalid", message: []string{"ERROR: <input>:1:13: ", "\n | device.numa = '0'\n | ............^"}, event: "ClaimInvalid"},
	{name: "class-does-not-compile", objects: [][3]string{
		{"DeviceClass", "broken", `spec: {driver: example.com-foozer, deviceType: foozer, constraints: "device."}`},
		{"DeviceClaim", "class-does-not-compile", "spec: {deviceClass: broken}"}},
		refused: []string{"claim default/class-does-not-compile: ", "ERROR: <input>:1:8: "},
		state:   "Invalid", message: []string{"ERROR: <input>:1:8: ", "\n | .......^"}, event: "ClassInvalid"},
	{name: "fails-on-a-device", objects: [][3]string{
		{"DevicePool", "mute", "spec: {nodeName: n1, driver: example.com-mute, devices: [{name: mute}]}"},
		{"DeviceClass", "mute", "spec: {driver: example.com-mute, deviceType: mute}"},
		{"DeviceClaim", "fails-on-a-device", `spec: {claims: [{deviceClass: mute, constraints: "device.speed > 5"}]}`}},
		refused: []string{"claim default/fails-on-a-device: 1 mute wanted, no device matches (", "1 fail, first device mute of pool mute: no such key: speed"},
		state:   "Pending"},
	{name: "works-on-another", objects: [][3]string{
		{"DevicePool", "other", `spec: {nodeName: n1, driver: example.com-other,
			devices: [{name: mute}, {name: fast, attributes: [{name: speed, intValue: 9}]}]}`},
		{"DeviceClass", "other", "spec: {driver: example.com-other, deviceType: other}"},
		{"DeviceClaim", "works-on-another", `spec: {claims: [{deviceClass: other, constraints: "device.speed > 5"}]}`}},
		state: "Allocated"},
	{name: "longest", objects: claimOf("longest", strings.Repeat("true && ", 1279)+"   true"), state: "Allocated"},
	{name: "nested", objects: claimOf("nested", strings.Repeat("(", 249)+"true"+strings.Repeat(")", 249)), state: "Allocated"},
	{name: "nested-too-deeply", objects: claimOf("nested-too-deeply", strings.Repeat("(", 251)+"true"+strings.Repeat(")", 251)),
		refused: []string{"claim default/nested-too-deeply: "}, state: "Invalid", message: []string{"ERROR: <input>:1:"}, event: "ClaimInvalid"},
	{name: "regex-explodes", objects: claimOf("regex-explodes", "device.model.matches('((a{1000}){1000}){1000}')"),
		refused: []string{"claim default/regex-explodes: "}, state: "Invalid", message: []string{"ERROR: <input>:1:"}, event: "ClaimInvalid"},
	{name: "regex-backtracks", objects: claimOf("regex-backtracks", "!device.model.matches('^(([a-z])+.)+[A-Z]([a-z])+$')"), state: "Allocated"},
	{name: "unknown-class", objects: [][3]string{{"DeviceClaim", "unknown-class", "spec: {deviceClass: nowhere}"}},
		refused: []string{"claim default/unknown-class: ", "nowhere"}, state: "Pending", message: []string{`there is no DeviceClass "nowhere"`}, event: "ClaimWaits"},
	{name: "unknown-type", objects: [][3]string{{"DeviceClaim", "unknown-type", "spec: {claims: [{deviceType: nothing}]}"}},
		refused: []string{"claim default/unknown-type: ", "nothing"}, state: "Pending", message: []string{`there is no DeviceClass of type "nothing"`}, event: "ClaimWaits"},
	{name: "unknown-driver", objects: [][3]string{
		{"DeviceClass", "lost", "spec: {driver: example.com-lost, deviceType: lost}"},
		{"DeviceClaim", "unknown-driver", "spec: {deviceClass: lost}"}},
		refused: []string{"claim default/unknown-driver: 1 lost wanted"}, state: "Pending"},
	{name: "class-without-driver", objects: [][3]string{
		{"DeviceClass", "orphan", "spec: {deviceType: orphan}"},
		{"DeviceClaim", "class-without-driver", "spec: {deviceClass: orphan}"}},
		refused: []string{"claim default/class-without-driver: "}, state: "Pending"},
	{name: "claim-missing", refused: []string{"claim default/claim-missing: there is no DeviceClaim with that name"}},
	{name: "annotation-no-json", claims: `[{"name": "d"`, refused: []string{"annotation devmgmtproto.k8s.io/device-claims: "}},
	{name: "annotation-of-nothing", claims: `[{"name": "d"}]`, refused: []string{"annotation devmgmtproto.k8s.io/device-claims: ", "claimName"}},
	{name: "both-dialects", claims: embeddedClaim(`{"deviceClass": "foozer", "claims": [{"deviceClass": "foozer"}]}`),
		refused: []string{"claim default/both-dialects-d: "}},
	{name: "minus-two", claims: embeddedClaim(`{"deviceClass": "foozer", "minDeviceCount": -2}`),
		refused: []string{"claim default/minus-two-d: "}},
	{name: "billion", claims: embeddedClaim(`{"deviceClass": "foozer", "minDeviceCount": 1000000000}`),
		refused: []string{"claim default/billion-d: "}},
	{name: "admin-class", objects: [][3]string{
		{"DeviceClass", "admin", "spec: {driver: example.com-foozer, deviceType: foozer, adminAccess: true}"},
		{"DeviceClaim", "admin-class", "spec: {claims: [{deviceClass: admin}]}"}},
		refused: []string{"claim default/admin-class: " + needsLabel}, state: "Pending", message: []string{needsLabel}, event: "ClaimWaits"},
	{name: "admin-privileged", objects: [][3]string{{"DevicePrivilegedClaim", "admin-privileged", "spec: {driver: example.com-foozer}"}},
		claims:  `[{"name": "d", "privilegedClaimName": "admin-privileged"}]`,
		refused: []string{"claim default/admin-privileged: " + needsLabel}},
	{name: "admin-embedded", claims: embeddedClaim(`{"claims": [{"deviceClass": "admin"}]}`),
		refused: []string{"claim default/admin-embedded-d: a claim embedded in a pod cannot use a class with adminAccess"}},
}

const needsLabel = `admin access to devices needs the label resource.kubernetes.io/admin-access: "true" on namespace default`

// Each has an answer that names the fault, soon, and nothing is in the way of others.
func TestBadInputIsAnswered(t *testing.T) {
	t.Parallel()
	s := newServing(t)
	s.Nodes(kube.MakeNode("n1"))
	s.make(
		[3]string{"DeviceDriver", "example.com-foozer", "deviceTypes: [foozer]"},
		[3]string{"DeviceDriver", "example.com-mixed", "deviceTypes: [mixed]"},
		[3]string{"DeviceClass", "foozer", "spec: {driver: example.com-foozer, deviceType: foozer}"},
		[3]string{"DevicePool", "n1-00", `spec: {nodeName: n1, driver: example.com-foozer, count: 100, attributes: [
			{name: numa, stringValue: "0"}, {name: model, stringValue: ` + strings.Repeat("a", 100) + `}]}`})
	s.serve(nil)
	began := time.Now()
	for _, row := range badInputs {
		s.make(row.objects...)
	}
	s.untilKnown()
	for _, row := range badInputs {
		claims := row.claims
		if claims == "" {
			claims = fmt.Sprintf(`[{"name": "d", "claimName": %q}]`, row.name)
		}
		s.Pods(pod(row.name, claims))
	}
	s.untilTried()
	for _, row := range badInputs {
		s.checkAnswered(row)
	}
	s.untilClass("broken", "Invalid")
	s.untilClass("orphan", "NoDriver")
	s.editStatuses()
	s.Within(10*time.Second, "all are answered", time.Since(began))
	s.labelNamespace()
	s.untilSound()
}

func (s *serving) checkAnswered(row badInput) {
	s.Helper()
	if len(row.refused) > 0 {
		s.untilRefused(row.name, row.refused...)
	} else {
		s.untilOn(row.name, "n1")
	}
	if row.state != "" {
		s.untilClaim(row.name, "state", row.state)
	}
	for _, text := range row.message {
		s.untilClaim(row.name, "message", text)
	}
	if row.event != "" {
		s.UntilEventWith(row.event, row.message[0])
	}
}

// untilClass waits until the condition Ready of a class is False for that reason.
func (s *serving) untilClass(name, reason string) {
	s.Helper()
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(context.Context) error {
		class, err := s.kinds.client(kinds["DeviceClass"]).Get(s.Ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(class.Object, "status", "conditions")
		for _, each := range conditions {
			if condition := each.(map[string]any); condition["status"] == "False" && condition["reason"] == reason {
				return nil
			}
		}
		return fmt.Errorf("class %s: %v, want %s", name, conditions, reason)
	}))
}

// editStatuses: claims are freed that no pod uses, entries removed of claims that have nothing, and what contradicts
// what a pod has is said.
func (s *serving) editStatuses() {
	s.Helper()
	s.make([3]string{"DevicePool", "edited", "spec: {nodeName: n1, driver: example.com-edited, count: 4}"},
		[3]string{"DeviceClass", "edited", "spec: {driver: example.com-edited, deviceType: edited}"},
		[3]string{"DeviceClaim", "in-use", "spec: {deviceClass: edited}"},
		[3]string{"DeviceClaim", "by-hand", "spec: {deviceClass: edited}"},
		[3]string{"DeviceClaim", "intended", "spec: {deviceClass: edited}"})
	s.Pods(pod("in-use", `[{"name": "d", "claimName": "in-use"}]`))
	s.untilOn("in-use", "n1")
	s.untilClaim("in-use", "state", "Allocated")

	s.Must(s.kinds.setStatus("DeviceClaim", "by-hand", `status: {state: Allocated, nodeName: n1, podNames: [gone],
		pods: [{name: gone, uid: gone}], allocations: [{devicePoolName: edited, deviceCount: 99}]}`))
	s.untilClaim("by-hand", "state", "Pending")

	s.untilSound() // what the pod got is confirmed
	// An allocation of a claim that is gone, and an intent without a writer.
	s.Must(s.kinds.setStatus("DevicePool", "edited", fmt.Sprintf(`status: {allocations: [
		{claimUID: gone, claimNamespace: default, claimName: gone, state: Confirmed, deviceCount: 2},
		{claimUID: %s, claimNamespace: default, claimName: intended, state: Intent, deviceCount: 1}]}`,
		s.claim("intended").GetUID())))
	s.untilPool("edited", 3)
	s.untilSound()

	s.Must(s.kinds.editStatus("DeviceClaim", "in-use", func(o *unstructured.Unstructured) {
		own := o.Object["status"].(map[string]any)
		own["allocations"].([]any)[0].(map[string]any)["deviceCount"] = int64(5)
	}))
	s.UntilEventWith("DevicesConflict", "claim default/in-use has devices that are not free: ")
	s.remove("in-use")
	s.untilClaim("in-use", "state", "Pending")
}

// labelNamespace: what an administrator allows pods get that waited for it, and one that was bound past the agent.
func (s *serving) labelNamespace() {
	s.Helper()
	s.make([3]string{"DevicePrivilegedClaim", "admin-past", "spec: {driver: example.com-foozer}"})
	s.Pods(pod("admin-past", `[{"name": "d", "privilegedClaimName": "admin-past"}]`).Node("n1"))
	s.UntilEventWith("DevicesConflict", "the pod is bound without its devices: claim default/admin-past: "+needsLabel)
	label := func(value string) {
		_, err := s.Client.CoreV1().Namespaces().Patch(s.Ctx, "default", types.MergePatchType,
			[]byte(`{"metadata": {"labels": {"resource.kubernetes.io/admin-access": `+value+`}}}`), metav1.PatchOptions{})
		s.Must(err)
	}
	label(`"true"`)
	s.Cleanup(func() { label("null") }) // the namespace stays for the next test
	s.untilOn("admin-class", "n1")
	s.untilClaim("admin-class", "state", "Allocated")
	s.untilOn("admin-privileged", "n1")
	s.untilStatus("DevicePrivilegedClaim", "admin-privileged", "state", "Allocated")
	s.untilStatus("DevicePrivilegedClaim", "admin-past", "state", "Allocated")
	s.untilRefused("admin-embedded", "claim default/admin-embedded-d: a claim embedded in a pod cannot use a class with adminAccess")
}
