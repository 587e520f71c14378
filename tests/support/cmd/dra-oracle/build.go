package main

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	gpuDriver = "gpu.example.com"
	nicDriver = "nic.example.net"
)

// version is an attribute of that type; int, bool and string stand for themselves.
type version string

// deviceOption and the other options change what a builder makes.
type (
	deviceOption  func(*resourceapi.Device)
	sliceOption   func(*resourceapi.ResourceSlice)
	requestOption func(*resourceapi.ExactDeviceRequest)
	policyOption  func(*resourceapi.CapacityRequestPolicy)
	heldResult    resourceapi.DeviceRequestAllocationResult
)

func node(name string, labels ...string) *v1.Node {
	set := map[string]string{"kubernetes.io/hostname": name}
	for _, label := range labels {
		key, value, _ := strings.Cut(label, "=")
		set[key] = value
	}
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: set}}
}

func device(name string, options ...deviceOption) resourceapi.Device {
	made := resourceapi.Device{Name: name}
	for _, option := range options {
		option(&made)
	}
	return made
}

// devices is count of them, with names from prefix + "0" on.
func devices(prefix string, count int, options ...deviceOption) []resourceapi.Device {
	var all []resourceapi.Device
	for i := range count {
		all = append(all, device(fmt.Sprintf("%s%d", prefix, i), options...))
	}
	return all
}

func attribute(name string, value any) deviceOption {
	return func(d *resourceapi.Device) {
		if d.Attributes == nil {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		var made resourceapi.DeviceAttribute
		switch value := value.(type) {
		case int:
			made.IntValue = ptr.To(int64(value))
		case bool:
			made.BoolValue = &value
		case version:
			made.VersionValue = ptr.To(string(value))
		default:
			made.StringValue = ptr.To(value.(string))
		}
		d.Attributes[resourceapi.QualifiedName(name)] = made
	}
}

func capacity(name, value string, policy ...policyOption) deviceOption {
	return func(d *resourceapi.Device) {
		if d.Capacity == nil {
			d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
		}
		made := resourceapi.DeviceCapacity{Value: resource.MustParse(value)}
		if len(policy) > 0 {
			made.RequestPolicy = &resourceapi.CapacityRequestPolicy{}
		}
		for _, option := range policy {
			option(made.RequestPolicy)
		}
		d.Capacity[resourceapi.QualifiedName(name)] = made
	}
}

func quantity(text string) *resource.Quantity {
	if text == "" {
		return nil
	}
	return ptr.To(resource.MustParse(text))
}

func byDefault(value string) policyOption {
	return func(p *resourceapi.CapacityRequestPolicy) { p.Default = quantity(value) }
}

// within is a valid range; an empty text leaves a bound out.
func within(lowest, highest, step string) policyOption {
	return func(p *resourceapi.CapacityRequestPolicy) {
		p.ValidRange = &resourceapi.CapacityRequestPolicyRange{Min: quantity(lowest), Max: quantity(highest), Step: quantity(step)}
	}
}

func oneOf(values ...string) policyOption {
	return func(p *resourceapi.CapacityRequestPolicy) {
		for _, value := range values {
			p.ValidValues = append(p.ValidValues, resource.MustParse(value))
		}
	}
}

func shareable(d *resourceapi.Device)   { d.AllowMultipleAllocations = ptr.To(true) }
func bindsToNode(d *resourceapi.Device) { d.BindsToNode = ptr.To(true) }
func forAll(d *resourceapi.Device)      { d.AllNodes = ptr.To(true) }

func forNode(name string) deviceOption {
	return func(d *resourceapi.Device) { d.NodeName = &name }
}

func forLabel(label string) deviceOption {
	return func(d *resourceapi.Device) { d.NodeSelector = selector(label) }
}

func tainted(key, value string, effect resourceapi.DeviceTaintEffect) deviceOption {
	return func(d *resourceapi.Device) {
		d.Taints = append(d.Taints, resourceapi.DeviceTaint{Key: key, Value: value, Effect: effect})
	}
}

func bindingConditions(names ...string) deviceOption {
	return func(d *resourceapi.Device) {
		d.BindingConditions, d.BindingFailureConditions = names, []string{"failed"}
	}
}

// uses consumes counters, given as name and value by turns, of a set.
func uses(set string, counters ...string) deviceOption {
	return func(d *resourceapi.Device) {
		d.ConsumesCounters = append(d.ConsumesCounters,
			resourceapi.DeviceCounterConsumption{CounterSet: set, Counters: counterMap(counters)})
	}
}

func counterMap(pairs []string) map[string]resourceapi.Counter {
	counters := map[string]resourceapi.Counter{}
	for i := 0; i < len(pairs); i += 2 {
		counters[pairs[i]] = resourceapi.Counter{Value: resource.MustParse(pairs[i+1])}
	}
	return counters
}

// selector is a node selector of one term: each text is "key=value", "key" (exists) or "!key".
func selector(labels ...string) *v1.NodeSelector {
	var term v1.NodeSelectorTerm
	for _, label := range labels {
		requirement := v1.NodeSelectorRequirement{Key: label, Operator: v1.NodeSelectorOpExists}
		if key, value, ok := strings.Cut(label, "="); ok {
			requirement = v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpIn, Values: strings.Split(value, ",")}
		} else if key, ok := strings.CutPrefix(label, "!"); ok {
			requirement = v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpDoesNotExist}
		}
		term.MatchExpressions = append(term.MatchExpressions, requirement)
	}
	return &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{term}}
}

