// Command scheduler-fits writes golden/upstream_fits.json: random clusters, configurations of kube-scheduler and
// pods, and the nodes on which upstream's own Filter plugins, configured so, let the pod pass. The C++ tests plan
// the pod as a gang of one.
//
// Run in tests/: `go run ./support/cmd/scheduler-fits` rewrites the table; with -check it changes nothing and exits
// with status 1 where the table is not what upstream says. The same seed gives the same bytes.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

const rows = 400

func main() {
	path := flag.String("out", "golden/upstream_fits.json", "the table")
	check := flag.Bool("check", false, "compare with the table that is there, and write nothing")
	seed := flag.Uint64("seed", 1, "seed of the rows; the committed table has 1")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	metrics.Register()

	var text bytes.Buffer
	text.WriteString("[")
	r := rand.New(rand.NewPCG(*seed, 0))
	for i := range rows {
		world := randomWorld(r)
		row, err := json.Marshal(map[string]any{
			"config": world.config, "objects": world.objects(), "pod": world.pod, "fits": world.fits(),
		})
		must(err)
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, "\n%s", row)
	}
	text.WriteString("\n]\n")
	if !*check {
		must(os.WriteFile(*path, text.Bytes(), 0o644))
		return
	}
	there, err := os.ReadFile(*path)
	must(err)
	if !bytes.Equal(there, text.Bytes()) {
		fmt.Fprintf(os.Stderr, "%s differs from what upstream answers: run scheduler-fits\n", *path)
		os.Exit(1)
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "scheduler-fits:", err)
		os.Exit(2)
	}
}

// fits returns the names of the nodes that pass all filters, in order.
func (w *world) fits() []string {
	ctx := context.Background()
	profile := w.profile()
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	snapshot := cache.NewSnapshot(w.bound, w.nodes)
	f, err := runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		runtime.WithClientSet(fake.NewClientset()), runtime.WithInformerFactory(factory),
		runtime.WithSnapshotSharedLister(snapshot), runtime.WithSharedDRAManager(classes(w.classes)))
	must(err)
	infos, err := snapshot.NodeInfos().List()
	must(err)
	names := []string{}
	state := framework.NewCycleState()
	result, status, _ := f.RunPreFilterPlugins(ctx, state, w.pod)
	if !status.IsSuccess() {
		if status.Code() == fwk.Error {
			must(status.AsError())
		}
		return names
	}
	for _, info := range infos {
		name := info.Node().Name
		if !result.AllNodes() && !result.NodeNames.Has(name) {
			continue
		}
		status := f.RunFilterPlugins(ctx, state, w.pod, info)
		if status.Code() == fwk.Error {
			must(status.AsError())
		}
		if status.IsSuccess() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// profile is that of the configuration, as kube-scheduler comes to it.
func (w *world) profile() *config.KubeSchedulerProfile {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode([]byte(w.config), nil, nil)
	must(err)
	all := object.(*config.KubeSchedulerConfiguration)
	profile := &all.Profiles[0]
	// As buildExtenders of pkg/scheduler.
	var ignored []string
	for _, extender := range all.Extenders {
		for _, managed := range extender.ManagedResources {
			if managed.IgnoredByScheduler {
				ignored = append(ignored, managed.Name)
			}
		}
	}
	for _, plugin := range profile.PluginConfig {
		if args, ok := plugin.Args.(*config.NodeResourcesFitArgs); ok && plugin.Name == noderesources.Name && ignored != nil {
			args.IgnoredResources = ignored
		}
	}
	// The planner makes seven filters; the others are not asked.
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled, func(p config.Plugin) bool {
		return !slices.Contains(planned, p.Name) && p.Name != "PrioritySort" && p.Name != "DefaultBinder"
	})
	return profile
}

// classes is as much of a SharedDRAManager as NodeResourcesFit asks.
type classes []*resourceapi.DeviceClass

func (c classes) ResourceClaims() fwk.ResourceClaimTracker     { return nil }
func (c classes) ResourceSlices() fwk.ResourceSliceLister      { return nil }
func (c classes) DeviceClasses() fwk.DeviceClassLister         { return nil }
func (c classes) DeviceClassResolver() fwk.DeviceClassResolver { return c }

func (c classes) GetDeviceClass(name v1.ResourceName) *resourceapi.DeviceClass {
	for _, class := range c {
		own := v1.ResourceName(resourceapi.ResourceDeviceClassPrefix + class.Name)
		if name == own || class.Spec.ExtendedResourceName != nil && v1.ResourceName(*class.Spec.ExtendedResourceName) == name {
			return class
		}
	}
	return nil
}
