package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// generator makes random cases. Each case draws how often it has a feature, so that most cases are
// plain in most ways and some have much of one feature.
type generator struct {
	*rand.Rand
	c       *testCase
	devices []placed // all devices, also those of old slices

	shared, counted, taints, faults, conditions, admin, alternatives, errors float64
}

// placed is a device with its pool.
type placed struct {
	driver, pool string
	device       *resourceapi.Device
}

func (g *generator) makeCase(id string) *testCase {
	g.c = handCase(id, "")
	g.c.Nodes = nil
	g.shared, g.counted = g.level(3, 0.7), g.level(3, 0.8)
	g.taints, g.faults, g.conditions = g.level(3, 0.4), g.level(4, 0.25), g.level(6, 0.4)
	g.admin, g.alternatives, g.errors = g.level(4, 0.4), g.level(2, 0.6), g.level(7, 0.5)
	g.addClasses()
	g.addNodes()
	g.addPools()
	g.addAllocated()
	g.addClaims()
	g.Shuffle(len(g.c.Slices), func(i, j int) { g.c.Slices[i], g.c.Slices[j] = g.c.Slices[j], g.c.Slices[i] })
	return g.c
}

// makeLarge is about the largest number of devices of a claim, 32.
func (g *generator) makeLarge(id string) *testCase {
	var claims []any
	for i := range pick(g, 1, 1, 2) {
		var parts []any
		for j := range 2 + g.IntN(2) {
			var some []resourceapi.DeviceRequest
			for k := range 3 {
				some = append(some, exactly(fmt.Sprintf("s%d", k), pick[int64](g, 1, 2, 4, 8, 12, 16, 20, 31, 33)))
			}
			name := fmt.Sprintf("r%d", j)
			if g.chance(0.3) {
				parts = append(parts, exactly(name, pick[int64](g, 1, 4, 8, 12, 20)))
			} else {
				parts = append(parts, first(name, some...))
			}
		}
		claims = append(claims, claim(fmt.Sprintf("c%d", i), parts...))
	}
	return handCase(id, "", append(claims, node("n1"), node("n2"), local("n1", devices("g", 30+g.IntN(30))))...)
}

// level is a probability: none in all but one of so many cases, else up to the highest.
func (g *generator) level(oneOf int, highest float64) float64 {
	if g.IntN(oneOf) != 0 {
		return 0
	}
	return highest * (0.3 + 0.7*g.Float64())
}

func (g *generator) chance(probability float64) bool { return g.Float64() < probability }

func pick[T any](g *generator, choices ...T) T { return choices[g.IntN(len(choices))] }

func (g *generator) addClasses() {
	modelX := class("model-x", "device.attributes[device.driver].model == 'x'") // an error without a model
	safe := class("safe-x", "device.attributes[device.driver].?model.orValue('') == 'x'")
	large := class("large", "device.driver == 'gpu.example.com'",
		"'memory' in device.capacity[device.driver] && device.capacity[device.driver].memory.isGreaterThan(quantity('40Gi'))")
	never := class("never", "false")
	safe.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: opaque(gpuDriver, "class")}}
	g.c.Classes = append(g.c.Classes, modelX, safe, large, never)
}

func (g *generator) addNodes() {
	for i := range 1 + g.IntN(4) {
		labels := []string{"zone=" + pick(g, "a", "b"), fmt.Sprintf("rack=%d", g.IntN(3))}
		if g.chance(0.5) {
			labels = append(labels, "fabric=yes")
		}
		g.c.Nodes = append(g.c.Nodes, node(fmt.Sprintf("n%d", i+1), labels...))
	}
}

func (g *generator) addPools() {
	for _, each := range g.c.Nodes {
		if g.chance(0.95) {
			driver := gpuDriver
			if g.chance(0.1) {
				driver = nicDriver
			}
			g.addPool(driver, each.Name, each.Name)
		}
		if g.chance(0.3) {
			g.addPool(pick(g, gpuDriver, nicDriver), each.Name+pick(g, "-a", "-b"), each.Name)
		}
	}
	for i := range pick(g, 0, 0, 1, 1, 2) {
		g.addPool(pick(g, gpuDriver, nicDriver), fmt.Sprintf("%s-%d", pick(g, "net", "a-net"), i), "")
	}
}

