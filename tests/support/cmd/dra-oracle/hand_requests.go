package main

import (
	resourceapi "k8s.io/api/resource/v1"
)

const (
	equal      = resourceapi.DeviceTolerationOpEqual
	exists     = resourceapi.DeviceTolerationOpExists
	noSchedule = resourceapi.DeviceTaintEffectNoSchedule
	noExecute  = resourceapi.DeviceTaintEffectNoExecute
	noEffect   = resourceapi.DeviceTaintEffectNone
)

func models(names ...string) []resourceapi.Device {
	var all []resourceapi.Device
	for i, name := range names {
		all = append(all, device("g"+string(rune('0'+i)), attribute("model", name), attribute("id", i)))
	}
	return all
}

func ofModel(name string) requestOption {
	return where("device.attributes['gpu.example.com'].?model.orValue('') == '" + name + "'")
}

func alternativeCases() []*testCase {
	return []*testCase{
		handCase("first-rank", "the first alternative that fits", local("n1", models("x", "y")),
			claim("c", first("r", exactly("a", 1, ofModel("z")), exactly("b", 1, ofModel("y")), exactly("d", 1)))),
		handCase("first-none", "no alternative fits", local("n1", models("x", "y")),
			claim("c", first("r", exactly("a", 3), exactly("b", 1, ofModel("z"))))),
		handCase("first-count", "four, else two",
			local("n1", models("x", "x", "x")), claim("c", first("r", exactly("a", 4), exactly("b", 2)))),
		handCase("first-gives-way-to-later-request", "a takes its second alternative, as b needs both devices of model x",
			local("n1", models("x", "x", "y")),
			claim("c", first("a", exactly("x", 1, ofModel("x")), exactly("y", 1, ofModel("y"))),
				exactly("b", 2, ofModel("x")))),
		handCase("first-gives-way-to-later-claim", "as before, with a claim", local("n1", models("x", "x", "y")),
			claim("c", first("a", exactly("x", 1, ofModel("x")), exactly("y", 1, ofModel("y")))), claim("d",
				exactly("b", 2, ofModel("x")))),
		handCase("first-two", "alternatives of two requests: the later request changes first",
			local("n1", models("x", "y", "z")),
			claim("c", first("a", exactly("x", 1, ofModel("x")), exactly("y", 1, ofModel("y"))),
				first("b", exactly("x", 1, ofModel("x")), exactly("z", 1, ofModel("z"))))),
		handCase("first-all", "an alternative with All that finds nothing is passed over", local("n1", models("x", "y")),
			claim("c", first("r", everything("a", ofModel("z")), everything("b", ofModel("y"))))),
		handCase("first-all-constraint-error", "an alternative with All that breaks a constraint is an error, the next is not tried",
			local("n1", models("x", "y")),
			claim("c", first("r", everything("a"), exactly("b", 1)), matching(gpuDriver+"/model"))),
		handCase("first-match", "the first alternative cannot match", local("n1", models("x", "y", "y")),
			claim("c", exactly("a", 1, ofModel("y")), first("b", exactly("x", 1, ofModel("x")), exactly("y", 1)),
				matching(gpuDriver+"/model"))),
		handCase("first-match-named", "a constraint on one alternative only", local("n1", models("x", "y")),
			claim("c", exactly("a", 1, ofModel("y")), first("b", exactly("x", 1, ofModel("x")), exactly("y", 1, ofModel("x"))),
				matching(gpuDriver+"/model", "a", "b/x"))),
		handCase("first-match-parent", "a constraint on the request binds all its alternatives",
			local("n1", models("x", "y")),
			claim("c", exactly("a", 1, ofModel("y")), first("b", exactly("x", 1, ofModel("x")), exactly("y", 1, ofModel("x"))),
				matching(gpuDriver+"/model", "a", "b"))),
		handCase("first-capacity", "alternatives with other capacity",
			local("n1", device("g0", shareable, capacity("memory", "10Gi"))),
			claim("c", first("r", exactly("a", 1, needs("memory", "20Gi")), exactly("b", 1, needs("memory", "5Gi"))))),
		handCase("first-tolerations", "alternatives with other tolerations",
			local("n1", device("g0", tainted("t", "", noSchedule))),
			claim("c", first("r", exactly("a", 1), exactly("b", 1, tolerates("t", exists, "", ""))))),
		handCase("first-class", "alternatives of other classes", local("n1", of(nicDriver), device("p0")),
			claim("c", first("r", exactly("a", 1), exactly("b", 1, ofClass("nic"))))),
		handCase("first-selector-error", "an error of the first alternative, which is tried first",
			local("n1", devices("g", 2)),
			claim("c", first("r", exactly("a", 1, where("device.attributes['gpu.example.com'].model == 'x'")),
				exactly("b", 1)))),
		handCase("first-selector-error-not-reached", "an error of an alternative that is not reached",
			local("n1", devices("g", 2)),
			claim("c", first("r", exactly("b", 1),
				exactly("a", 1, where("device.attributes['gpu.example.com'].model == 'x'"))))),
		handCase("first-all-incomplete-not-reached", "All of a later alternative meets an incomplete pool: an error although not reached",
			local("n1", device("g0")), pool("p", slice(on("n1"), outOf(2), device("g1"))),
			claim("c", first("r", exactly("a", 1), everything("b")))),
	}
}

