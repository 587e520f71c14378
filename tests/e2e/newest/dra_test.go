package newest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const gpuDriver = "gpu.example.com"

// draWorld has nodes with four devices each, two to a NUMA node, and one that is shared.
type draWorld struct {
	*scheduling.World
	kubeconfig string
}

func newDraWorld(t *testing.T) *draWorld {
	w := &draWorld{World: scheduling.New(t)}
	kubeconfig, err := w.Cluster.WriteKubeconfig("dra", w.Cluster.Config)
	w.Must(err)
	w.kubeconfig = kubeconfig
	w.StartScheduler(w.SchedulerBase())
	for _, node := range []string{"a", "b"} {
		w.Nodes(kube.MakeNode(node).Resource(corev1.ResourceCPU, "64"))
		_, err := w.Client.ResourceV1().ResourceSlices().Create(w.Ctx, sliceOf(node), metav1.CreateOptions{})
		w.Must(err)
	}
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	class.Spec.Selectors = selectors("device.driver == 'gpu.example.com'")
	_, err = w.Client.ResourceV1().DeviceClasses().Create(w.Ctx, class, metav1.CreateOptions{})
	w.Must(err)
	return w
}

func selectors(expressions ...string) []resourceapi.DeviceSelector {
	var list []resourceapi.DeviceSelector
	for _, expression := range expressions {
		list = append(list, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
	return list
}

func sliceOf(node string) *resourceapi.ResourceSlice {
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node + "-gpu"}}
	slice.Spec = resourceapi.ResourceSliceSpec{Driver: gpuDriver, NodeName: new(node),
		Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}
	for i := range 4 {
		slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{
			Name: fmt.Sprintf("g%d", i),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"numa": {IntValue: new(int64(i / 2))}, "kind": {StringValue: new("whole")}},
		})
	}
	slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{
		Name: "v0", AllowMultipleAllocations: new(true),
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"kind": {StringValue: new("shared")}},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"memory": {Value: resource.MustParse("8Gi")}},
	})
	return slice
}

func whole(name string, count int64) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu",
		Count: count, Selectors: selectors("device.attributes['gpu.example.com'].kind == 'whole'")}}
}

func share(name, memory string) resourceapi.DeviceRequest {
	return resourceapi.DeviceRequest{Name: name, Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu",
		Selectors: selectors("device.attributes['gpu.example.com'].kind == 'shared'"),
		Capacity: &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{
			"memory": resource.MustParse(memory)}}}}
}

func pairOrOne(name string) resourceapi.DeviceRequest {
	two, one := whole("two", 2), whole("one", 1)
	return resourceapi.DeviceRequest{Name: name, FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "two", DeviceClassName: "gpu", Count: 2, Selectors: two.Exactly.Selectors},
		{Name: "one", DeviceClassName: "gpu", Count: 1, Selectors: one.Exactly.Selectors}}}
}

var onOneNuma = []resourceapi.DeviceConstraint{{MatchAttribute: new(resourceapi.FullyQualifiedName("gpu.example.com/numa"))}}

type explainedNode struct {
	Name   string
	Fits   bool
	Reason string
	Claims []struct {
		Devices []struct{ Request, Driver, Pool, Device string }
	}
	WouldHelp string
}

func (w *draWorld) explain(claim string) map[string]explainedNode {
	w.Helper()
	var said struct{ ByNode []explainedNode }
	text := outrigger.Run(w, "explain", "claim", claim, "-n", "default", "-o", "json", "--kubeconfig", w.kubeconfig)
	w.Must(json.Unmarshal(text, &said))
	byNode := map[string]explainedNode{}
	for _, node := range said.ByNode {
		byNode[node.Name] = node
	}
	return byNode
}

// ask makes a claim and returns what explain says of it.
func (w *draWorld) ask(name string, constraints []resourceapi.DeviceConstraint,
	requests ...resourceapi.DeviceRequest) map[string]explainedNode {
	w.Helper()
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	claim.Spec.Devices = resourceapi.DeviceClaim{Requests: requests, Constraints: constraints}
	_, err := w.Client.ResourceV1().ResourceClaims("default").Create(w.Ctx, claim, metav1.CreateOptions{})
	w.Must(err)
	return w.explain(name)
}

func (w *draWorld) pod(claim string) {
	w.Helper()
	w.Pods(kube.MakePod(claim).Request(corev1.ResourceCPU, "1").ResourceClaim(claim))
}