// addPool adds the slices of a pool on a node, or on several nodes without a name.
func (g *generator) addPool(driver, name, nodeName string) {
	parts := g.parts(driver, name, nodeName, 2+g.IntN(6))
	current := int64(1 + g.IntN(3))
	count := int64(len(parts))
	if g.chance(0.01 + g.faults/2) {
		count += int64(1 - 2*g.IntN(2))
	}
	g.finish(name, parts, current, count)
	if g.chance(0.04 + g.faults/2) {
		g.addGeneration(driver, name, nodeName, current)
	}
}

// addGeneration adds slices of a pool that are older, or newer and perhaps not yet complete.
func (g *generator) addGeneration(driver, name, nodeName string, current int64) {
	parts := g.parts(driver, name, nodeName, 1+g.IntN(3))
	number := current - 1
	if g.chance(0.4) {
		number = current + 1
	}
	g.finish(name, parts, number, int64(len(parts)+pick(g, 0, 0, 1)))
}

func (g *generator) finish(name string, parts []*resourceapi.ResourceSlice, number, count int64) {
	for _, part := range parts {
		part.Spec.Pool = resourceapi.ResourcePool{Name: name, Generation: number, ResourceSliceCount: max(count, 1)}
		part.Name = fmt.Sprintf("%s-%c%02d", name, 'a'+g.IntN(26), len(g.c.Slices))
		g.c.Slices = append(g.c.Slices, part)
		for i := range part.Spec.Devices {
			g.devices = append(g.devices, placed{part.Spec.Driver, name, &part.Spec.Devices[i]})
		}
	}
}

// parts are the slices of one generation: one to three with devices, and one with counters.
func (g *generator) parts(driver, name, nodeName string, count int) []*resourceapi.ResourceSlice {
	var parts []*resourceapi.ResourceSlice
	for range 1 + g.IntN(min(count, 3)) {
		parts = append(parts, slice(of(driver), g.place(nodeName)))
	}
	hasCounters := g.chance(g.counted)
	partitioned := hasCounters && g.chance(0.5)
	template := g.template()
	for i := range count {
		made := device(fmt.Sprintf("d%d", i))
		g.describe(&made, driver, template)
		if hasCounters {
			g.consume(&made, i, partitioned)
		}
		part := parts[g.IntN(len(parts))]
		if part.Spec.PerDeviceNodeSelection != nil {
			g.placeDevice(&made)
		}
		part.Spec.Devices = append(part.Spec.Devices, made)
	}
	if hasCounters {
		parts = append(parts, g.counterSlice(driver, g.place(nodeName)))
	}
	g.breakPool(parts)
	return parts
}

// counterSlice has the counters that consume uses.
func (g *generator) counterSlice(driver string, place sliceOption) *resourceapi.ResourceSlice {
	made := slice(of(driver), place, counters("card-0", "memory", pick(g, "40Gi", "80Gi"), "units", pick(g, "4", "7")))
	if made.Spec.PerDeviceNodeSelection != nil {
		made.Spec.PerDeviceNodeSelection, made.Spec.AllNodes = nil, ptr.To(true)
	}
	counters("card-1", "memory", "40Gi", "units", "3500m")(made)
	return made
}

// consume makes a device a part, or all, of a card.
func (g *generator) consume(d *resourceapi.Device, number int, partitioned bool) {
	set := fmt.Sprintf("card-%d", g.IntN(2))
	switch {
	case partitioned && number == 0:
		uses("card-0", "memory", "40Gi", "units", "4")(d)
	case g.chance(0.15):
		uses("card-0", "memory", "10Gi")(d)
		uses("card-1", "units", "1")(d)
	case g.chance(0.8):
		uses(set, "memory", pick(g, "10Gi", "20Gi", "20Gi", "40Gi"), "units", pick(g, "1", "2", "1500m"))(d)
	}
}

