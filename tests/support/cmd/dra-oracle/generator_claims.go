package main

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

func (g *generator) addClaims() {
	for i := range pick(g, 1, 1, 1, 1, 1, 1, 2, 2, 3) {
		var parts []any
		var named []string
		for j := range pick(g, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4) {
			made := g.request(fmt.Sprintf("r%d", j))
			parts = append(parts, made)
			named = append(named, made.Name)
			for _, each := range made.FirstAvailable {
				named = append(named, made.Name+"/"+each.Name)
			}
		}
		for range pick(g, 0, 0, 0, 0, 0, 0, 1, 1, 2) {
			parts = append(parts, g.constraint(named))
		}
		for range pick(g, 0, 0, 0, 0, 0, 0, 1, 2) {
			parts = append(parts, config(pick(g, "fast", "slow"), g.some(named)...))
		}
		g.c.Claims = append(g.c.Claims, claim(fmt.Sprintf("c%d", i), parts...))
	}
}

// some are a few of the names, in order; none means all.
func (g *generator) some(from []string) []string {
	if g.chance(0.5) {
		return nil
	}
	var chosen []string
	for _, name := range from {
		if g.chance(0.6) {
			chosen = append(chosen, name)
		}
	}
	return chosen
}

func (g *generator) constraint(names []string) resourceapi.DeviceConstraint {
	name := pick(g, gpuDriver+"/model", gpuDriver+"/model", gpuDriver+"/model", gpuDriver+"/numa", gpuDriver+"/numa",
		nicDriver+"/numa",
		gpuDriver+"/healthy", gpuDriver+"/version", "resource.kubernetes.io/pcieRoot", "resource.kubernetes.io/pcieRoot")
	if g.chance(0.3) {
		return different(name, g.some(names)...)
	}
	return matching(name, g.some(names)...)
}

func (g *generator) request(name string) resourceapi.DeviceRequest {
	if !g.chance(g.alternatives) {
		return g.exact(name, g.count())
	}
	var alternatives []resourceapi.DeviceRequest
	for i := range 2 + g.IntN(3) {
		// The first ones ask for more.
		made := g.exact(fmt.Sprintf("s%d", i), max(1, g.count()+int64(2-i)))
		alternatives = append(alternatives, made)
	}
	return first(name, alternatives...)
}

func (g *generator) count() int64 { return pick[int64](g, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4) }

func (g *generator) exact(name string, count int64) resourceapi.DeviceRequest {
	made := exactly(name, count, ofClass(g.class()))
	request := made.Exactly
	if g.chance(0.08) {
		all(request)
	}
	if g.chance(g.admin) {
		asAdmin(request)
	} else if g.chance(0.02) {
		request.AdminAccess = new(bool)
	}
	if g.chance(0.2) {
		where(g.expression())(request)
	}
	if g.chance(0.05) {
		where(g.expression())(request)
	}
	for g.chance(g.taints) {
		g.tolerate(request)
	}
	if g.chance(0.05 + 0.7*g.shared) {
		g.need(request)
	}
	return made
}

func (g *generator) class() string {
	if g.chance(g.errors / 3) {
		return pick(g, "model-x", "model-x", "absent")
	}
	switch g.IntN(16) {
	case 0:
		return "nic"
	case 1:
		return "safe-x"
	case 2:
		return "large"
	case 3, 4, 5, 6, 7:
		return "any"
	default:
		return "gpu"
	}
}

func (g *generator) tolerate(request *resourceapi.ExactDeviceRequest) {
	effect := pick(g, "", "", resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute)
	switch g.IntN(4) {
	case 0:
		tolerates("", resourceapi.DeviceTolerationOpExists, "", effect)(request)
	case 1:
		tolerates(pick(g, "broken", "slow"), resourceapi.DeviceTolerationOpExists, "", effect)(request)
	default:
		tolerates(pick(g, "broken", "slow"), resourceapi.DeviceTolerationOpEqual, pick(g, "", "yes"), effect)(request)
	}
}

func (g *generator) need(request *resourceapi.ExactDeviceRequest) {
	if g.chance(0.85) {
		needs("memory", pick(g, "1Gi", "2Gi", "3Gi", "5Gi", "7Gi", "10Gi", "12Gi", "20Gi", "25Gi", "41Gi"))(request)
	}
	if g.chance(0.2) {
		needs("cores", pick(g, "1", "2", "3", "1500m"))(request)
	}
	if g.chance(0.02) {
		needs("absent", "1")(request)
	}
}

// expression is a selector. Some fail on devices that have no such attribute; some are constant.
func (g *generator) expression() string {
	if g.chance(g.errors) {
		return pick(g,
			"device.attributes['gpu.example.com'].model == 'x'",
			"device.attributes['gpu.example.com'].numa < 2",
			"device.attributes['gpu.example.com'].version.isGreaterThan(semver('1.3.0'))",
			"device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('40Gi'))",
			"device.attributes['gpu.example.com'].absent",
			"semver('bad').major() == 1",
			"device.nosuch == 1")
	}
	safe := []string{
		"device.driver == 'gpu.example.com'",
		"device.attributes['gpu.example.com'].?model.orValue('') == 'x'",
		"device.attributes['gpu.example.com'].?model.orValue('') != 'x'",
		"device.attributes[device.driver].?healthy.orValue(true)",
		"'pcieRoot' in device.attributes['resource.kubernetes.io'] && device.attributes['resource.kubernetes.io'].pcieRoot == 'pci0'",
		"!('version' in device.attributes[device.driver]) || device.attributes[device.driver].version.isGreaterThan(semver('1.3.0'))",
		"device.attributes[device.driver].?numa.orValue(0) != 1",
		"'memory' in device.capacity['gpu.example.com']",
		"!device.allowMultipleAllocations",
		"true", "1 + 1 == 2",
	}
	return pick(g, slices.Concat(safe, safe, []string{"false"})...)
}