// What kube-scheduler writes is what was said before it was asked, claim after claim until nothing is left.
func TestWhatExplainSaysOfClaimsIsWhatKubeSchedulerAllocates(t *testing.T) {
	t.Parallel()
	w := newDraWorld(t)
	claims := []struct {
		name        string
		constraints []resourceapi.DeviceConstraint
		requests    []resourceapi.DeviceRequest
	}{
		{"one", nil, []resourceapi.DeviceRequest{whole("r", 1)}},
		{"numa", onOneNuma, []resourceapi.DeviceRequest{whole("r", 2)}},
		{"share", nil, []resourceapi.DeviceRequest{share("r", "5Gi")}},
		{"list", nil, []resourceapi.DeviceRequest{pairOrOne("r")}},
		{"both", nil, []resourceapi.DeviceRequest{whole("w", 1), share("s", "3Gi")}},
		{"last", nil, []resourceapi.DeviceRequest{pairOrOne("r")}},
	}
	for _, claim := range claims {
		said := w.ask(claim.name, claim.constraints, claim.requests...)
		w.pod(claim.name)
		pod := w.Until(claim.name, "bound", scheduling.IsBound)
		made, err := w.Client.ResourceV1().ResourceClaims("default").Get(w.Ctx, claim.name, metav1.GetOptions{})
		w.Must(err)
		var want, got []string
		for _, result := range made.Status.Allocation.Devices.Results {
			want = append(want, strings.Join([]string{result.Request, result.Driver, result.Pool, result.Device}, " "))
		}
		node := said[pod.Spec.NodeName]
		for _, of := range node.Claims {
			for _, device := range of.Devices {
				got = append(got, strings.Join([]string{device.Request, device.Driver, device.Pool, device.Device}, " "))
			}
		}
		if !node.Fits || !reflect.DeepEqual(got, want) {
			t.Errorf("claim %s: explain said %v of node %s (%s), kube-scheduler allocated %v", claim.name, got,
				pod.Spec.NodeName, node.Reason, want)
		}
	}
}

// A pod that has no room stays, and explain says why and what would help; with that change it starts.
func TestAChangeThatExplainNamesHelps(t *testing.T) {
	t.Parallel()
	w := newDraWorld(t)
	for node, said := range w.ask("five", nil, whole("r", 5)) {
		const reason = "claim five, request r: 5 of class gpu wanted, 4 free (1 not selected by " +
			"device.attributes['gpu.example.com'].kind == 'whole')"
		if said.Fits || said.Reason != reason || said.WouldHelp != "count 4 in request r" {
			t.Errorf("node %s: %+v", node, said)
		}
	}
	w.pod("five")
	w.Until("five", "refused", isRefused)
	pod := string(outrigger.Run(t, "explain", "pod", "five", "-n", "default", "--kubeconfig", w.kubeconfig))
	if !strings.Contains(pod, "Nearest:   a; would help: count 4 in request r\n") {
		t.Errorf("explain pod:\n%s", pod)
	}
	if said := w.ask("four", nil, whole("r", 4)); !said["a"].Fits || !said["b"].Fits {
		t.Errorf("with count 4: %+v", said)
	}
	w.pod("four")
	w.Until("four", "bound", scheduling.IsBound)
	w.sameOfADump()
}

func isRefused(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable {
			return true
		}
	}
	return false
}

// sameOfADump compares the answers from what kubectl prints, read as it is, with those from the live cluster.
func (w *draWorld) sameOfADump() {
	w.Helper()
	live := w.ask("numa", onOneNuma, whole("r", 3))
	dump := filepath.Join(w.TempDir(), "dump.yaml")
	printed, err := w.Cluster.Kubectl(w.Ctx, "get",
		"nodes,resourceslices,deviceclasses.resource.k8s.io,resourceclaims,pods", "-A", "-o", "yaml")
	w.Must(err)
	w.Must(os.WriteFile(dump, []byte(printed), 0o600))
	var said struct{ ByNode []explainedNode }
	w.Must(json.Unmarshal(outrigger.Run(w, "explain", "claim", "numa", "-n", "default", "-o", "json", "--cluster", dump),
		&said))
	if len(said.ByNode) != len(live) {
		w.Fatalf("%d nodes, %d live", len(said.ByNode), len(live))
	}
	for _, node := range said.ByNode {
		if !reflect.DeepEqual(node, live[node.Name]) {
			w.Errorf("node %s: %+v, live %+v", node.Name, node, live[node.Name])
		}
	}
}
