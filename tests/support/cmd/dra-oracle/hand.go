package main

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// handCases are the cases made by hand, a list a topic.
func handCases() []*testCase {
	return slices.Concat(plainCases(), poolCases(), placeCases(), counterCases(), shareCases(), policyCases(),
		alternativeCases(), constraintCases(), adminCases(), taintCases(), allCases(), selectorCases(), resultCases())
}

func plainCases() []*testCase {
	four := func() []any { return []any{local("n1", devices("g", 4))} }
	with := func(id, why string, parts ...any) *testCase { return handCase(id, why, append(four(), parts...)...) }
	return []*testCase{
		handCase("no-slices", "nothing is published", claim("c", exactly("r", 1))),
		with("no-requests", "a claim without requests fits everywhere", claim("c")),
		with("exact-count", "the first two devices of the slice are taken", claim("c", exactly("r", 2))),
		with("count-too-large", "five of four devices", claim("c", exactly("r", 5))),
		with("held-are-skipped", "devices that other claims hold are not available",
			held("h", holds("n1/g0"), holds("n1/g2")), claim("c", exactly("r", 2))),
		with("held-all-but-one", "one device is left, two are wanted",
			held("h", holds("n1/g0"), holds("n1/g2"), holds("n1/g3")), claim("c", exactly("r", 2))),
		with("held-of-another-pool", "a held device of the same name in another pool does not count",
			held("h", holds("n2/g0")), claim("c", exactly("r", 1))),
		with("two-requests", "later requests get what earlier ones left", claim("c", exactly("a", 3), exactly("b", 1))),
		with("two-claims", "claims of a pod never share a device",
			claim("c", exactly("r", 2)), claim("d", exactly("r", 2))),
		with("two-claims-too-many", "together the claims want five",
			claim("c", exactly("r", 3)), claim("d", exactly("r", 2))),
		handCase("two-claims-backtrack", "the first claim gives up g0, the only one that the second can use",
			local("n1", device("g0", attribute("model", "x")), device("g1", attribute("model", "y"))),
			claim("c", exactly("r", 1)),
			claim("d", exactly("r", 1, where("device.attributes['gpu.example.com'].model == 'x'")))),
		handCase("two-requests-backtrack", "request a gives up g0, which b needs",
			local("n1", device("g0", attribute("model", "x")), device("g1", attribute("model", "y"))),
			claim("c", exactly("a", 1), exactly("b", 1, where("device.attributes['gpu.example.com'].model == 'x'")))),
		with("unknown-class", "the class does not exist", claim("c", exactly("r", 1, ofClass("absent")))),
		with("unknown-class-of-alternative", "one alternative has an unknown class, which another could replace",
			claim("c", first("r", exactly("a", 1), exactly("b", 1, ofClass("absent"))))),
		handCase("unknown-class-without-devices", "the class is looked up before any device is",
			claim("c", exactly("r", 1, ofClass("absent")))),
		handCase("missing-class", "a request without a class is an error",
			claim("c", exactly("r", 1, ofClass("")))),
		handCase("derived-attributes", "a request with derived attributes is an error while the feature is off",
			local("n1", device("g0")), claim("c", exactly("r", 1, func(r *resourceapi.ExactDeviceRequest) {
				r.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "gpu.example.com/a", Expression: "1"}}
			}))),
		with("class-without-selectors", "class any takes every driver", local("n2", of(nicDriver), devices("p", 1)),
			claim("c", exactly("r", 1, ofClass("any")))),
		handCase("limit-33", "a claim has at most 32 devices: an error", local("n1", devices("g", 40)),
			claim("c", exactly("r", 33))),
		handCase("limit-32", "32 devices are allowed", local("n1", devices("g", 34)), claim("c", exactly("r", 32))),
		handCase("limit-of-two-requests", "the requests together exceed 32", local("n1", devices("g", 40)),
			claim("c", exactly("a", 20), exactly("b", 13))),
		handCase("limit-is-per-claim", "two claims of 20 devices each", local("n1", devices("g", 40)),
			claim("c", exactly("r", 20)), claim("d", exactly("r", 20))),
		handCase("limit-all", "all of 33 devices: an error", local("n1", devices("g", 33)), claim("c", everything("r"))),
		handCase("limit-alternative", "the first alternative exceeds 32 together with the other request, the second does not",
			local("n1", devices("g", 40)), claim("c", exactly("a", 20), first("b", exactly("x", 20), exactly("y", 12)))),
		handCase("limit-alternatives-all-exceed", "each alternative is at most 32 by itself but the smallest is too many",
			local("n1", devices("g", 40)), claim("c", exactly("a", 30), first("b", exactly("x", 5), exactly("y", 3)))),
		handCase("limit-alternative-first-request", "the first alternative of a makes b exceed 32; the second does not",
			local("n1", devices("g", 40)),
			claim("c", first("a", exactly("x", 30), exactly("y", 10)), first("b", exactly("x", 6), exactly("y", 4)))),
	}
}

