package devices

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// accepted are objects that are at the bounds, or look unusual.
var accepted = []struct{ name, kind, body string }{
	{"class's largest counts", "DeviceClass", "spec: {deviceType: gpu, minDeviceCount: 4096, maxDeviceCount: 4096}"},
	{"class without admin access", "DeviceClass", "spec: {deviceType: gpu, driver: a, adminAccess: false}"},
	{"longest constraints", "DeviceClass", "spec: {deviceType: gpu, constraints: " + strings.Repeat("x", 10240) + "}"},
	{"constraints that do not compile", "DeviceClass", `spec: {deviceType: gpu, constraints: "device."}`},
	{"class that does not exist", "DeviceClaim", "spec: {deviceClass: nowhere}"},
	{"attribute named twice to match", "DeviceClaim", "spec: {deviceClass: a, matchAttributes: [numa, numa]}"},
	{"all of a claim of the count dialect", "DeviceClaim", `spec: {deviceClass: a, driver: b, constraints: "true",
		minDeviceCount: 1, maxDeviceCount: 1, matchAttributes: [a], configs: [{apiVersion: v1, kind: A, name: a}]}`},
	{"class and type", "DeviceClaim", "spec: {matchAttributes: [a], claims: [{deviceClass: a, deviceType: gpu}]}"},
	{"most of oneOf", "DeviceClaim", "spec: {claims: [{oneOf: [" + many(8, "{deviceClass: a%d}") + "]}]}"},
	{"most claims", "DeviceClaim", "spec: {claims: [" + many(32, "{deviceClass: a%d}") + "]}"},
	{"count as text", "DeviceClaim", `spec: {claims: [{deviceClass: a, requests: {count: "4096"}, limits: {count: 4096}}]}`},
	{"9 of 10, which texts order otherwise", "DeviceClaim",
		`spec: {claims: [{deviceClass: a, requests: {count: "9"}, limits: {count: "10"}}]}`},
	{"amounts without a count", "DeviceClaim",
		`spec: {claims: [{deviceClass: a, requests: {memory: 1500Mi, cores: 2, rate: "1e3"}, limits: {count: 1}}]}`},
	{"old names in a class", "DeviceClass", "spec: {deviceTypes: [gpu], deviceMaxCount: 2, attributeMatches: [numa]}"},
	{"old names in a claim", "DeviceClaim", "spec: {deviceClass: a, deviceMaxCount: 2, attributeMatches: [numa]}"},
	{"old names in the device dialect", "DeviceClaim", `spec: {attributeMatches: [numa], claims: [
		{deviceTypes: [gpu], attributeMatches: [model]}, {oneOf: [{deviceTypes: [nic]}, {deviceClass: a}]}]}`},
	{"empty pool", "DevicePool", "spec: {driver: a}"},
	{"pool with a count of 0", "DevicePool", "spec: {driver: a, count: 0}"},
	{"pool with no devices", "DevicePool", "spec: {driver: a, devices: [], resources: []}"},
	{"pool of the network", "DevicePool", `spec: {driver: a, nodeName: "", count: 4096}`},
	{"attributes of each kind", "DevicePool", `spec: {driver: a, count: 1, attributes: [{name: a, stringValue: ""},
		{name: b, intValue: -9223372036854775808}, {name: c, quantityValue: "-1.5Gi"}, {name: d, quantityValue: 8},
		{name: e, semVerValue: not a version}, {name: pcie-root, intValue: 0}]}`},
	{"attribute of the pool overridden", "DevicePool", `spec: {driver: a, attributes: [{name: numa, intValue: 0}],
		devices: [{name: d, attributes: [{name: numa, stringValue: "1"}]}]}`},
	{"capacities", "DevicePool", `spec: {driver: a, resources: [{name: a, capacity: 0}, {name: b, capacity: ".5"},
		{name: c, capacity: 100m, blockSize: "0.01"}, {name: d, capacity: "1E3", blockSize: 100n}]}`},
	{"set", "DeviceSetClaim", "spec: {claimSpec: [" + many(32, "{deviceClass: a%d}") + "]}"},
	{"template of a privileged claim", "DeviceClaimTemplate", "spec: {privilegedClaimSpec: {driver: a}}"},
	{"template of a set", "DeviceClaimTemplate", "spec: {setClaimSpec: {claimSpec: [{deviceClass: a}]}}"},
}

func checkAccepted(w *world) {
	for _, row := range accepted {
		if _, err := w.create(object(w, row.kind, "accepted", row.body), metav1.DryRunAll); err != nil {
			w.Errorf("%s: %v", row.name, err)
		}
	}
}

// checkLargest: the bounds keep what the rules cost at run time within what the API server allows.
func checkLargest(w *world) {
	names := func(format string, count int) (list []string) {
		for i := range count {
			list = append(list, fmt.Sprintf(format, i))
		}
		return list
	}
	longest := names("r%062d", 16)
	resources, requests, devices := []any{}, map[string]any{}, []any{}
	for _, name := range longest {
		resources = append(resources, map[string]any{"name": name, "capacity": "1Ti"})
		requests[name] = "1Gi"
	}
	for _, name := range names("d%d", 1024) {
		devices = append(devices, map[string]any{"name": name, "requests": requests})
	}
	pool := object(w, "DevicePool", "largest", "spec: {driver: a}")
	pool.Object["spec"].(map[string]any)["resources"] = resources
	pool.Object["spec"].(map[string]any)["devices"] = devices

	detail := map[string]any{"deviceClass": "a", "requests": map[string]any{"count": int64(4096)},
		"limits": map[string]any{"count": "4096"}}
	for _, name := range names("amount-%d", 15) {
		detail["requests"].(map[string]any)[name] = "1Gi"
	}
	claim := object(w, "DeviceClaim", "largest", "spec: {}")
	claims := []any{}
	for range 32 {
		claims = append(claims, map[string]any{"oneOf": slices.Repeat([]any{detail}, 8)})
	}
	claim.Object["spec"].(map[string]any)["claims"] = claims
	for _, o := range []*unstructured.Unstructured{pool, claim} {
		if _, err := w.create(o, metav1.DryRunAll); err != nil {
			w.Errorf("the largest %s: %.500v", o.GetKind(), err)
		}
	}
}