// list is an attribute of a kind that is not on by default.
func list(d *resourceapi.Device) {
	d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValues: []string{"x"}}}
}

func constraintCases() []*testCase {
	model := gpuDriver + "/model"
	two := exactly("r", 2)
	return []*testCase{
		handCase("match", "two of the same model, not the first two",
			local("n1", models("x", "y", "x")), claim("c", two, matching(model))),
		handCase("match-none", "all models are different",
			local("n1", models("x", "y", "z")), claim("c", two, matching(model))),
		handCase("match-backtrack", "the model of the first device is rare", local("n1", models("x", "y", "y", "y")),
			claim("c", exactly("r", 3), matching(model))),
		handCase("match-requests", "over two requests", local("n1", models("x", "y", "y")),
			claim("c", exactly("a", 1), exactly("b", 1), matching(model))),
		handCase("match-named", "request b is free", local("n1", models("x", "y", "y")),
			claim("c", exactly("a", 1), exactly("b", 1), exactly("d", 1), matching(model, "a", "d"))),
		handCase("match-unknown-name", "a constraint on a request that does not exist binds nothing",
			local("n1", models("x", "y")),
			claim("c", two, matching(model, "absent"))),
		handCase("match-missing", "a device without the attribute never matches",
			local("n1", device("g0"), device("g1", attribute("model", "x")), device("g2")),
			claim("c", exactly("r", 1), matching(model))),
		handCase("match-kinds", "a string and a number never match",
			local("n1", device("g0", attribute("model", "1")), device("g1", attribute("model", 1))),
			claim("c", two, matching(model))),
		handCase("match-bool", "booleans match",
			local("n1", device("g0", attribute("model", true)), device("g1", attribute("model", false)),
				device("g2", attribute("model", true))),
			claim("c", two, matching(model))),
		handCase("match-version", "versions match as texts: build 1 differs",
			local("n1", device("g0", attribute("model", version("1.0.0+1"))),
				device("g1", attribute("model", version("1.0.0"))),
				device("g2", attribute("model", version("1.0.0")))), claim("c", two, matching(model))),
		handCase("match-domain", "a name with and without the driver's domain is the same",
			local("n1", device("g0", attribute("model", "x")), device("g1", attribute(model, "x"))),
			claim("c", two, matching(model))),
		handCase("match-domain-both", "the full name wins where a device has both",
			local("n1", device("g0", attribute("model", "x"), attribute(model, "y")), device("g1", attribute("model", "x")),
				device("g2", attribute(model, "y"))), claim("c", two, matching(model))),
		handCase("match-other-domain", "short names belong to the driver's domain only", local("n1", models("x", "x")),
			claim("c", two, matching("other.example.com/model"))),
		handCase("match-without-domain", "a name without a domain is looked up as it stands", local("n1", models("x")),
			claim("c", exactly("r", 1), matching("model"))),
		handCase("match-list", "the first device may have a list, which matches no second one",
			local("n1", device("g0", list), device("g1", list)), claim("c", exactly("r", 1, ofClass("any")), matching(model)),
			claim("d", exactly("r", 1, ofClass("any")))),
		handCase("match-list-two", "two devices with lists do not match",
			local("n1", device("g0", list), device("g1", list)),
			claim("c", exactly("r", 2, ofClass("any")), matching(model))),
		handCase("distinct-list", "nor are they distinct", local("n1", device("g0", list), device("g1", list)),
			claim("c", exactly("r", 2, ofClass("any")), different(model))),
		handCase("match-drivers", "devices of two drivers match on an attribute of a common domain",
			local("n1", device("g0", attribute("resource.kubernetes.io/pcieRoot", "a")),
				device("g1", attribute("resource.kubernetes.io/pcieRoot", "b"))),
			pool("n1", slice(on("n1"), of(nicDriver), device("p0", attribute("resource.kubernetes.io/pcieRoot", "b")))),
			claim("c", exactly("a", 1), exactly("b", 1, ofClass("nic")), matching("resource.kubernetes.io/pcieRoot"))),
		handCase("match-per-claim", "constraints bind the claim only", local("n1", models("x", "y")),
			claim("c", exactly("r", 1), matching(model)), claim("d", exactly("r", 1), matching(model))),
		handCase("match-all-error", "All breaks a constraint: an error",
			local("n1", models("x", "y")), claim("c", everything("r"), matching(model))),
		handCase("match-all", "All meets the constraint",
			local("n1", models("x", "x")), claim("c", everything("r"), matching(model))),
		handCase("match-two", "two constraints at once",
			local("n1", device("g0", attribute("model", "x"), attribute("numa", 0)),
				device("g1", attribute("model", "x"), attribute("numa", 1)),
				device("g2", attribute("model", "y"), attribute("numa", 0)),
				device("g3", attribute("model", "x"), attribute("numa", 0))),
			claim("c", two, matching(model), matching(gpuDriver+"/numa"))),
		handCase("distinct", "two models", local("n1", models("x", "x", "y")), claim("c", two, different(model))),
		handCase("distinct-none", "one model only", local("n1", models("x", "x", "x")), claim("c", two, different(model))),
		handCase("distinct-missing", "a device without the attribute is never distinct",
			local("n1", device("g0"), device("g1")),
			claim("c", exactly("r", 1), different(model))),
		handCase("distinct-kinds", "a string and a number are distinct",
			local("n1", device("g0", attribute("model", "1")), device("g1", attribute("model", 1))),
			claim("c", two, different(model))),
		handCase("distinct-bool", "two of three booleans",
			local("n1", device("g0", attribute("model", true)), device("g1", attribute("model", true)),
				device("g2", attribute("model", false))),
			claim("c", two, different(model))),
		handCase("distinct-version", "versions are distinct as texts",
			local("n1", device("g0", attribute("model", version("1.0.0"))), device("g1", attribute("model", version("1.0.0"))),
				device("g2", attribute("model", version("1.0.0+1")))), claim("c", two, different(model))),
		handCase("distinct-named", "request b, and the second alternative of d, are free",
			local("n1", models("x", "x", "x")),
			claim("c", exactly("a", 1), exactly("b", 1), first("d", exactly("x", 1), exactly("y", 1)),
				different(model, "a", "d/x"))),
		handCase("distinct-requests", "over two requests", local("n1", models("x", "x", "y")),
			claim("c", exactly("a", 1), exactly("b", 1), different(model, "a", "b"))),
		handCase("distinct-and-match", "the same model, different numa",
			local("n1", device("g0", attribute("model", "x"), attribute("numa", 0)),
				device("g1", attribute("model", "x"), attribute("numa", 0)),
				device("g2", attribute("model", "y"), attribute("numa", 1)),
				device("g3", attribute("model", "x"), attribute("numa", 1))),
			claim("c", two, matching(model), different(gpuDriver+"/numa"))),
		handCase("constraint-empty", "a constraint of an unknown kind is an error", local("n1", models("x")),
			claim("c", exactly("r", 1), resourceapi.DeviceConstraint{})),
	}
}