// breakPool makes a pool invalid now and then.
func (g *generator) breakPool(parts []*resourceapi.ResourceSlice) {
	if !g.chance(g.faults / 2) {
		return
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(first.Spec.Devices) == 0 {
		return
	}
	victim := &first.Spec.Devices[g.IntN(len(first.Spec.Devices))]
	switch g.IntN(5) {
	case 0, 1:
		if last.Spec.SharedCounters == nil {
			last.Spec.Devices = append(last.Spec.Devices, *victim.DeepCopy())
		}
	case 2:
		uses("no-such-set", "memory", "1")(victim)
	case 3:
		uses("card-0", "no-such-counter", "1")(victim)
	default:
		if last.Spec.SharedCounters != nil {
			counters("card-0", "memory", "80Gi", "units", "7")(last)
		}
	}
}

// place is where a slice is available: on the node, or on those that the slice chooses.
func (g *generator) place(nodeName string) sliceOption {
	if nodeName != "" {
		if g.chance(0.03) {
			return func(*resourceapi.ResourceSlice) {} // nowhere
		}
		return on(nodeName)
	}
	switch g.IntN(8) {
	case 0, 1:
		return onAll
	case 2:
		return onLabels(pick(g, "zone=a", "zone=b"))
	case 3:
		return onLabels(pick(g, "fabric", "!fabric", "rack=0,1"), pick(g, "zone=a", "zone=a,b", "rack=0,1"))
	case 4:
		return on(pick(g, g.c.Nodes...).Name)
	case 5:
		return func(s *resourceapi.ResourceSlice) {
			field := v1.NodeSelectorRequirement{
				Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, g.c.Nodes...).Name}}
			term := v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{field}}
			s.Spec.NodeSelector = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}
		}
	default:
		return perDevice
	}
}

func (g *generator) placeDevice(d *resourceapi.Device) {
	switch g.IntN(8) {
	case 0, 1, 2:
		forAll(d)
	case 3, 4:
		forNode(pick(g, g.c.Nodes...).Name)(d)
	case 5, 6:
		forLabel(pick(g, "zone=a", "zone=b", "fabric", "rack=0,1"))(d)
	} // else nowhere
}

// addAllocated lets other pods hold some devices.
func (g *generator) addAllocated() {
	if len(g.devices) == 0 || g.chance(0.3) {
		return
	}
	taken := map[string]bool{}
	share := 0.05 + 0.3*g.Float64()
	var results []heldResult
	for _, each := range g.devices {
		path := each.driver + "/" + each.pool + "/" + each.device.Name
		if taken[path] || !g.chance(share) {
			continue
		}
		taken[path] = true
		results = append(results, g.hold(each)...)
	}
	if g.chance(0.1) {
		results = append(results, holds("gone/d0"))
	}
	for i := 0; len(results) > 0; i++ {
		count := 1 + g.IntN(min(3, len(results)))
		g.c.Allocated = append(g.c.Allocated, held(fmt.Sprintf("held-%d", i), results[:count]...))
		results = results[count:]
	}
}

// hold is what other pods have of a device: all, or shares.
func (g *generator) hold(each placed) []heldResult {
	path := each.pool + "/" + each.device.Name
	isShared := ptr.Deref(each.device.AllowMultipleAllocations, false)
	var results []heldResult
	switch {
	case g.chance(0.1):
		results = append(results, administers(path))
	case isShared && g.chance(0.9) || g.chance(0.03):
		for i := range 1 + g.IntN(2) {
			one := shares(path, fmt.Sprintf("share-%s-%s-%d", each.pool, each.device.Name, i))
			names := names(each.device.Capacity)
			for _, name := range names {
				if g.chance(0.9) {
					capacity := pick(g, "1", "4Gi", "10Gi")
					if name == "cores" {
						capacity = pick(g, "500m", "1", "2")
					}
					more := shares(path, "", string(name), capacity)
					if one.ConsumedCapacity == nil {
						one.ConsumedCapacity = more.ConsumedCapacity
					} else {
						one.ConsumedCapacity[name] = more.ConsumedCapacity[name]
					}
				}
			}
			results = append(results, one)
		}
	default:
		results = append(results, holds(path))
	}
	for i := range results {
		results[i].Driver = each.driver
	}
	return results
}

// names are the keys in order: a map of Go has none.
func names[K ~string, V any](of map[K]V) []K {
	var all []K
	for name := range of {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
