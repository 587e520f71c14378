package main

import resourceapi "k8s.io/api/resource/v1"

// template is what the devices of a pool have in common.
type template struct {
	policy             []policyOption // of memory
	cores              []policyOption
	hasMemory, hasCore bool
	domain             string // of the names of attributes: empty or the driver's
	missing            float64
}

func (g *generator) template() template {
	t := template{
		hasMemory: g.chance(0.7), hasCore: g.chance(0.3),
		domain: pick(g, "", "", gpuDriver+"/"), missing: pick(g, 0, 0, 0, 0.1, 0.3),
	}
	if g.chance(0.2 + g.shared/2) {
		t.policy = g.memoryPolicy()
	}
	if g.chance(0.2 + g.shared/2) {
		t.cores = g.corePolicy()
	}
	return t
}

func (g *generator) memoryPolicy() []policyOption {
	switch g.IntN(6) {
	case 0:
		return []policyOption{byDefault("10Gi")}
	case 1:
		return []policyOption{byDefault("4Gi"), oneOf("4Gi", "10Gi", "20Gi")}
	case 2:
		return []policyOption{byDefault("2Gi"), within("2Gi", pick(g, "", "16Gi", "40Gi"), pick(g, "", "2Gi", "3Gi"))}
	case 3:
		return []policyOption{byDefault("1Gi"), within("1Gi", "30Gi", "")}
	case 4:
		return []policyOption{oneOf("8Gi", "16Gi")} // of an older API server: without a default
	default:
		return []policyOption{byDefault("5Gi"), within("5Gi", "25Gi", "5Gi")}
	}
}

func (g *generator) corePolicy() []policyOption {
	switch g.IntN(4) {
	case 0:
		return []policyOption{byDefault("1")}
	case 1:
		return []policyOption{byDefault("1"), oneOf("1", "2", "4")}
	case 2:
		return []policyOption{byDefault("500m"), within("500m", "4", "500m")} // whole numbers up to 1.36
	default:
		return []policyOption{byDefault("1"), within("1", "", "1")}
	}
}

// describe gives a device attributes, capacity, taints and the like.
func (g *generator) describe(d *resourceapi.Device, driver string, t template) {
	g.attributes(d, t)
	if t.hasMemory && !g.chance(t.missing) {
		capacity("memory", pick(g, "40Gi", "40Gi", "80Gi"), t.policy...)(d)
	}
	if t.hasCore && !g.chance(t.missing) {
		capacity("cores", pick(g, "4", "8"), t.cores...)(d)
	}
	if g.chance(g.shared) {
		shareable(d)
	}
	for range 2 {
		if g.chance(g.taints / 2) {
			tainted(pick(g, "broken", "slow"), pick(g, "", "yes"), pick(g, resourceapi.DeviceTaintEffectNoSchedule,
				resourceapi.DeviceTaintEffectNoExecute, resourceapi.DeviceTaintEffectNone))(d)
		}
	}
	if g.chance(g.conditions) {
		bindingConditions(pick(g, "attached", "ready"))(d)
	}
	if g.chance(g.conditions) || g.chance(0.04) {
		bindsToNode(d)
	}
}

func (g *generator) attributes(d *resourceapi.Device, t template) {
	if !g.chance(t.missing) {
		attribute(t.domain+"model", pick(g, "x", "x", "y"))(d)
	}
	if !g.chance(t.missing) {
		attribute(t.domain+"numa", g.IntN(3))(d)
	}
	if !g.chance(0.05 + t.missing) {
		attribute("resource.kubernetes.io/pcieRoot", pick(g, "pci0", "pci1"))(d)
	}
	if !g.chance(0.1 + t.missing) {
		attribute("healthy", g.chance(0.7))(d)
	}
	if !g.chance(0.1 + t.missing) {
		attribute("version", version(pick(g, "1.2.0", "1.10.0", "2.0.0-rc.1")))(d)
	}
	if g.chance(0.05) { // another type than that of other devices
		attribute(t.domain+"numa", "zero")(d)
	}
}