func adminCases() []*testCase {
	return []*testCase{
		handCase("admin-in-use", "admin access to a held device",
			local("n1", devices("g", 2)), held("h", holds("n1/g0"), holds("n1/g1")),
			claim("c", exactly("r", 1, asAdmin))),
		handCase("admin-first", "admin access takes the first device, held or not",
			local("n1", devices("g", 2)), held("h", holds("n1/g0")),
			claim("c", exactly("r", 1, asAdmin))),
		handCase("admin-all", "admin access to all devices", local("n1", devices("g", 3)), held("h", holds("n1/g1")),
			claim("c", everything("r", asAdmin))),
		handCase("admin-same-claim", "a claim has a device once, also as admin", local("n1", devices("g", 2)),
			claim("c", exactly("a", 1, asAdmin), exactly("b", 1, asAdmin))),
		handCase("admin-same-claim-plain", "a plain request of the claim comes first", local("n1", devices("g", 1)),
			claim("c", exactly("a", 1), exactly("b", 1, asAdmin))),
		handCase("admin-all-same-claim", "All as admin includes a device that the claim already has",
			local("n1", devices("g", 2)), claim("c", exactly("a", 1), everything("b", asAdmin))),
		handCase("admin-other-claim", "admin access to a device that an earlier claim of the pod gets",
			local("n1", devices("g", 1)),
			claim("c", exactly("r", 1)), claim("d", exactly("r", 1, asAdmin))),
		handCase("admin-before-other-claim", "a device with admin access is in use for later claims of the pod",
			local("n1", devices("g", 1)),
			claim("c", exactly("r", 1, asAdmin)), claim("d", exactly("r", 1))),
		handCase("admin-two-claims", "two claims with admin access", local("n1", devices("g", 1)),
			claim("c", exactly("r", 1, asAdmin)), claim("d", exactly("r", 1, asAdmin))),
		handCase("admin-held-as-admin", "a device that others administer is free",
			local("n1", devices("g", 1)), held("h", administers("n1/g0")),
			claim("c", exactly("r", 1))),
		handCase("admin-false", "adminAccess: false is as absent", local("n1", devices("g", 1)),
			claim("c", exactly("r", 1, func(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = new(bool) }))),
		handCase("admin-constraint", "constraints bind admin access, too", local("n1", models("x", "y")),
			claim("c", exactly("r", 2, asAdmin), matching(gpuDriver+"/model"))),
	}
}

