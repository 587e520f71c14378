package devicejudge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// judge collects what does not agree.
type judge struct {
	pools    map[string]*Pool
	claims   map[string]*Claim // by UID
	byName   map[string]*Claim // by kind, namespace and name
	classes  map[string]*Class
	pods     map[string]*corev1.Pod // by UID
	problems []string
}

// Problems are all contradictions of a state in which nothing is under way; none: the state is sound.
func Problems(state State) []string {
	j := &judge{pools: map[string]*Pool{}, claims: map[string]*Claim{}, byName: map[string]*Claim{},
		classes: map[string]*Class{}, pods: map[string]*corev1.Pod{}}
	for i := range state.Pools {
		j.pools[state.Pools[i].Name] = &state.Pools[i]
	}
	for i := range state.Claims {
		claim := &state.Claims[i]
		j.claims[string(claim.UID)] = claim
		j.byName[nameOf(claim.Privileged, claim.Namespace, claim.Name)] = claim
	}
	for i := range state.Classes {
		j.classes[state.Classes[i].Name] = &state.Classes[i]
	}
	for i := range state.Pods {
		j.pods[string(state.Pods[i].UID)] = &state.Pods[i]
	}
	for i := range state.Pools {
		j.pool(&state.Pools[i])
	}
	for i := range state.Claims {
		j.claim(&state.Claims[i])
	}
	for i := range state.Pods {
		j.pod(&state.Pods[i])
	}
	sort.Strings(j.problems)
	return j.problems
}

func nameOf(privileged bool, namespace, name string) string {
	return fmt.Sprint(privileged, " ", namespace, "/", name)
}

func (j *judge) say(format string, args ...any) {
	j.problems = append(j.problems, fmt.Sprintf(format, args...))
}

// pool: nothing is given out twice, and each entry is of a claim that says the same.
func (j *judge) pool(pool *Pool) {
	var counted int64
	whole, parts := map[string]string{}, map[string]map[string]resource.Quantity{}
	used := map[string]bool{}
	for _, entry := range pool.Status.Allocations {
		counted += entry.DeviceCount
		claim := j.claims[entry.ClaimUID]
		if claim == nil {
			j.say("pool %s has an entry of a claim %s that is not there", pool.Name, entry.ClaimUID)
			continue
		}
		if entry.State != "Confirmed" || entry.Deadline != nil {
			j.say("pool %s: the entry of claim %s is %s", pool.Name, claim.Name, entry.State)
		}
		if got, want := describe(ofEntry(pool.Name, entry)), describe(ofPool(claim, pool.Name)); got != want {
			j.say("pool %s says that claim %s has %s, the claim says %s", pool.Name, claim.Name, got, want)
		}
		for _, device := range entry.Devices {
			used[device.Name] = true
			j.take(pool, claim, device.Name, device.Allocations, whole, parts)
		}
	}
	if pool.Spec.Count != nil && counted > *pool.Spec.Count {
		j.say("pool %s has %d devices, and gave out %d", pool.Name, *pool.Spec.Count, counted)
	}
	j.counters(pool, used)
	total := int64(len(pool.Spec.Devices))
	if pool.Spec.Count != nil {
		total = *pool.Spec.Count
	}
	free := total - counted - int64(len(used))
	if pool.Status.TotalDevices == nil || *pool.Status.TotalDevices != total ||
		pool.Status.FreeDevices == nil || *pool.Status.FreeDevices != free {
		j.say("pool %s: total %s and free %s, want %d and %d", pool.Name, text(pool.Status.TotalDevices),
			text(pool.Status.FreeDevices), total, free)
	}
}

func text(number *int64) string {
	if number == nil {
		return "not set"
	}
	return fmt.Sprint(*number)
}

// take counts a device as in use by a claim, as a whole or in part.
func (j *judge) take(pool *Pool, claim *Claim, name string, amounts []Amount, whole map[string]string,
	parts map[string]map[string]resource.Quantity) {
	at := slices.IndexFunc(pool.Spec.Devices, func(device Device) bool { return device.Name == name })
	if at < 0 {
		j.say("pool %s has no device %s, which claim %s has", pool.Name, name, claim.Name)
		return
	}
	other, taken := whole[name]
	if taken || (len(amounts) == 0 && parts[name] != nil) {
		j.say("pool %s: device %s is in use by claim %s and by %s", pool.Name, name, claim.Name, other)
	}
	if len(amounts) == 0 {
		whole[name] = claim.Name
		return
	}
	if parts[name] == nil {
		parts[name] = map[string]resource.Quantity{}
	}
	for _, amount := range amounts {
		sum := parts[name][amount.Name]
		sum.Add(amount.Allocation)
		parts[name][amount.Name] = sum
		for _, own := range pool.Spec.Devices[at].Resources {
			if own.Name == amount.Name && sum.Cmp(own.Capacity) > 0 {
				j.say("pool %s: device %s gave out %s of %s, and has %s", pool.Name, name, sum.String(), own.Name,
					own.Capacity.String())
			}
		}
	}
}

