package gang

import (
	"context"
	"fmt"
	"strings"
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

// dialect is a kind of PodGroup and how pods name theirs.
type dialect struct {
	name           string
	resource       schema.GroupVersionResource
	label, comment string // the pod's label, or its annotation
	plainStatus    bool   // the status is no subresource, as in Volcano's CRD
}

var dialects = []dialect{
	{"plugins", schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"},
		"scheduling.x-k8s.io/pod-group", "", false},
	{"sigs", schema.GroupVersionResource{Group: "scheduling.sigs.k8s.io", Version: "v1alpha1", Resource: "podgroups"},
		"pod-group.scheduling.sigs.k8s.io", "", false},
	{"volcano", schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"},
		"", "scheduling.k8s.io/group-name", true},
}

func (d dialect) object(namespace, name string, minimum int64) *unstructured.Unstructured {
	spec := map[string]any{"minMember": minimum}
	if d.resource.Group == upstream.resource.Group {
		spec = map[string]any{"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": minimum}}}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": d.resource.GroupVersion().String(),
		"kind":       "PodGroup",
		"metadata":   map[string]any{"namespace": namespace, "name": name},
		"spec":       spec,
	}}
}

// member is a member of a group; one of upstream's is so once it has joined.
func (d dialect) member(gang string, index int) *kube.PodBuilder {
	pod := slot(fmt.Sprintf("%s-%s-%03d", d.name, gang, index))
	if d.label != "" {
		pod.Label(d.label, gang)
	}
	if d.comment != "" {
		pod.Annotation(d.comment, gang)
	}
	return pod
}

func (d dialect) subresources() map[string]any {
	if d.plainStatus {
		return map[string]any{}
	}
	return map[string]any{"status": map[string]any{}}
}

// definePodGroups installs the CRD of a dialect, without a schema of its own, and waits until it is served: an agent that
// does not find the kind looks for it again after half a minute.
func (w *world) definePodGroups(client dynamic.Interface, d dialect) {
	w.Helper()
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata": map[string]any{"name": "podgroups." + d.resource.Group, "annotations": map[string]any{
			// The API server wants it for groups below k8s.io.
			"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/scheduler-plugins/pull/50"}},
		"spec": map[string]any{
			"group": d.resource.Group, "scope": "Namespaced",
			"names": map[string]any{"kind": "PodGroup", "listKind": "PodGroupList", "plural": "podgroups", "singular": "podgroup"},
			"versions": []any{map[string]any{
				"name": d.resource.Version, "served": true, "storage": true,
				"subresources": d.subresources(),
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}}
	_, err := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"}).Create(w.Ctx, crd, metav1.CreateOptions{})
	w.Must(err)
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(ctx context.Context) error {
		if _, err := client.Resource(d.resource).List(ctx, metav1.ListOptions{}); err != nil {
			return err
		}
		return w.Client.Discovery().RESTClient().Get().AbsPath("/apis/" + d.resource.Group).Do(ctx).Error()
	}))
}

// newPodGroupWorld is a world without an agent yet, with the PodGroups of scheduler-plugins.
func newPodGroupWorld(t *testing.T) (*gangWorld, dynamic.Interface, dialect) {
	t.Helper()
	w := &gangWorld{world: newWorld(t)}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	plugins := dialects[0]
	w.definePodGroups(client, plugins)
	return w, client, plugins
}