func poolCases() []*testCase {
	one := claim("c", exactly("r", 1))
	return []*testCase{
		handCase("pools-by-driver-and-name", "pools are tried by driver, then by name, not in the order of the list",
			pool("b", slice(on("n1"), device("g"))), pool("a", slice(on("n1"), device("g"))),
			pool("z", slice(on("n1"), of("a.example.com"), device("g"))), claim("c", exactly("r", 3, ofClass("any")))),
		handCase("slices-by-name", "slices of a pool are tried by their names",
			pool("p", slice(on("n1"), named("z"), device("g0")), slice(on("n1"), named("a"), device("g1")),
				slice(on("n1"), named("m"), device("g2"))), claim("c", exactly("r", 2))),
		handCase("devices-in-order", "devices of a slice are tried in the order of the list",
			local("n1", device("z"), device("a"), device("m")), claim("c", exactly("r", 2))),
		handCase("generation-newest", "slices of an older generation are ignored",
			pool("p", slice(on("n1"), named("old"), outOf(1), device("g0")),
				slice(on("n1"), named("new"), generation(2), outOf(1), device("g1"))), claim("c", exactly("r", 1))),
		handCase("generation-only-old-has-room", "a device of an older generation cannot be had",
			pool("p", slice(on("n1"), named("old"), outOf(1), devices("g", 2)),
				slice(on("n1"), named("new"), generation(2), outOf(1), devices("g", 1))), claim("c", exactly("r", 2))),
		handCase("generation-old-complete-here", "n1 sees one complete old slice, although a newer generation is elsewhere",
			pool("p", slice(on("n1"), named("old"), outOf(1), device("g0")),
				slice(on("n2"), named("new"), generation(2), outOf(1), device("g1"))), one),
		handCase("generation-old-incomplete-here", "n1 sees one of two old slices: the newer generation elsewhere makes it obsolete",
			pool("p", slice(on("n1"), named("old"), outOf(2), device("g0")),
				slice(on("n2"), named("new"), generation(2), outOf(1), device("g1"))), one),
		handCase("generation-obsolete-all", "an obsolete pool is no error for All, unlike an incomplete one",
			pool("p", slice(on("n1"), named("old"), outOf(2), device("g0")),
				slice(on("n2"), named("new"), generation(2), outOf(1), device("g1"))),
			pool("q", slice(on("n1"), device("g2"))), claim("c", everything("r"))),
		handCase("incomplete", "no device comes from a pool that lacks a slice",
			pool("p", slice(on("n1"), outOf(2), device("g0"))), one),
		handCase("incomplete-other-pool", "another pool serves, after an incomplete one",
			pool("a", slice(on("n1"), outOf(2), device("g0"))), pool("b", slice(on("n1"), device("g1"))), one),
		handCase("too-many-slices", "a pool with more slices than it says is incomplete as well",
			pool("p", slice(on("n1"), outOf(1), device("g0")), slice(on("n1"), outOf(1), device("g1"))), one),
		handCase("slices-of-two-nodes", "a pool is complete although each node sees one slice of two",
			pool("p", slice(on("n1"), device("g0")), slice(on("n2"), device("g1"))), one),
		handCase("count-met-by-local-slices", "n1 sees as many slices as the pool says, n2 finds one more: incomplete there only",
			pool("p", slice(on("n1"), outOf(2), device("g0")), slice(on("n1"), outOf(2), device("g1")),
				slice(on("n2"), outOf(2), device("g2"))), one),
		handCase("duplicate-device", "two slices have a device of the same name: an error of the node",
			pool("p", slice(on("n1"), device("g0")), slice(on("n1"), device("g0"))), one),
		handCase("duplicate-device-other-pool", "another pool serves, after an invalid one",
			pool("a", slice(on("n1"), devices("g", 1)), slice(on("n1"), devices("g", 1))),
			pool("b", slice(on("n1"), device("g1"))), one),
		handCase("duplicate-device-of-two-nodes", "the same name on different nodes is not seen as a duplicate",
			pool("p", slice(on("n1"), device("g0")), slice(on("n2"), device("g0"))), one),
		handCase("invalid-but-nothing-wanted-of-it", "an invalid pool makes a misfit an error, whatever was asked for",
			pool("p", slice(on("n1"), of(nicDriver), device("g0"), device("g0"))), one),
		handCase("empty-slice", "a slice without devices counts for the pool",
			pool("p", slice(on("n1")), slice(on("n1"), device("g0"))), one),
	}
}