func taintCases() []*testCase {
	with := func(id, why string, effect resourceapi.DeviceTaintEffect, options ...requestOption) *testCase {
		return handCase("taint-"+id, why, local("n1", device("g0", tainted("broken", "yes", effect))), claim("c",
			exactly("r", 1, options...)))
	}
	return []*testCase{
		with("no-schedule", "not tolerated", noSchedule),
		with("no-execute", "not tolerated", noExecute),
		with("none", "the effect None prevents nothing", noEffect),
		with("unknown", "an unknown effect prevents nothing", "NoSuchEffect"),
		with("equal", "key and value", noSchedule, tolerates("broken", equal, "yes", noSchedule)),
		with("equal-other-value", "another value", noSchedule, tolerates("broken", equal, "no", noSchedule)),
		with("equal-other-key", "another key", noSchedule, tolerates("slow", equal, "yes", noSchedule)),
		with("equal-every-effect", "an empty effect means all", noExecute, tolerates("broken", equal, "yes", "")),
		with("equal-other-effect", "another effect", noExecute, tolerates("broken", equal, "yes", noSchedule)),
		with("equal-without-key", "an empty key means all, the value counts", noSchedule, tolerates("", equal, "yes", "")),
		with("empty-operator", "an empty operator means Equal", noSchedule, tolerates("broken", "", "yes", "")),
		with("exists", "the key suffices", noSchedule, tolerates("broken", exists, "", noSchedule)),
		with("exists-with-value", "Exists ignores the value", noSchedule, tolerates("broken", exists, "no", "")),
		with("exists-without-key", "everything is tolerated", noExecute, tolerates("", exists, "", "")),
		with("unknown-operator", "an unknown operator tolerates nothing",
			noSchedule, tolerates("broken", "Like", "yes", "")),
		with("admin", "admin access tolerates nothing by itself", noSchedule, asAdmin),
		handCase("taint-other-device", "the next device has no taint",
			local("n1", device("g0", tainted("a", "", noSchedule)), device("g1")),
			claim("c", exactly("r", 1))),
		handCase("taint-two", "each taint must be tolerated",
			local("n1", device("g0", tainted("a", "", noSchedule), tainted("b", "", noExecute)),
				device("g1", tainted("a", "", noSchedule))),
			claim("c", exactly("r", 1, tolerates("a", exists, "", "")))),
		handCase("taint-all", "All fails on one tainted device",
			local("n1", device("g0"), device("g1", tainted("a", "", noSchedule))),
			claim("c", everything("r"))),
		handCase("taint-class-of-request", "tolerations belong to their request",
			local("n1", devices("g", 2, tainted("a", "", noSchedule))),
			claim("c", exactly("a", 1, tolerates("a", exists, "", "")), exactly("b", 1))),
	}
}

