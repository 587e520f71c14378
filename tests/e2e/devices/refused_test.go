package devices

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// refused are objects with one fault each: the field that the API server names (two, where a further rule looks at the
// same value), and a part of what it says of it.
var refused = []struct{ name, kind, body, field, says string }{
	// Drivers.
	{"driver without types", "DeviceDriver", "", "deviceTypes", "Required value"},
	{"driver with no types", "DeviceDriver", "deviceTypes: []", "deviceTypes", "at least 1"},
	{"type twice", "DeviceDriver", "deviceTypes: [gpu, gpu]", "deviceTypes[1]", "Duplicate value"},

	// Classes.
	{"class without a type", "DeviceClass", "spec: {driver: a}", "spec.deviceType", "Required value"},
	{"class whose type is empty", "DeviceClass", `spec: {deviceType: ""}`, "spec.deviceType", "at least 1 char"},
	{"class's minimum 0", "DeviceClass", "spec: {deviceType: gpu, minDeviceCount: 0}",
		"spec.minDeviceCount", "greater than or equal to 1"},
	{"class's minimum -2", "DeviceClass", "spec: {deviceType: gpu, minDeviceCount: -2}",
		"spec.minDeviceCount", "greater than or equal to 1"},
	{"class's minimum too large", "DeviceClass", "spec: {deviceType: gpu, minDeviceCount: 4097}",
		"spec.minDeviceCount", "less than or equal to 4096"},
	{"class's maximum 0", "DeviceClass", "spec: {deviceType: gpu, maxDeviceCount: 0}",
		"spec.maxDeviceCount spec.minDeviceCount", "greater than or equal to 1"},
	{"class's minimum above its maximum", "DeviceClass", "spec: {deviceType: gpu, minDeviceCount: 3, maxDeviceCount: 2}",
		"spec.minDeviceCount", "minDeviceCount is above maxDeviceCount"},
	{"class of both dialects, by maximum", "DeviceClass",
		"spec: {deviceType: gpu, driver: a, adminAccess: true, maxDeviceCount: 2}", "spec.adminAccess", "count dialect"},
	{"class of both dialects, by minimum", "DeviceClass",
		"spec: {deviceType: gpu, driver: a, adminAccess: true, minDeviceCount: 2}", "spec.adminAccess", "count dialect"},
	{"class of both dialects, by attributes", "DeviceClass",
		"spec: {deviceType: gpu, driver: a, adminAccess: false, matchAttributes: [numa]}", "spec.adminAccess", "count dialect"},
	{"class of the device dialect without a driver", "DeviceClass", "spec: {deviceType: gpu, adminAccess: true}",
		"spec.driver", "must name its driver"},
	{"class's configuration without a namespace", "DeviceClass",
		"spec: {deviceType: gpu, configs: [{apiVersion: v1, kind: ConfigMap, name: a}]}",
		"spec.configs[0].namespace", "Required value"},
	{"empty constraints of a class", "DeviceClass", `spec: {deviceType: gpu, constraints: ""}`,
		"spec.constraints", "at least 1 char"},
	{"constraints that are too long", "DeviceClass",
		"spec: {deviceType: gpu, constraints: " + strings.Repeat("x", 10241) + "}", "spec.constraints", "10240"},
	{"too many attributes to match", "DeviceClass",
		"spec: {deviceType: gpu, matchAttributes: [" + many(17, "a%d") + "]}", "spec.matchAttributes", "at most 16"},

	// Claims of the count dialect.
	{"claim of neither dialect", "DeviceClaim", "spec: {matchAttributes: [numa]}", "spec.deviceClass", "needs deviceClass"},
	{"claim without a spec", "DeviceClaim", "", "spec", "Required value"},
	{"both dialects, by class", "DeviceClaim", "spec: {deviceClass: a, claims: [{deviceClass: a}]}",
		"spec.claims", "belong to the count dialect"},
	{"both dialects, by driver", "DeviceClaim", "spec: {driver: a, claims: [{deviceClass: a}]}",
		"spec.claims", "belong to the count dialect"},
	{"both dialects, by constraints", "DeviceClaim", `spec: {constraints: "true", claims: [{deviceClass: a}]}`,
		"spec.claims", "belong to the count dialect"},
	{"both dialects, by minimum", "DeviceClaim", "spec: {minDeviceCount: 1, claims: [{deviceClass: a}]}",
		"spec.claims", "belong to the count dialect"},
	{"both dialects, by maximum", "DeviceClaim", "spec: {maxDeviceCount: 1, claims: [{deviceClass: a}]}",
		"spec.claims", "belong to the count dialect"},
	{"both dialects, by configuration", "DeviceClaim", "spec: {configs: [], claims: [{deviceClass: a}]}",
		"spec.claims", "belong to the count dialect"},
	{"minimum 0", "DeviceClaim", "spec: {deviceClass: a, minDeviceCount: 0}",
		"spec.minDeviceCount", "greater than or equal to 1"},
	{"minimum -2", "DeviceClaim", "spec: {deviceClass: a, minDeviceCount: -2}",
		"spec.minDeviceCount", "greater than or equal to 1"},
	{"minimum 10^9", "DeviceClaim", "spec: {deviceClass: a, minDeviceCount: 1000000000}",
		"spec.minDeviceCount", "less than or equal to 4096"},
	{"maximum 0", "DeviceClaim", "spec: {deviceClass: a, maxDeviceCount: 0}",
		"spec.maxDeviceCount", "greater than or equal to 1"},
	{"minimum above maximum", "DeviceClaim", "spec: {deviceClass: a, minDeviceCount: 3, maxDeviceCount: 2}",
		"spec.minDeviceCount", "minDeviceCount is above maxDeviceCount"},
	{"minimum as text", "DeviceClaim", `spec: {deviceClass: a, minDeviceCount: "2"}`, "spec.minDeviceCount", "integer"},
	{"configuration without a name", "DeviceClaim", "spec: {deviceClass: a, configs: [{apiVersion: v1, kind: ConfigMap}]}",
		"spec.configs[0].name", "Required value"},

	// Claims of the device dialect.
	{"no claims", "DeviceClaim", "spec: {claims: []}", "spec.claims", "at least 1"},
	{"too many claims", "DeviceClaim", "spec: {claims: [" + many(33, "{deviceClass: a%d}") + "]}", "spec.claims", "at most 32"},
	{"neither class nor type", "DeviceClaim", "spec: {claims: [{deviceClass: a}, {requests: {count: 1}}]}",
		"spec.claims[1].deviceClass", "deviceClass, deviceType or both are needed"},
	{"neither class nor type in oneOf", "DeviceClaim", "spec: {claims: [{oneOf: [{deviceClass: a}, {matchAttributes: [b]}]}]}",
		"spec.claims[0].oneOf[1].deviceClass", "deviceClass, deviceType or both are needed"},
	{"oneOf next to a class", "DeviceClaim", "spec: {claims: [{deviceClass: a, oneOf: [{deviceClass: b}]}]}",
		"spec.claims[0].oneOf", "stands alone"},
	{"oneOf next to requests", "DeviceClaim", "spec: {claims: [{requests: {count: 1}, oneOf: [{deviceClass: b}]}]}",
		"spec.claims[0].oneOf", "stands alone"},
	{"oneOf of nothing", "DeviceClaim", "spec: {claims: [{oneOf: []}]}", "spec.claims[0].oneOf", "at least 1"},
	{"oneOf of too many", "DeviceClaim", "spec: {claims: [{oneOf: [" + many(9, "{deviceClass: a%d}") + "]}]}",
		"spec.claims[0].oneOf", "at most 8"},
	{"count 0", "DeviceClaim", "spec: {claims: [{deviceClass: a, requests: {count: 0}}]}",
		"spec.claims[0].requests", "count is a whole number from 1 to 4096"},
	{"count 0 as text", "DeviceClaim", `spec: {claims: [{deviceClass: a, requests: {count: "0"}}]}`,
		"spec.claims[0].requests", "count is a whole number from 1 to 4096"},
	{"count -2", "DeviceClaim", "spec: {claims: [{deviceClass: a, requests: {count: -2}}]}",
		"spec.claims[0].requests spec.claims[0].requests.count", "greater than or equal to 0"},
	{"count 10^9", "DeviceClaim", "spec: {claims: [{deviceClass: a, requests: {count: 1000000000}}]}",
		"spec.claims[0].requests", "count is a whole number from 1 to 4096"},
	{"count 1.5", "DeviceClaim", `spec: {claims: [{deviceClass: a, requests: {count: "1.5"}}]}`,
		"spec.claims[0].requests", "count is a whole number from 1 to 4096"},
	{"count in oneOf", "DeviceClaim", "spec: {claims: [{oneOf: [{deviceClass: a, requests: {count: 4097}}]}]}",
		"spec.claims[0].oneOf[0].requests", "count is a whole number from 1 to 4096"},
	{"limit 0", "DeviceClaim", "spec: {claims: [{deviceClass: a, limits: {count: 0}}]}",
		"spec.claims[0].limits", "count is a whole number from 1 to 4096"},
	{"limit below the request", "DeviceClaim",
		`spec: {claims: [{deviceClass: a, requests: {count: "10"}, limits: {count: 9}}]}`,
		"spec.claims[0].limits", "lower count than requests"},
	{"limit below the request in oneOf", "DeviceClaim",
		"spec: {claims: [{oneOf: [{deviceClass: a, requests: {count: 2}, limits: {count: 1}}]}]}",
		"spec.claims[0].oneOf[0].limits", "lower count than requests"},
	{"amount that is no quantity", "DeviceClaim", "spec: {claims: [{deviceClass: a, requests: {memory: 8GB}}]}",
		"spec.claims[0].requests.memory", "should match"},
	{"negative amount", "DeviceClaim", `spec: {claims: [{deviceClass: a, requests: {memory: "-1Gi"}}]}`,
		"spec.claims[0].requests.memory", "should match"},
	{"negative amount as number", "DeviceClaim", `spec: {claims: [{deviceClass: a, requests: {memory: -1}}]}`,
		"spec.claims[0].requests.memory", "greater than or equal to 0"},
	{"amount that is a fraction", "DeviceClaim", "spec: {claims: [{deviceClass: a, requests: {memory: 1.5}}]}",
		"spec.claims[0].requests.memory", "number"},

	// Privileged claims, sets, templates.
	{"privileged without a driver", "DevicePrivilegedClaim", `spec: {constraints: "true"}`, "spec.driver", "Required value"},
	{"set of nothing", "DeviceSetClaim", "spec: {claimSpec: []}", "spec.claimSpec", "at least 1"},
	{"set with a claim without a class", "DeviceSetClaim", "spec: {claimSpec: [{driver: a}]}",
		"spec.claimSpec[0].deviceClass", "Required value"},
	{"set with a minimum above the maximum", "DeviceSetClaim",
		"spec: {claimSpec: [{deviceClass: a, minDeviceCount: 2, maxDeviceCount: 1}]}",
		"spec.claimSpec[0].minDeviceCount", "minDeviceCount is above maxDeviceCount"},
	{"template of nothing", "DeviceClaimTemplate", "spec: {}", "spec.claimSpec", "exactly one"},
	{"template of two", "DeviceClaimTemplate", "spec: {claimSpec: {deviceClass: a}, privilegedClaimSpec: {driver: a}}",
		"spec.claimSpec", "exactly one"},
	{"template with a minimum above the maximum", "DeviceClaimTemplate",
		"spec: {claimSpec: {deviceClass: a, minDeviceCount: 2, maxDeviceCount: 1}}",
		"spec.claimSpec.minDeviceCount", "minDeviceCount is above maxDeviceCount"},

	// Pools.
	{"pool without a driver", "DevicePool", "spec: {count: 1}", "spec.driver", "Required value"},
	{"count and devices", "DevicePool", "spec: {driver: a, count: 1, devices: [{name: a}]}", "spec.count", "count dialect"},
	{"count and resources", "DevicePool", "spec: {driver: a, count: 1, resources: [{name: a, capacity: 1}]}",
		"spec.count", "count dialect"},
	{"negative count", "DevicePool", "spec: {driver: a, count: -1}", "spec.count", "greater than or equal to 0"},
	{"10^9 devices", "DevicePool", "spec: {driver: a, count: 1000000000}", "spec.count", "less than or equal to 4096"},
	{"too many devices", "DevicePool", "spec: {driver: a, devices: [" + many(1025, "{name: d%d}") + "]}",
		"spec.devices", "at most 1024"},
	{"device twice", "DevicePool", "spec: {driver: a, devices: [{name: a}, {name: b}, {name: a}]}",
		"spec.devices[2]", "Duplicate value"},
	{"device without a name", "DevicePool", "spec: {driver: a, devices: [{requests: {}}]}",
		"spec.devices[0].name", "Required value"},
	{"attribute twice", "DevicePool", `spec: {driver: a, count: 1, attributes: [
		{name: numa, stringValue: "0"}, {name: model, stringValue: m}, {name: numa, intValue: 1}]}`,
		"spec.attributes[2]", "Duplicate value"},
	{"attribute of a device twice", "DevicePool", `spec: {driver: a, devices: [{name: a}, {name: b, attributes: [
		{name: numa, stringValue: "0"}, {name: numa, stringValue: "0"}]}]}`,
		"spec.devices[1].attributes[1]", "Duplicate value"},
	{"attribute with two values", "DevicePool",
		"spec: {driver: a, count: 1, attributes: [{name: a, stringValue: x, intValue: 0}]}",
		"spec.attributes[0]", "exactly one of"},
	{"attribute with other two values", "DevicePool",
		"spec: {driver: a, devices: [{name: d, attributes: [{name: a, quantityValue: 1Gi, semVerValue: 1.0.0}]}]}",
		"spec.devices[0].attributes[0]", "exactly one of"},
	{"attribute without a value", "DevicePool", "spec: {driver: a, count: 1, attributes: [{name: a}]}",
		"spec.attributes[0]", "exactly one of"},
	{"attribute without a name", "DevicePool", `spec: {driver: a, count: 1, attributes: [{name: "", intValue: 1}]}`,
		"spec.attributes[0].name", "at least 1 char"},
	{"attribute that is no quantity", "DevicePool", "spec: {driver: a, count: 1, attributes: [{name: a, quantityValue: 10GiB}]}",
		"spec.attributes[0].quantityValue", "should match"},
	{"too many attributes", "DevicePool",
		"spec: {driver: a, count: 1, attributes: [" + many(33, "{name: a%d, intValue: 1}") + "]}",
		"spec.attributes", "at most 32"},
	{"resource twice", "DevicePool", "spec: {driver: a, resources: [{name: r, capacity: 1}, {name: r, capacity: 1}]}",
		"spec.resources[1]", "Duplicate value"},
	{"resource without a capacity", "DevicePool", "spec: {driver: a, resources: [{name: r}]}",
		"spec.resources[0].capacity", "Required value"},
	{"negative capacity", "DevicePool", `spec: {driver: a, resources: [{name: r, capacity: "-1"}]}`,
		"spec.resources[0].capacity", "should match"},
	{"block of 0", "DevicePool", "spec: {driver: a, devices: [{name: d, resources: [{name: r, capacity: 1, blockSize: 0}]}]}",
		"spec.devices[0].resources[0].blockSize", "greater than or equal to 1"},
	{"block of 0 as text", "DevicePool",
		"spec: {driver: a, devices: [{name: d, resources: [{name: r, capacity: 1, blockSize: 0.00Gi}]}]}",
		"spec.devices[0].resources[0].blockSize", "should match"},
	{"request of an unknown resource", "DevicePool",
		"spec: {driver: a, resources: [{name: r, capacity: 1}], devices: [{name: d, requests: {r: 1, s: 1}}]}",
		"spec.devices", "not in resources"},
	{"request without any resource", "DevicePool", "spec: {driver: a, devices: [{name: d, requests: {s: 1}}]}",
		"spec.devices", "not in resources"},
	{"negative request", "DevicePool",
		"spec: {driver: a, resources: [{name: r, capacity: 1}], devices: [{name: d, requests: {r: -1}}]}",
		"spec.devices[0].requests.r", "greater than or equal to 0"},

	// What the prototype's tags print, and fields that never were: strict validation names them.
	{"Driver in upper case", "DeviceClass", "spec: {deviceType: gpu, Driver: a}", "", `unknown field "spec.Driver"`},
	{"field of no version", "DeviceClaim", "spec: {deviceClass: a, matchAttribute: [numa]}", "",
		`unknown field "spec.matchAttribute"`},
	{"two types by the old name", "DeviceClass", "spec: {deviceTypes: [a, b]}", "spec.deviceTypes", "at most 1"},
	{"both dialects, by the old name of the maximum", "DeviceClaim", "spec: {deviceMaxCount: 1, claims: [{deviceClass: a}]}",
		"spec.claims", "count dialect"},
	{"admin access, and attributes to match by their old name", "DeviceClass",
		"spec: {deviceType: gpu, driver: a, adminAccess: true, attributeMatches: [numa]}", "spec.adminAccess", "count dialect"},
	{"spec of a driver", "DeviceDriver", "deviceTypes: [gpu]\nspec: {}", "", `unknown field "spec"`},
}