// twoTerms is a selector that no API server accepts.
func twoTerms(s *resourceapi.ResourceSlice) {
	onLabels("zone=a")(s)
	terms := &s.Spec.NodeSelector.NodeSelectorTerms
	*terms = append(*terms, selector("zone=b").NodeSelectorTerms...)
}

func placeCases() []*testCase {
	one := claim("c", exactly("r", 1))
	return []*testCase{
		handCase("place-node-name", "a slice of another node", local("n2", device("g0")), one),
		handCase("place-all-nodes", "everywhere: no node selector in the result",
			pool("p", slice(onAll, device("g0"))), one),
		handCase("place-selector", "nodes of zone a", pool("p", slice(onLabels("zone=a"), device("g0"))), one),
		handCase("place-selector-operators", "In, Exists and DoesNotExist of one term", node("n1", "zone=a", "fabric=x"),
			node("n2", "zone=b", "fabric=x"), node("n3", "zone=a"), node("n4", "zone=a", "fabric=x", "old=1"),
			pool("p", slice(onLabels("zone=a,c", "fabric", "!old"), device("g0"))), one),
		handCase("place-nowhere", "a slice without a place is not used, but counts for the pool",
			pool("p", slice(onAll, device("g0")), slice(device("g1"))), one),
		handCase("place-only-nowhere", "a pool that no node sees is not even incomplete",
			pool("p", slice(device("g1"))), claim("c", everything("r"))),
		handCase("place-per-device", "each device says where: by name, selector, all and nowhere",
			pool("p", slice(perDevice, device("g0"), device("g1", forLabel("zone=b")), device("g2", forNode("n1")),
				device("g3", forAll))), claim("c", exactly("r", 2))),
		handCase("place-per-device-selectors-first", "a selector fails on a device of another node: an error on this one too",
			pool("p", slice(perDevice, device("g0", forNode("n2")), device("g1", forNode("n1"), attribute("model", "x")))),
			claim("c", exactly("r", 1, where("device.attributes['gpu.example.com'].model == 'x'")))),
		handCase("place-selectors-merge", "requirements of two pools are joined, equal ones once",
			pool("p", slice(onLabels("zone=a,b", "kubernetes.io/hostname"), device("g0"))),
			pool("q", slice(onLabels("kubernetes.io/hostname", "zone=b,a", "zone"), device("g0"))),
			claim("c", exactly("r", 2))),
		handCase("place-selector-and-name", "a device with a node name ends the merge: only the node counts",
			pool("p", slice(onLabels("zone=a"), device("g0"))), local("n1", device("g1")), claim("c", exactly("r", 2))),
		handCase("place-selector-of-each-claim", "each claim has the selector of its own devices",
			pool("p", slice(onLabels("zone=a"), device("g0"))), pool("q", slice(onAll, device("g0"))), local("n1",
				device("g1")),
			claim("c", exactly("r", 1)), claim("d", exactly("r", 1)), claim("e", exactly("r", 1))),
		handCase("place-per-device-results", "selectors of devices, not of the slice, are in the result",
			pool("p", slice(perDevice, device("g0", forLabel("zone=a")), device("g1", forAll), device("g2", forNode("n2")))),
			claim("c", exactly("r", 2))),
		handCase("place-selectors-differ", "requirements of one key with another operator or other values are all kept",
			pool("p", slice(onLabels("zone=a,b"), device("g0"))), pool("q", slice(onLabels("zone"), device("g0"))),
			pool("r", slice(onLabels("zone=a"), device("g0"))), claim("c", exactly("r", 3))),
		handCase("place-two-terms", "either term matches, but no result can have two: an error once the device is chosen",
			node("n1", "zone=a"), node("n2", "zone=b"), node("n3", "zone=c"), pool("p", slice(twoTerms, device("g0"))), one),
		handCase("binds-to-node", "a device of all nodes that binds to the node",
			pool("p", slice(onAll, device("g0", bindsToNode))), one),
		handCase("binds-to-node-second", "the second device binds, after a selector",
			pool("p", slice(onLabels("zone=a"), device("g0"), device("g1", bindsToNode))), claim("c", exactly("r", 2))),
		handCase("conditions-last", "pools with binding conditions are tried after all others",
			pool("a", slice(on("n1"), device("g0", bindingConditions("attached")))), pool("b", slice(on("n1"), device("g1"))),
			claim("c", exactly("r", 2))),
		handCase("conditions-make-a-pool-last", "one such device moves its whole pool to the end",
			pool("a", slice(on("n1"), device("g0"), device("g1", bindingConditions("attached")))),
			pool("b", slice(on("n1"), device("g2"))), one),
		handCase("conditions-elsewhere", "such a device of another node's slice does not count",
			pool("a", slice(on("n1"), device("g0")), slice(on("n2"), device("g1", bindingConditions("attached")))),
			pool("b", slice(onAll, device("g2"))), one),
	}
}
