package devices

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const twoPods = `
apiVersion: devmgmtproto.k8s.io/v1alpha1
kind: DeviceClaim
metadata: {name: two-foozers, namespace: default}
spec: {deviceClass: example.com-foozer-set, minDeviceCount: 2, maxDeviceCount: 2, matchAttributes: [numa]}
---
apiVersion: v1
kind: Pod
metadata:
  name: trainer
  namespace: default
  annotations:
    devmgmtproto.k8s.io/device-claims: |
      [{"name": "gpus", "claimName": "two-foozers"},
       {"name": "more", "claim": {"deviceClass": "example.com-gpu-set", "driver": "example.com-barzer"}}]
spec: {containers: [{name: main, image: "registry.k8s.io/pause:3.10"}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: greedy
  namespace: default
  annotations:
    devmgmtproto.k8s.io/device-claims: |
      [{"name": "gpus", "claim": {"deviceClass": "example.com-foozer-set", "minDeviceCount": 8}}]
spec: {containers: [{name: main, image: "registry.k8s.io/pause:3.10"}]}
`

// TestCommands does by hand what the agent does in a bind call.
func TestCommands(t *testing.T) {
	w := install(t)
	kubeconfig, err := w.Cluster.WriteKubeconfig("commands", w.Cluster.Config)
	w.Must(err)
	write := func(name string, text []byte) string {
		path := filepath.Join(t.TempDir(), name)
		w.Must(os.WriteFile(path, text, 0o600))
		return path
	}
	_, err = w.Client.CoreV1().Nodes().Create(w.Ctx, kube.MakeNode(foozerBarzer.node(0)).Node(), metav1.CreateOptions{})
	w.Must(err)
	pools := write("pools.yaml", []byte(driversOfShapes+foozerBarzer.yaml(1)))
	pods := write("pods.yaml", []byte(twoPods))
	w.kubectl("apply", "--server-side", "--validate=strict", "-f", pools, "-f", pods,
		"-f", filepath.Join(examples, "classes-count.yaml"))
	live := func(args ...string) string {
		return string(outrigger.Run(t, append(args, "--kubeconfig", kubeconfig)...))
	}

	const summary = "shape-foozer-barzer-00: satisfied all claims with score "
	said := live("schedule", "-f", pods, "--cluster", "live", "--pod", "trainer")
	if !strings.Contains(said, summary) {
		t.Errorf("schedule without --write:\n%s", said)
	}
	if pod, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, "trainer", metav1.GetOptions{}); err != nil || pod.Spec.NodeName != "" {
		t.Fatalf("the pod is on %q before anything was written (%v)", pod.Spec.NodeName, err)
	}
	live("schedule", "--cluster", "live", "--pod", "trainer", "--write")
	pod, err := w.Client.CoreV1().Pods("default").Get(w.Ctx, "trainer", metav1.GetOptions{})
	w.Must(err)
	if pod.Spec.NodeName != "shape-foozer-barzer-00" {
		t.Errorf("the pod is on %q", pod.Spec.NodeName)
	}
	checkWritten(w, string(pod.UID), "two-foozers", "trainer-more")

	greedy := live("schedule", "--cluster", "live", "--pod", "greedy")
	if !strings.Contains(greedy, "wanted, 6 free (2 in use by default/two-foozers)") {
		t.Errorf("no true reason:\n%s", greedy)
	}
	explained := live("explain", "pod", "greedy", "--agents", "safe")
	if !strings.Contains(explained, "greedy-gpus  shape-foozer-barzer-00-foozer-00  0 of 2") {
		t.Errorf("explain pod:\n%s", explained)
	}
	var list struct {
		Used  int `json:"used"`
		Total int `json:"total"`
	}
	w.Must(json.Unmarshal([]byte(live("devices", "-o", "json")), &list))
	if list.Used != 3 || list.Total != 16 {
		t.Errorf("devices: %d of %d are in use, want 3 of 16", list.Used, list.Total)
	}
	if columns := table(w.kubectl("get", "dmpool", "shape-foozer-barzer-00-foozer-00")); !slices.Equal(columns[1][1:5],
		[]string{"shape-foozer-barzer-00", "example.com-foozer", "0", "2"}) {
		t.Errorf("the pool's columns are %v", columns)
	}
	checkPublishedTwice(w, func() string {
		return live("doctor", write("scheduler.yaml", outrigger.SchedulerConfig(t, nil, "--agents", "devices")), "--live")
	})
}

const slice = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: twice}
spec:
  driver: example.com-foozer
  nodeName: shape-foozer-barzer-00
  pool: {name: twice, generation: 1, resourceSliceCount: 1}
  devices: [{name: d0}]
`

// checkPublishedTwice: the doctor names a node whose devices something else publishes, too.
func checkPublishedTwice(w *world, doctor func() string) {
	w.Helper()
	if said := doctor(); strings.Contains(said, "published-twice") {
		w.Errorf("pools alone are found:\n%s", said)
	}
	const node = "shape-foozer-barzer-00"
	const found = "published-twice (node " + node + ")\n  Found: 1 node: driver example.com-foozer has DevicePools"
	says := func(want string) {
		w.Helper()
		if said := doctor(); !strings.Contains(said, want) {
			w.Errorf("no %q in what the doctor says:\n%s", want, said)
		}
	}
	w.kubectl("patch", "node", node, "--subresource=status", "-p",
		`{"status": {"capacity": {"example.com/foozer": "2"}, "allocatable": {"example.com/foozer": "2"}}}`)
	says(found + ", and a device plugin offers example.com/foozer")
	served := schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"}
	if err := w.listed([]schema.GroupVersionResource{served}); err != nil {
		w.Logf("this Kubernetes has no DRA in v1: %v", err)
		return
	}
	path := filepath.Join(w.TempDir(), "slice.yaml")
	w.Must(os.WriteFile(path, []byte(slice), 0o600))
	w.kubectl("apply", "-f", path)
	says(found + " and ResourceSlices\n")
}

// checkWritten looks for the claims in their own status and in that of the pools.
func checkWritten(w *world, podUID string, claims ...string) {
	w.Helper()
	held := map[string]string{} // state by claim, in pools
	list, err := w.client(kinds["DevicePool"]).List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, pool := range list.Items {
		entries, _, err := unstructured.NestedSlice(pool.Object, "status", "allocations")
		w.Must(err)
		for _, each := range entries {
			entry := each.(map[string]any)
			if entry["podUID"] != podUID {
				w.Errorf("pool %s: entry of another pod: %v", pool.GetName(), entry)
			}
			held[entry["claimName"].(string)] = entry["state"].(string)
		}
	}
	for _, name := range claims {
		claim, err := w.client(kinds["DeviceClaim"]).Get(w.Ctx, name, metav1.GetOptions{})
		w.Must(err)
		state, _, _ := unstructured.NestedString(claim.Object, "status", "state")
		if state != "Allocated" || held[name] != "Confirmed" {
			w.Errorf("claim %s is %q, its entry in the pool %q", name, state, held[name])
		}
	}
	if len(held) != len(claims) {
		w.Errorf("pools have entries of %v, want %v", held, claims)
	}
}