func allCases() []*testCase {
	return []*testCase{
		handCase("all", "all devices of the class",
			local("n1", devices("g", 3)), local("n2", of(nicDriver), devices("p", 1)), claim("c", everything("r"))),
		handCase("all-none", "All needs at least one device",
			local("n1", of(nicDriver), devices("p", 1)), claim("c", everything("r"))),
		handCase("all-in-use", "one device is held",
			local("n1", devices("g", 3)), held("h", holds("n1/g1")), claim("c", everything("r"))),
		handCase("all-selected", "the held device is not selected",
			local("n1", models("x", "y", "x")), held("h", holds("n1/g1")),
			claim("c", everything("r", ofModel("x")))),
		handCase("all-incomplete", "an incomplete pool is an error",
			pool("p", slice(on("n1"), outOf(2), device("g0"))), claim("c", everything("r"))),
		handCase("all-incomplete-other-driver", "also one of which nothing is wanted", local("n1", device("g0")),
			pool("p", slice(on("n1"), of(nicDriver), outOf(2), device("p0"))), claim("c", everything("r"))),
		handCase("all-invalid", "an invalid pool is an error",
			local("n1", device("g0"), device("g0")), claim("c", everything("r"))),
		handCase("all-and-exact", "All is decided beforehand: a request before it takes one of them",
			local("n1", devices("g", 2)),
			claim("c", exactly("a", 1), everything("b"))),
		handCase("all-before-exact", "nothing is left",
			local("n1", devices("g", 2)), claim("c", everything("a"), exactly("b", 1))),
		handCase("all-backtrack", "the request before All gets the device that All does not want",
			local("n1", models("x", "y")),
			claim("c", exactly("a", 1), everything("b", ofModel("x")))),
		handCase("all-two-pools", "of all pools, in order",
			pool("b", slice(on("n1"), device("g0"))), pool("a", slice(onAll, device("g0"))),
			claim("c", everything("r"))),
		handCase("all-per-device", "the devices that are available on the node",
			pool("p", slice(perDevice, device("g0", forNode("n1")), device("g1", forNode("n2")),
				device("g2", forAll))), claim("c", everything("r"))),
		handCase("all-unknown-mode", "an unknown mode is an error", local("n1", device("g0")),
			claim("c", exactly("r", 1, func(r *resourceapi.ExactDeviceRequest) { r.AllocationMode = "Some" }))),
	}
}