func checkRefused(w *world) {
	for _, row := range refused {
		_, err := w.create(object(w, row.kind, "refused", row.body), metav1.DryRunAll)
		if fault := differs(err, row.field, row.says); fault != "" {
			w.Errorf("%s: %s", row.name, fault)
		}
	}
	// A pod of the prototype is no pod of Kubernetes: strict validation refuses it, other clients lose the field.
	file := filepath.Join(w.TempDir(), "pod.yaml")
	w.Must(os.WriteFile(file, []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: refused}\nspec:\n"+
		"  containers: [{name: a, image: a}]\n  deviceClaims: [{name: a, claimName: a}]\n"), 0o644))
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--validate=strict", "--dry-run=server", "-f", file)
	if err == nil || !strings.Contains(err.Error(), `unknown field "spec.deviceClaims"`) {
		w.Errorf("a pod with spec.deviceClaims: %v", err)
	}
}

// checkRefusedChanges: a claim keeps its spec while it has devices.
func checkRefusedChanges(w *world) {
	for kind, spec := range map[string]string{"DeviceClaim": "spec: {claims: [{deviceClass: a, requests: {count: 2}}]}",
		"DevicePrivilegedClaim": "spec: {driver: a}"} {
		_, err := w.create(object(w, kind, "changed", spec))
		w.Must(err)
		change := func(patch string) error {
			_, err := w.client(kinds[kind]).Patch(w.Ctx, "changed", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			return err
		}
		other := `{"spec": {"driver": "b"}}`
		if kind == "DeviceClaim" {
			other = `{"spec": {"claims": [{"deviceClass": "admin", "requests": {"count": 2}}]}}`
		}
		w.Must(w.setStatus(kind, "changed", `status: {state: Allocated, nodeName: n1, allocations: [
			{devicePoolName: p, deviceName: d}, {devicePoolName: p, deviceName: e, adminAccess: true}]}`))
		if fault := differs(change(other), "spec", "delete the claim and create it anew"); fault != "" {
			w.Errorf("%s with devices: %s", kind, fault)
		}
		w.Must(change(`{"metadata": {"labels": {"a": "b"}}}`))
		w.Must(w.setStatus(kind, "changed", "status: {state: Pending}"))
		w.Must(change(other))
	}
}

// refusedStatus are statuses with one fault each.
var refusedStatus = []struct{ name, kind, body, field, says string }{
	{"claim's unknown state", "DeviceClaim", "status: {state: Free}", "status.state", "Unsupported value"},
	{"count and device of a pool", "DeviceClaim",
		"status: {allocations: [{devicePoolName: p, deviceCount: 1, deviceName: d}]}", "status.allocations[0]", "either"},
	{"neither count nor device", "DeviceClaim", "status: {allocations: [{devicePoolName: p}]}", "status.allocations[0]", "either"},
	{"-2 devices", "DeviceClaim", "status: {allocations: [{devicePoolName: p, deviceCount: -2}]}",
		"status.allocations[0].deviceCount", "greater than or equal to 1"},
	{"pod twice", "DeviceClaim", "status: {pods: [{name: p, uid: u}, {name: q, uid: u}]}", "status.pods[1]", "Duplicate value"},
	{"claim twice in a pool", "DevicePool", `status: {allocations: [
		{claimUID: u, state: Intent, deviceCount: 1}, {claimUID: u, state: Confirmed, deviceCount: 1}]}`,
		"status.allocations[1]", "Duplicate value"},
	{"entry without a state", "DevicePool", "status: {allocations: [{claimUID: u, deviceCount: 1}]}",
		"status.allocations[0].state", "Required value"},
	{"entry without devices", "DevicePool", "status: {allocations: [{claimUID: u, state: Intent}]}",
		"status.allocations[0]", "either"},
	{"privileged claim's unknown state", "DevicePrivilegedClaim", "status: {state: Free}", "status.state", "Unsupported value"},
	{"class's condition without a type", "DeviceClass",
		`status: {conditions: [{status: "True", reason: a, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]}`,
		"status.conditions[0].type", "Required value"},
}

func checkRefusedStatus(w *world) {
	for kind, spec := range map[string]string{"DeviceClass": "deviceType: gpu", "DevicePool": "driver: a",
		"DeviceClaim": "deviceClass: a", "DevicePrivilegedClaim": "driver: a"} {
		_, err := w.create(object(w, kind, "status", "spec: {"+spec+"}"))
		w.Must(err)
	}
	for _, row := range refusedStatus {
		if fault := differs(w.setStatus(row.kind, "status", row.body), row.field, row.says); fault != "" {
			w.Errorf("%s: %s", row.name, fault)
		}
	}
}

// differs compares why an object was refused with the field and the words that are wanted; "" if they agree.
func differs(err error, field, says string) string {
	if err == nil {
		return "it is accepted"
	}
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		return err.Error()
	}
	if !strings.Contains(err.Error(), says) {
		return fmt.Sprintf("%.600q does not say %q", err.Error(), says)
	}
	if field == "" {
		return ""
	}
	if details := status.Status().Details; details != nil {
		var fields []string
		for _, cause := range details.Causes {
			if cause.Field != "<nil>" { // "some validation rules were not checked"
				fields = append(fields, cause.Field)
			}
		}
		if slices.Sort(fields); strings.Join(slices.Compact(fields), " ") == field {
			return ""
		}
	}
	return fmt.Sprintf("%.600v, where %s alone should be named", err, field)
}

// many joins so many elements of a list, each with its number.
func many(count int, format string) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ", ")
}