// slice is a slice of the GPU driver; pool makes a pool of several.
func slice(options ...any) *resourceapi.ResourceSlice {
	made := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Driver: gpuDriver}}
	for _, option := range options {
		switch option := option.(type) {
		case sliceOption:
			option(made)
		case func(*resourceapi.ResourceSlice):
			option(made)
		case resourceapi.Device:
			made.Spec.Devices = append(made.Spec.Devices, option)
		case []resourceapi.Device:
			made.Spec.Devices = append(made.Spec.Devices, option...)
		default:
			panic(fmt.Sprintf("slice of %T", option))
		}
	}
	return made
}

func on(name string) sliceOption {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeName = &name }
}

func onAll(s *resourceapi.ResourceSlice)     { s.Spec.AllNodes = ptr.To(true) }
func perDevice(s *resourceapi.ResourceSlice) { s.Spec.PerDeviceNodeSelection = ptr.To(true) }

func onLabels(labels ...string) sliceOption {
	return func(s *resourceapi.ResourceSlice) { s.Spec.NodeSelector = selector(labels...) }
}

func named(name string) sliceOption {
	return func(s *resourceapi.ResourceSlice) { s.Name = name }
}

func of(driver string) sliceOption {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Driver = driver }
}

func generation(number int64) sliceOption {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Pool.Generation = number }
}

// outOf overrides the number of slices that the pool claims to have.
func outOf(count int64) sliceOption {
	return func(s *resourceapi.ResourceSlice) { s.Spec.Pool.ResourceSliceCount = count }
}

// counters adds a set of shared counters, given as name and value by turns.
func counters(set string, pairs ...string) sliceOption {
	return func(s *resourceapi.ResourceSlice) {
		s.Spec.SharedCounters = append(s.Spec.SharedCounters, resourceapi.CounterSet{Name: set, Counters: counterMap(pairs)})
	}
}

// pool sets the names, the generation and the number of the slices where they have none.
func pool(name string, parts ...*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	for i, part := range parts {
		part.Spec.Pool.Name = name
		if part.Name == "" {
			part.Name = fmt.Sprintf("%s-%s-%d", part.Spec.Driver[:3], name, i)
		}
		if part.Spec.Pool.Generation == 0 {
			part.Spec.Pool.Generation = 1
		}
		if part.Spec.Pool.ResourceSliceCount == 0 {
			part.Spec.Pool.ResourceSliceCount = int64(len(parts))
		}
	}
	return parts
}

// local is a pool of one slice on a node, which has the name of the node.
func local(name string, options ...any) []*resourceapi.ResourceSlice {
	return pool(name, slice(append([]any{on(name)}, options...)...))
}

func class(name string, expressions ...string) *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: resourceapi.DeviceClassSpec{Selectors: celSelectors(expressions)}}
}

