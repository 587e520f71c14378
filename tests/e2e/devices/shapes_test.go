package devices

import "fmt"

// Pools as the two generators of the prototype make them.

// part is one kind of devices of a shape, on each of its NUMA nodes.
type part struct {
	kind, model string
	perNuma     int
}

// shape is what a node has. One that lists has one pool with all its devices, another one a pool for each NUMA node that
// counts them.
type shape struct {
	name       string
	nodes      int // in withShapes
	numa       int
	listsNames bool
	parts      []part
}

var foozerBarzer = shape{"foozer-barzer", 5, 4, false, []part{{"foozer", "foozer-1000", 2}, {"barzer", "barzer-1000", 2}}}

var shapes = []shape{
	{"zero", 15, 1, false, []part{{"foozer", "foozer-1000", 2}}},
	{"one", 10, 2, false, []part{{"foozer", "foozer-1000", 2}}},
	foozerBarzer,
	{"three", 3, 4, false, []part{{"barzer", "barzer-1000", 4}}},
	{"foozer-1000-tiny", 12, 1, true, []part{{"foozer", "foozer-1000", 2}}},
	{"foozer-4000-small", 5, 1, true, []part{{"foozer", "foozer-4000", 4}}},
}

const driversOfShapes = `---
apiVersion: devmgmtproto.k8s.io/v1alpha1
kind: DeviceDriver
metadata: {name: example.com-foozer}
deviceTypes: [gpu]
---
apiVersion: devmgmtproto.k8s.io/v1alpha1
kind: DeviceDriver
metadata: {name: example.com-barzer}
deviceTypes: [gpu, sriov-nic]
`

func numaAttribute(numa int) string { return fmt.Sprintf(`{name: numa, stringValue: "%d"}`, numa) }

// node is the name of one node of a shape.
func (s shape) node(number int) string { return fmt.Sprintf("shape-%s-%02d", s.name, number) }

// yaml are the pools of that many nodes.
func (s shape) yaml(nodes int) (text string) {
	for i := range nodes {
		for _, of := range s.parts {
			text += s.pools(s.node(i), of)
		}
	}
	return text
}

func (s shape) pools(node string, of part) (text string) {
	if s.listsNames {
		devices := "  devices:\n"
		for i := range s.numa * of.perNuma {
			devices += fmt.Sprintf("  - {name: dev-%02d, attributes: [%s]}\n", i, numaAttribute(i/of.perNuma))
		}
		return poolYAML(node+"-pool-"+of.kind, node, of, devices)
	}
	for numa := range s.numa {
		text += poolYAML(fmt.Sprintf("%s-%s-%02d", node, of.kind, numa), node, of,
			fmt.Sprintf("  - %s\n  count: %d\n", numaAttribute(numa), of.perNuma))
	}
	return text
}

// poolYAML is a pool of one kind of devices; offers is the end of its attributes, and what it offers.
func poolYAML(name, node string, of part, offers string) string {
	return fmt.Sprintf(`---
apiVersion: devmgmtproto.k8s.io/v1alpha1
kind: DevicePool
metadata: {name: %s}
spec:
  nodeName: %s
  driver: example.com-%s
  attributes:
  - {name: vendor, stringValue: example.com}
  - {name: model, stringValue: %s}
  - {name: firmwareVersion, semVerValue: 4.2.1-gen3}
  - {name: driverVersion, semVerValue: 1.8.2}
%s`, name, node, of.kind, of.model, offers)
}