func selectorCases() []*testCase {
	const isX = "device.attributes['gpu.example.com'].model == 'x'"
	bare := []resourceapi.Device{device("g0", attribute("model", "x")), device("g1")}
	return []*testCase{
		handCase("cel-constant", "false matches nothing",
			local("n1", models("x")), claim("c", exactly("r", 1, where("false")))),
		handCase("cel-runtime-not-reached", "the device without the attribute comes after the one that is taken",
			local("n1", bare),
			claim("c", exactly("r", 1, where(isX)))),
		handCase("cel-runtime", "an error as soon as a device without the attribute is tried",
			local("n1", bare), claim("c", exactly("r", 2, where(isX)))),
		handCase("cel-runtime-held", "held devices are not evaluated",
			local("n1", device("g1"), device("g0", attribute("model", "x"))),
			held("h", holds("n1/g1")), claim("c", exactly("r", 1, where(isX)))),
		handCase("cel-runtime-all", "All evaluates held devices, too",
			local("n1", device("g1"), device("g0", attribute("model", "x"))),
			held("h", holds("n1/g1")), claim("c", everything("r", where(isX)))),
		handCase("cel-class-first", "the class rejects the device before the request's selector fails",
			class("x", "device.driver == 'absent'"),
			local("n1", bare), claim("c",
				exactly("r", 1, ofClass("x"), where("device.attributes['gpu.example.com'].absent == 1")))),
		handCase("cel-class-error", "the class fails",
			class("x", isX), local("n1", device("g0")), claim("c", exactly("r", 1, ofClass("x")))),
		handCase("cel-second-selector", "the first selector guards the second",
			local("n1", device("g0"), device("g1", attribute("model", "x"))),
			claim("c", exactly("r", 1, where("has(device.attributes['gpu.example.com'].model)", isX)))),
		handCase("cel-compile", "an expression that does not compile",
			local("n1", device("g0")), claim("c", exactly("r", 1, where("device.nosuch")))),
		handCase("cel-compile-not-reached", "which matters only if a device is tried",
			claim("c", exactly("r", 1, where("device.nosuch")))),
		handCase("cel-type", "an expression that is no bool",
			local("n1", device("g0")), claim("c", exactly("r", 1, where("device.driver")))),
		handCase("cel-not-bool-at-run-time", "an attribute that is no bool", local("n1", models("x")),
			claim("c", exactly("r", 1, where("device.attributes['gpu.example.com'].model")))),
		handCase("cel-version", "versions are compared as such",
			local("n1", device("g0", attribute("v", version("1.9.0"))), device("g1", attribute("v", version("1.10.0")))),
			claim("c", exactly("r", 1, where("device.attributes['gpu.example.com'].v.compareTo(semver('1.9.1')) > 0")))),
		handCase("cel-capacity", "capacity is a quantity",
			local("n1", device("g0", capacity("memory", "40Gi")), device("g1", capacity("memory", "80Gi"))),
			claim("c", exactly("r", 1, where("device.capacity['gpu.example.com'].memory.compareTo(quantity('64Gi')) > 0")))),
		handCase("cel-unknown-domain", "an unknown domain has no attributes", local("n1", device("g0")),
			claim("c", exactly("r", 1, where("!('model' in device.attributes['absent.example.com'])")))),
		handCase("cel-error-after-success-elsewhere", "the second claim fails after the first has its device",
			local("n1", bare),
			claim("c", exactly("r", 1)), claim("d", exactly("r", 1, where(isX)))),
		handCase("cel-list", "a list does not disturb selectors of something else", local("n1", device("g0", list)),
			claim("c", exactly("r", 1))),
		handCase("cel-bad-version", "each selector fails on a device with a version that is none",
			local("n1", device("g0", attribute("v", version("1.2")))), claim("c", exactly("r", 1))),
		handCase("cel-no-value", "each selector fails on a device with an attribute of an unknown kind",
			local("n1", device("g0", func(d *resourceapi.Device) {
				d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": {}}
			})), claim("c", exactly("r", 1))),
		handCase("cel-bad-version-unread", "which matters only if there is a selector",
			local("n1", device("g0", attribute("v", version("1.2")))), claim("c", exactly("r", 1, ofClass("any")))),
		handCase("cel-missing-selector", "a selector of an unknown kind is an error", local("n1", device("g0")),
			claim("c",
				exactly("r", 1, func(r *resourceapi.ExactDeviceRequest) { r.Selectors = []resourceapi.DeviceSelector{{}} }))),
	}
}

func resultCases() []*testCase {
	configured := class("configured", "device.driver == 'gpu.example.com'")
	configured.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: opaque(gpuDriver, "class")}}
	return []*testCase{
		handCase("config-class", "the class's configuration, once for two requests",
			configured, local("n1", devices("g", 2)),
			claim("c", exactly("a", 1, ofClass("configured")), exactly("b", 1, ofClass("configured")))),
		handCase("config-class-of-one", "it names the requests of the class", configured, local("n1", devices("g", 2)),
			claim("c", exactly("a", 1, ofClass("configured")), exactly("b", 1))),
		handCase("config-claim", "the claim's configurations after the class's", configured, local("n1", devices("g", 2)),
			claim("c", exactly("a", 1, ofClass("configured")),
				exactly("b", 1), config("every"), config("b", "b"), config("both", "a", "b"))),
		handCase("config-alternative", "only configurations of the alternative that was taken",
			local("n1", devices("g", 1)),
			claim("c", first("r", exactly("a", 2),
				exactly("b", 1)), config("a", "r/a"), config("b", "r/b"), config("r", "r"))),
		handCase("result-tolerations", "tolerations of the request and conditions of the device are in the result",
			local("n1", device("g0", bindingConditions("attached"), tainted("t", "", noExecute))),
			claim("c", exactly("r", 1, tolerates("t", exists, "", noExecute)))),
	}
}