func celSelectors(expressions []string) []resourceapi.DeviceSelector {
	var all []resourceapi.DeviceSelector
	for _, expression := range expressions {
		all = append(all, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
	return all
}

func opaque(driver, value string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"mode":%q}`, value)}}}
}

// claim has requests, constraints and configurations, each in the order given.
func claim(name string, parts ...any) *resourceapi.ResourceClaim {
	made := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name)}}
	spec := &made.Spec.Devices
	for _, part := range parts {
		switch part := part.(type) {
		case resourceapi.DeviceRequest:
			spec.Requests = append(spec.Requests, part)
		case resourceapi.DeviceConstraint:
			spec.Constraints = append(spec.Constraints, part)
		case resourceapi.DeviceClaimConfiguration:
			spec.Config = append(spec.Config, part)
		default:
			panic(fmt.Sprintf("claim of %T", part))
		}
	}
	return made
}

func config(value string, requests ...string) resourceapi.DeviceClaimConfiguration {
	return resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: opaque(gpuDriver, value)}
}

// exactly asks for count devices of class gpu; everything asks for all.
func exactly(name string, count int64, options ...requestOption) resourceapi.DeviceRequest {
	made := &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", Count: count,
		AllocationMode: resourceapi.DeviceAllocationModeExactCount}
	for _, option := range options {
		option(made)
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: made}
}

func everything(name string, options ...requestOption) resourceapi.DeviceRequest {
	return exactly(name, 0, append(options, all)...)
}

func all(r *resourceapi.ExactDeviceRequest) {
	r.AllocationMode, r.Count = resourceapi.DeviceAllocationModeAll, 0
}

// first asks for the first of the alternatives, made by exactly or everything, that can be had.
func first(name string, alternatives ...resourceapi.DeviceRequest) resourceapi.DeviceRequest {
	made := resourceapi.DeviceRequest{Name: name}
	for _, each := range alternatives {
		from := each.Exactly
		made.FirstAvailable = append(made.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: each.Name, DeviceClassName: from.DeviceClassName, Selectors: from.Selectors,
			AllocationMode: from.AllocationMode, Count: from.Count, Tolerations: from.Tolerations, Capacity: from.Capacity})
	}
	return made
}

func ofClass(name string) requestOption {
	return func(r *resourceapi.ExactDeviceRequest) { r.DeviceClassName = name }
}

func where(expressions ...string) requestOption {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.Selectors = append(r.Selectors, celSelectors(expressions)...)
	}
}

func asAdmin(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = ptr.To(true) }

func tolerates(key string, operator resourceapi.DeviceTolerationOperator, value string,
	effect resourceapi.DeviceTaintEffect) requestOption {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.Tolerations = append(r.Tolerations,
			resourceapi.DeviceToleration{Key: key, Operator: operator, Value: value, Effect: effect})
	}
}

// needs asks for capacity, given as name and value by turns.
func needs(pairs ...string) requestOption {
	return func(r *resourceapi.ExactDeviceRequest) {
		if r.Capacity == nil {
			r.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{}}
		}
		for i := 0; i < len(pairs); i += 2 {
			r.Capacity.Requests[resourceapi.QualifiedName(pairs[i])] = resource.MustParse(pairs[i+1])
		}
	}
}

func matching(attribute string, requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(attribute)), Requests: requests}
}

func different(attribute string, requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName(attribute)), Requests: requests}
}

// holds is a device "pool/device" of the GPU driver in an allocated claim.
func holds(path string) heldResult {
	pool, name, _ := strings.Cut(path, "/")
	return heldResult{Request: "r", Driver: gpuDriver, Pool: pool, Device: name}
}

// shares is holds of a share that consumes capacity, given as name and value by turns.
func shares(path, id string, pairs ...string) heldResult {
	made := holds(path)
	made.ShareID = ptr.To(types.UID(id))
	for i := 0; i < len(pairs); i += 2 {
		if made.ConsumedCapacity == nil {
			made.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{}
		}
		made.ConsumedCapacity[resourceapi.QualifiedName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return made
}

func administers(path string) heldResult {
	made := holds(path)
	made.AdminAccess = ptr.To(true)
	return made
}

// held is the claim of another pod with its allocation.
func held(name string, results ...heldResult) *resourceapi.ResourceClaim {
	made := claim(name, exactly("r", int64(len(results)), ofClass("any")))
	made.Status.Allocation = &resourceapi.AllocationResult{}
	for _, result := range results {
		made.Status.Allocation.Devices.Results = append(made.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult(result))
	}
	return made
}

// handCase collects nodes (n1 and n2 if there are none), slices, classes (besides any, gpu and nic),
// claims and allocated claims.
func handCase(id, why string, parts ...any) *testCase {
	made := &testCase{ID: id, Why: why, Slices: []*resourceapi.ResourceSlice{}, Classes: []*resourceapi.DeviceClass{
		class("any"), class("gpu", "device.driver == '"+gpuDriver+"'"), class("nic", "device.driver == '"+nicDriver+"'")}}
	for _, part := range parts {
		switch part := part.(type) {
		case *v1.Node:
			made.Nodes = append(made.Nodes, part)
		case []*resourceapi.ResourceSlice:
			made.Slices = append(made.Slices, part...)
		case *resourceapi.DeviceClass:
			made.Classes = append(made.Classes, part)
		case *resourceapi.ResourceClaim:
			if part.Status.Allocation != nil {
				made.Allocated = append(made.Allocated, part)
			} else {
				made.Claims = append(made.Claims, part)
			}
		default:
			panic(fmt.Sprintf("case of %T", part))
		}
	}
	if made.Nodes == nil {
		made.Nodes = []*v1.Node{node("n1", "zone=a"), node("n2", "zone=b")}
	}
	return made
}