// counters: what used devices take of the pool's resources is there.
func (j *judge) counters(pool *Pool, used map[string]bool) {
	for _, shared := range pool.Spec.Resources {
		var sum resource.Quantity
		for _, device := range pool.Spec.Devices {
			if used[device.Name] {
				sum.Add(device.Requests[shared.Name])
			}
		}
		if sum.Cmp(shared.Capacity) > 0 {
			j.say("pool %s: devices take %s of %s, and there is %s", pool.Name, sum.String(), shared.Name,
				shared.Capacity.String())
		}
	}
}

func ofEntry(pool string, entry Entry) (all []Allocation) {
	if entry.DeviceCount > 0 {
		all = append(all, Allocation{DevicePoolName: pool, DeviceCount: entry.DeviceCount})
	}
	for _, device := range entry.Devices {
		all = append(all, Allocation{DevicePoolName: pool, DeviceName: device.Name, Allocations: device.Allocations})
	}
	return all
}

// ofPool is what the claim holds of the pool: not what it has by admin access.
func ofPool(claim *Claim, pool string) (all []Allocation) {
	for _, allocation := range claim.Status.Allocations {
		if allocation.DevicePoolName == pool && !allocation.AdminAccess {
			all = append(all, allocation)
		}
	}
	return all
}

// describe is the same for the same devices in whatever order and form.
func describe(all []Allocation) string {
	var counted int64
	devices := []string{}
	for _, allocation := range all {
		counted += allocation.DeviceCount
		if allocation.DeviceName == "" {
			continue
		}
		amounts := map[string]string{}
		for _, amount := range allocation.Allocations {
			amounts[amount.Name] = amount.Allocation.String()
		}
		text := allocation.DeviceName
		for _, name := range slices.Sorted(maps.Keys(amounts)) {
			text += " " + name + "=" + amounts[name]
		}
		devices = append(devices, text)
	}
	sort.Strings(devices)
	return fmt.Sprint(counted, " and ", devices)
}

// claim: what it has is in the pools, it has what it asked for, and its pods are there.
func (j *judge) claim(claim *Claim) {
	status := &claim.Status
	if len(status.Allocations) == 0 {
		if status.State == "Allocated" || status.NodeName != "" || len(status.Pods) > 0 {
			j.say("claim %s has no devices, but state %q, node %q and pods %v", claim.Name, status.State, status.NodeName,
				status.Pods)
		}
		return
	}
	if status.State != "Allocated" || status.NodeName == "" || len(status.Pods) == 0 {
		j.say("claim %s has devices, but state %q, node %q and pods %v", claim.Name, status.State, status.NodeName,
			status.Pods)
	}
	for _, allocation := range status.Allocations {
		j.allocation(claim, allocation)
	}
	j.enough(claim)
	names := []string{}
	for _, reference := range status.Pods {
		names = append(names, reference.Name)
		pod := j.pods[reference.UID]
		if pod == nil || finished(pod) {
			j.say("claim %s has devices for pod %s, which is gone or ended", claim.Name, reference.Name)
		} else if pod.Spec.NodeName != status.NodeName {
			j.say("claim %s has devices of node %s, its pod %s is on %q", claim.Name, status.NodeName, pod.Name,
				pod.Spec.NodeName)
		}
	}
	if !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(status.PodNames))) {
		j.say("claim %s: podNames %v, pods %v", claim.Name, status.PodNames, names)
	}
}

func (j *judge) allocation(claim *Claim, allocation Allocation) {
	pool := j.pools[allocation.DevicePoolName]
	if pool == nil {
		j.say("claim %s has devices of pool %s, which is not there", claim.Name, allocation.DevicePoolName)
		return
	}
	if node := pool.Spec.NodeName; node != "" && node != claim.Status.NodeName {
		j.say("claim %s is on node %s and has devices of pool %s of node %s", claim.Name, claim.Status.NodeName, pool.Name, node)
	}
	if allocation.AdminAccess {
		return
	}
	if !slices.ContainsFunc(pool.Status.Allocations, func(entry Entry) bool { return entry.ClaimUID == string(claim.UID) }) {
		j.say("claim %s has devices of pool %s, which has no entry of it", claim.Name, pool.Name)
	}
}

