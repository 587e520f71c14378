// Package devicejudge tells whether device pools, claims and pods agree. It shares nothing with the agent but the types
// of docs/devices.md.
package devicejudge

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// Annotation is where a pod names its claims.
const Annotation = "devmgmtproto.k8s.io/device-claims"

// Amount is how much of a device's own resource a claim has.
type Amount struct {
	Name       string            `json:"name"`
	Allocation resource.Quantity `json:"allocation"`
}

// Allocation is what a claim's status says that it has: some devices that are counted, or one with a name.
type Allocation struct {
	DevicePoolName string   `json:"devicePoolName"`
	DeviceCount    int64    `json:"deviceCount"`
	DeviceName     string   `json:"deviceName"`
	Allocations    []Amount `json:"allocations"`
	AdminAccess    bool     `json:"adminAccess"`
}

// Attribute is of a pool or a device.
type Attribute struct {
	Name          string             `json:"name"`
	StringValue   *string            `json:"stringValue"`
	IntValue      *int64             `json:"intValue"`
	QuantityValue *resource.Quantity `json:"quantityValue"`
	SemVerValue   *string            `json:"semVerValue"`
}

// Detail is what one entry of a claim asks for.
type Detail struct {
	DeviceClass     string                       `json:"deviceClass"`
	DeviceType      string                       `json:"deviceType"`
	MatchAttributes []string                     `json:"matchAttributes"`
	Requests        map[string]resource.Quantity `json:"requests"`
	OneOf           []Detail                     `json:"oneOf"`
}

// PodReference is a pod that uses a claim.
type PodReference struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// Claim is a DeviceClaim or a DevicePrivilegedClaim.
type Claim struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		DeviceClass     string   `json:"deviceClass"`
		MinDeviceCount  *int64   `json:"minDeviceCount"`
		MatchAttributes []string `json:"matchAttributes"`
		Claims          []Detail `json:"claims"`
	} `json:"spec"`
	Status struct {
		State       string         `json:"state"`
		NodeName    string         `json:"nodeName"`
		Message     string         `json:"message"`
		Allocations []Allocation   `json:"allocations"`
		PodNames    []string       `json:"podNames"`
		Pods        []PodReference `json:"pods"`
	} `json:"status"`
	Privileged bool `json:"-"`
}

// Class is a DeviceClass.
type Class struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		DeviceType      string   `json:"deviceType"`
		MinDeviceCount  *int64   `json:"minDeviceCount"`
		MatchAttributes []string `json:"matchAttributes"`
	} `json:"spec"`
}

// Resource is an amount that a pool or a device has.
type Resource struct {
	Name     string            `json:"name"`
	Capacity resource.Quantity `json:"capacity"`
}

// Device is one of a pool that lists its devices.
type Device struct {
	Name       string                       `json:"name"`
	Attributes []Attribute                  `json:"attributes"`
	Requests   map[string]resource.Quantity `json:"requests"`
	Resources  []Resource                   `json:"resources"`
}

// Entry is what a pool's status says that a claim has of it.
type Entry struct {
	ClaimUID    string  `json:"claimUID"`
	PodUID      string  `json:"podUID"`
	State       string  `json:"state"`
	Deadline    *string `json:"deadline"`
	DeviceCount int64   `json:"deviceCount"`
	Devices     []struct {
		Name        string   `json:"name"`
		Allocations []Amount `json:"allocations"`
	} `json:"devices"`
}

// Pool is a DevicePool.
type Pool struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName   string      `json:"nodeName"`
		Attributes []Attribute `json:"attributes"`
		Count      *int64      `json:"count"`
		Resources  []Resource  `json:"resources"`
		Devices    []Device    `json:"devices"`
	} `json:"spec"`
	Status struct {
		TotalDevices *int64  `json:"totalDevices"`
		FreeDevices  *int64  `json:"freeDevices"`
		Allocations  []Entry `json:"allocations"`
	} `json:"status"`
}

// State is all that is judged.
type State struct {
	Pools   []Pool
	Claims  []Claim
	Classes []Class
	Pods    []corev1.Pod
}

// Read reads the objects of all namespaces, pods last.
func Read(ctx context.Context, objects dynamic.Interface, client kubernetes.Interface) (State, error) {
	var state State
	var err error
	if state.Pools, err = list[Pool](ctx, objects, "devicepools"); err != nil {
		return State{}, err
	}
	if state.Classes, err = list[Class](ctx, objects, "deviceclasses"); err != nil {
		return State{}, err
	}
	if state.Claims, err = list[Claim](ctx, objects, "deviceclaims"); err != nil {
		return State{}, err
	}
	privileged, err := list[Claim](ctx, objects, "deviceprivilegedclaims")
	if err != nil {
		return State{}, err
	}
	for _, claim := range privileged {
		claim.Privileged = true
		state.Claims = append(state.Claims, claim)
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return State{}, err
	}
	state.Pods = pods.Items
	return state, nil
}

func list[T any](ctx context.Context, objects dynamic.Interface, plural string) ([]T, error) {
	found, err := objects.Resource(schema.GroupVersionResource{
		Group: "devmgmtproto.k8s.io", Version: "v1alpha1", Resource: plural}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plural, err)
	}
	var all []T
	for _, item := range found.Items {
		text, err := item.MarshalJSON()
		if err != nil {
			return nil, err
		}
		var object T
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, fmt.Errorf("%s %s: %w", plural, item.GetName(), err)
		}
		all = append(all, object)
	}
	return all, nil
}
