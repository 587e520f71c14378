package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

const (
	// searchLimit is the number of steps after which a case is left out as too large.
	searchLimit = 3000
	anyShare    = "*"
)

// errLeftOut marks a case to which upstream has no single quick answer.
var errLeftOut = errors.New("left out")

// upstream answers cases as kube-scheduler with its default features does.
type upstream struct {
	features structured.Features
	cache    *cel.Cache
}

func newUpstream() *upstream {
	enabled := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	return &upstream{
		features: dynamicresources.AllocatorFeatures(enabled),
		// As dynamicresources.New, but larger: the cases share few expressions.
		cache: cel.NewCache(1000, cel.Features{
			EnableConsumableCapacity: enabled.EnableDRAConsumableCapacity,
			EnableListTypeAttributes: enabled.EnableDRAListTypeAttributes,
		}),
	}
}

// answer sets what is expected of a case. It returns errLeftOut if the search takes long, or if the
// answer depends on what has no order in a cluster: slices, and the nodes that share an allocator.
func (u *upstream) answer(c *testCase) error {
	read, err := c.reread()
	if err != nil {
		return err
	}
	expect := map[string]*outcome{}
	for _, node := range read.Nodes {
		if expect[node.Name], err = u.ask(u.allocator(read), read, node); err != nil {
			return err
		}
	}
	for range 2 {
		slices.Reverse(read.Nodes)
		slices.Reverse(read.Slices)
		shared := u.allocator(read)
		for _, node := range read.Nodes {
			got, err := u.ask(shared, read, node)
			if err != nil {
				return err
			}
			if !same(got, expect[node.Name]) {
				return fmt.Errorf("%w: the order of nodes or slices counts", errLeftOut)
			}
		}
	}
	c.Expect = expect
	return nil
}

func same(a, b *outcome) bool {
	first, err := line(a)
	must(err)
	second, err := line(b)
	must(err)
	return bytes.Equal(first, second) || a.Error != "" && b.Error != ""
}

func (u *upstream) allocator(c *testCase) structured.Allocator {
	allocator, err := structured.NewAllocator(context.Background(), u.features, allocatedState(c.Allocated),
		classes(c.Classes), c.Slices, u.cache)
	must(err)
	return allocator
}

func (u *upstream) ask(allocator structured.Allocator, c *testCase, node *v1.Node) (*outcome, error) {
	ctx := &bounded{context.Background(), searchLimit}
	allocations, err := allocator.Allocate(ctx, node, c.Claims)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: too large", errLeftOut)
	}
	if err != nil {
		scope := "cycle"
		if errors.Is(err, structured.ErrFailedAllocationOnNode) {
			scope = "node"
		}
		return &outcome{Error: err.Error(), Scope: scope}, nil
	}
	// As the plugin's Filter: all claims or none.
	fits := len(allocations) == len(c.Claims)
	if !fits {
		return &outcome{Fits: &fits}, nil
	}
	for _, allocation := range allocations {
		for i := range allocation.Devices.Results {
			if result := &allocation.Devices.Results[i]; result.ShareID != nil {
				share := types.UID(anyShare) // the real one is random
				result.ShareID = &share
			}
		}
	}
	return &outcome{Fits: &fits, Allocations: allocations}, nil
}

// bounded is a context that ends after so many of the allocator's steps: it asks Err once a step. Unlike
// a time limit it leaves out the same cases on each machine.
type bounded struct {
	context.Context
	steps int
}

func (b *bounded) Err() error {
	if b.steps <= 0 {
		return context.DeadlineExceeded
	}
	b.steps--
	return nil
}

// allocatedState follows GatherAllocatedState and foreachAllocatedDevice of the plugin.
func allocatedState(claims []*resourceapi.ResourceClaim) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess != nil && *result.AdminAccess {
				continue
			}
			device := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			if result.ShareID == nil {
				state.AllocatedDevices.Insert(device)
				continue
			}
			state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device, result.ShareID))
			if result.ConsumedCapacity != nil {
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device, result.ConsumedCapacity))
			}
		}
	}
	return state
}

// classes is a lister of device classes.
type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, apierrors.NewNotFound(resourceapi.Resource("deviceclasses"), name)
}