// enough: as many devices as asked for at least, with equal attributes where that is asked for of all.
func (j *judge) enough(claim *Claim) {
	var has int64
	for _, allocation := range claim.Status.Allocations {
		has += max(allocation.DeviceCount, 1)
	}
	if least := j.least(claim); has < least {
		j.say("claim %s asks for %d devices, and has %d", claim.Name, least, has)
	}
	match := claim.Spec.MatchAttributes
	if class := j.classes[claim.Spec.DeviceClass]; class != nil {
		match = append(slices.Clone(match), class.Spec.MatchAttributes...)
	}
	for _, name := range match {
		values := map[string]bool{}
		for _, allocation := range claim.Status.Allocations {
			values[j.attribute(allocation, name)] = true
		}
		if len(values) > 1 || values[""] {
			j.say("claim %s asks for equal %s, and has %v", claim.Name, name, slices.Sorted(maps.Keys(values)))
		}
	}
}

func (j *judge) least(claim *Claim) (least int64) {
	switch {
	case claim.Privileged:
		return 1
	case len(claim.Spec.Claims) == 0:
		if claim.Spec.MinDeviceCount != nil {
			return *claim.Spec.MinDeviceCount
		}
		if class := j.classes[claim.Spec.DeviceClass]; class != nil && class.Spec.MinDeviceCount != nil {
			return *class.Spec.MinDeviceCount
		}
		return 1
	}
	for _, detail := range claim.Spec.Claims {
		options := []int64{}
		for _, option := range append(slices.Clone(detail.OneOf), detail) {
			if len(detail.OneOf) > 0 && len(option.OneOf) > 0 {
				continue
			}
			count := int64(1)
			if asked, ok := option.Requests["count"]; ok {
				count = asked.Value()
			}
			options = append(options, count)
		}
		least += slices.Min(options)
	}
	return least
}

// attribute is the value with its kind; empty: there is none.
func (j *judge) attribute(allocation Allocation, name string) string {
	pool := j.pools[allocation.DevicePoolName]
	if pool == nil {
		return ""
	}
	lists := [][]Attribute{}
	for _, device := range pool.Spec.Devices {
		if device.Name == allocation.DeviceName {
			lists = append(lists, device.Attributes)
		}
	}
	for _, attributes := range append(lists, pool.Spec.Attributes) {
		for _, attribute := range attributes {
			if attribute.Name == name {
				return valueOf(attribute)
			}
		}
	}
	return ""
}

func valueOf(attribute Attribute) string {
	switch {
	case attribute.StringValue != nil:
		return "text " + *attribute.StringValue
	case attribute.IntValue != nil:
		return fmt.Sprint("number ", *attribute.IntValue)
	case attribute.QuantityValue != nil:
		return "quantity " + attribute.QuantityValue.String()
	case attribute.SemVerValue != nil:
		return "version " + *attribute.SemVerValue
	}
	return ""
}

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// pod: one that is bound has all its claims.
func (j *judge) pod(pod *corev1.Pod) {
	annotation := pod.Annotations[Annotation]
	if annotation == "" || pod.Spec.NodeName == "" || finished(pod) {
		return
	}
	var claims []struct{ Name, ClaimName, PrivilegedClaimName string }
	if err := json.Unmarshal([]byte(annotation), &claims); err != nil {
		j.say("pod %s is bound with the annotation %q: %v", pod.Name, annotation, err)
		return
	}
	for _, named := range claims {
		name := named.ClaimName
		if named.PrivilegedClaimName != "" {
			name = named.PrivilegedClaimName
		} else if name == "" {
			name = pod.Name + "-" + named.Name
		}
		claim := j.byName[nameOf(named.PrivilegedClaimName != "", pod.Namespace, name)]
		if claim == nil {
			j.say("pod %s is bound, and its claim %s is not there", pod.Name, name)
			continue
		}
		if !slices.ContainsFunc(claim.Status.Pods, func(use PodReference) bool { return use.UID == string(pod.UID) }) {
			j.say("pod %s is bound, and its claim %s has no devices for it", pod.Name, name)
		}
	}
}