// create waits until the kind is served, which takes a moment after its definition.
func (w *world) create(client dynamic.Interface, d dialect, object *unstructured.Unstructured) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for {
		_, err := client.Resource(d.resource).Namespace(object.GetNamespace()).Create(w.Ctx, object, metav1.CreateOptions{})
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("create %s %s: %v", d.name, object.GetName(), err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// untilStatus waits until the status of the group train has what is wanted, printed as a map.
func (w *world) untilStatus(client dynamic.Interface, d dialect, want string) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for {
		group, err := client.Resource(d.resource).Namespace("default").Get(w.Ctx, "train", metav1.GetOptions{})
		w.Must(err)
		status := fmt.Sprint(group.Object["status"])
		if strings.Contains(status, want) {
			return
		}
		if time.Now().After(deadline) {
			w.Fatalf("the status of %s is %s, want %s in it", d.name, status, want)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// W7: every dialect with an object, the same name in two namespaces, and a group that is deleted and
// created again while it waits.
func TestGroupsOfEveryDialectAreGroupsOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := &gangWorld{world: newWorld(t)}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	for _, d := range dialects {
		w.definePodGroups(client, d)
		w.create(client, d, d.object("default", "train", 3))
	}
	_, err = w.Client.CoreV1().Namespaces().Create(w.Ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: "other"}}, metav1.CreateOptions{})
	w.Must(err)
	w.slots("n", 4, 4)
	w.gang = w.serveGang("--gang.write-status")
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))

	for _, d := range dialects {
		for i := range 2 {
			w.Pods(d.member("train", i))
		}
		// A third member of that name, but in another namespace, and without an object there.
		w.Pods(d.member("train", 9).Namespace("other"))
	}
	for _, d := range dialects {
		w.waitingMessage(d.name+"-train-000", "gang default/train waits: members")
	}
	if bound := len(w.Tracker.Bindings()); bound != 0 {
		t.Fatalf("%d pods are bound", bound)
	}
	for _, d := range dialects {
		w.untilStatus(client, d, "phase:Pending")
	}
	w.untilStatus(client, dialects[2], "message:2 of 3 members exist reason:members")
	// The group is another one now, with another minimum.
	plugins := dialects[0]
	w.Must(client.Resource(plugins.resource).Namespace("default").Delete(w.Ctx, "train", metav1.DeleteOptions{}))
	// Beside the three of the other namespace. Its pods sleep: nothing of a group wakes them by itself.
	w.gang.UntilMetricAbove(t, 3, "outrigger_gang_waiting", `cause="no PodGroup"`)
	began := time.Now()
	w.create(client, plugins, plugins.object("default", "train", 2))
	t.Logf("bound %.2f s after the group was created again", w.untilBoundOf("plugins-", 2, began).Seconds())

	for _, d := range dialects[1:] {
		began := time.Now()
		w.Pods(d.member("train", 2))
		t.Logf("%s: whole %.2f s after its last member had come", d.name, w.untilBoundOf(d.name+"-", 3, began).Seconds())
	}
	w.untilStatus(client, plugins, "phase:Scheduled")
	w.untilStatus(client, dialects[1], "phase:Scheduled running:0 scheduled:3")
	w.untilStatus(client, dialects[2], "type:Scheduled")
	for _, pod := range w.Tracker.Pods() {
		if pod.Namespace == "other" && pod.Spec.NodeName != "" {
			t.Errorf("%s/%s is bound, without a group", pod.Namespace, pod.Name)
		}
	}

	// With a group of its own, the other namespace's is whole beside the one of the same name.
	for _, d := range dialects {
		w.create(client, d, d.object("other", "train", 2))
	}
	w.gang.UntilMetricAbove(t, 2, "outrigger_gang_waiting", `cause="members"`)
	if bound := w.boundIn("other", ""); bound != 0 {
		t.Errorf("%d pods of groups that lack a member are bound", bound)
	}
	for i, d := range dialects {
		whole := w.boundIn("default", d.name+"-")
		began := time.Now()
		w.Pods(d.member("train", 8).Namespace("other"))
		took := w.untilBoundOf(d.name+"-", whole+2, began)
		t.Logf("%s: the other one is whole %.2f s after its last member had come", d.name, took.Seconds())
		if other := w.boundIn("other", d.name+"-"); other != 2 || whole != []int{2, 3, 3}[i] {
			t.Errorf("%s: %d are bound in default, %d in other", d.name, whole, other)
		}
	}
}

// boundIn counts the bound pods of a prefix in a namespace.
func (w *world) boundIn(namespace, prefix string) int {
	count := 0
	for _, pod := range w.Tracker.Pods() {
		if pod.Namespace == namespace && strings.HasPrefix(pod.Name, prefix) && pod.Spec.NodeName != "" {
			count++
		}
	}
	return count
}
