package gang

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

var resourceClaims = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}

// servesDevices tells whether the API server has ResourceClaims as they are from Kubernetes 1.34 on.
func (w *world) servesDevices() bool {
	w.Helper()
	groups, err := w.Client.Discovery().ServerGroups()
	w.Must(err)
	return slices.ContainsFunc(groups.Groups, func(group metav1.APIGroup) bool {
		return group.Name == resourceClaims.Group && slices.ContainsFunc(group.Versions,
			func(version metav1.GroupVersionForDiscovery) bool { return version.Version == resourceClaims.Version })
	})
}

// allocated creates a ResourceClaim that another pod uses already, on one node.
func (w *world) allocated(name, node string) {
	w.Helper()
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	claims := client.Resource(resourceClaims).Namespace("default")
	claim := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": resourceClaims.GroupVersion().String(), "kind": "ResourceClaim",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"devices": map[string]any{}},
	}}
	created, err := claims.Create(w.Ctx, claim, metav1.CreateOptions{})
	w.Must(err)
	// Of what is reserved for nobody the scheduler would make something new.
	created.Object["status"] = map[string]any{"reservedFor": []any{
		map[string]any{"resource": "pods", "name": "another", "uid": "another"},
	}, "allocation": map[string]any{
		"allocationTimestamp": metav1.Now().UTC().Format(time.RFC3339), // else the scheduler would add it
		"nodeSelector": map[string]any{"nodeSelectorTerms": []any{map[string]any{
			"matchFields": []any{map[string]any{
				"key": "metadata.name", "operator": "In", "values": []any{node}}}}}}}}
	_, err = claims.UpdateStatus(w.Ctx, created, metav1.UpdateOptions{})
	w.Must(err)
}

// Members whose devices are allocated go where these are, at once: nothing has to be refused for it. Where the
// API server knows no such claims, a gang does without.
func TestAGangGoesWhereItsDevicesAre(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 3
	var nodes []*kube.NodeBuilder
	for _, name := range []string{"n0", "n1", "n2"} {
		nodes = append(nodes, kube.MakeNode(name).Resource(corev1.ResourceCPU, "1"))
	}
	w := newCountedWorld(t, nodes, nil)
	members := gangOf("train", size)
	want := map[string]string{}
	if w.servesDevices() {
		// Against the order in which nodes would be taken otherwise.
		want = map[string]string{"train-000": "n2", "train-001": "n0"}
		for i := range 2 {
			name := members[i].Pod().Name
			w.allocated(name, want[name])
			members[i].ResourceClaim(name)
		}
	}
	began := time.Now()
	w.inParallel(4, members)
	t.Logf("whole after %.2f s", w.untilBoundOf("train-", size, began).Seconds())
	for _, pod := range w.Tracker.Pods() {
		if node := want[pod.Name]; node != "" && pod.Spec.NodeName != node {
			t.Errorf("%s is on %s, its device on %s", pod.Name, pod.Spec.NodeName, node)
		}
	}
	w.CheckBoundOnce(size)
	w.checkCalls(mostCalls)
}
