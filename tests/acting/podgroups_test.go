package acting

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/support/actor"
)

// The numbers of outrigger::Dialect.
const (
	schedulerPlugins = 2
	volcano          = 4
)

type object = map[string]any

// definition is a CRD of PodGroups whose status has these fields, as a subresource or not.
func definition(group, version string, subresource bool, status object) *unstructured.Unstructured {
	subresources := object{}
	if subresource {
		subresources["status"] = object{}
	}
	open := object{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	return &unstructured.Unstructured{Object: object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": "podgroups." + group},
		"spec": object{"group": group, "scope": "Namespaced",
			"names": object{"kind": "PodGroup", "listKind": "PodGroupList", "plural": "podgroups", "singular": "podgroup"},
			"versions": []any{object{"name": version, "served": true, "storage": true, "subresources": subresources,
				"schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{
					"spec": open, "status": object{"type": "object", "properties": status}}}}}}},
	}}
}

// install makes a CRD and waits until it is served.
func (w *world) install(client dynamic.Interface, crd *unstructured.Unstructured, groups dynamic.NamespaceableResourceInterface) {
	w.Helper()
	_, err := client.Resource(definitions).Create(w.Ctx, crd, metav1.CreateOptions{})
	w.Must(err)
	w.eventually(patience, func(ctx context.Context) error {
		_, err := groups.List(ctx, metav1.ListOptions{})
		return err
	})
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func podGroups(w *world) {
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	a := w.actor("pod-groups", w.config)
	w.does(a, "OK", actor.Deed{Verb: "follow"})
	w.sees(a, "no dialect is served", func(v view) bool { return len(v.Served) == 0 })

	number, text := object{"type": "integer"}, object{"type": "string"}
	plugins := client.Resource(schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"})
	crd := definition("scheduling.x-k8s.io", "v1alpha1", true, object{
		"phase": text, "running": number, "succeeded": number, "failed": number})
	w.install(client, crd, plugins)
	w.sees(a, "one dialect is served", func(v view) bool { return fmt.Sprint(v.Served) == fmt.Sprint([]int{schedulerPlugins}) })
	w.writes(a, plugins, schedulerPlugins, "scheduling.x-k8s.io/v1alpha1", "map[failed:0 phase:Scheduling running:2 succeeded:0]")

	condition := object{"type": "object", "properties": object{"type": text, "status": text, "reason": text, "message": text}}
	volcanos := client.Resource(schema.GroupVersionResource{Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"})
	w.install(client, definition("scheduling.volcano.sh", "v1beta1", false, object{
		"phase": text, "running": number, "conditions": object{"type": "array", "items": condition}}), volcanos)
	w.writes(a, volcanos, volcano, "scheduling.volcano.sh/v1beta1",
		"map[conditions:[map[message:2 short reason:cpu status:True type:Unschedulable]] phase:Inqueue running:2]")

	w.Must(client.Resource(definitions).Delete(w.Ctx, crd.GetName(), metav1.DeleteOptions{}))
	w.sees(a, "the dialect is gone", func(v view) bool { return fmt.Sprint(v.Served) == fmt.Sprint([]int{volcano}) })
}

// writes makes a PodGroup, has its status written, and makes it anew.
func (w *world) writes(a *actor.Actor, groups dynamic.NamespaceableResourceInterface, dialect int, version, want string) {
	w.Helper()
	in := groups.Namespace(metav1.NamespaceDefault)
	group := &unstructured.Unstructured{Object: object{"apiVersion": version, "kind": "PodGroup",
		"metadata": object{"name": "train"}, "spec": object{"minMember": int64(3)}}}
	made, err := in.Create(w.Ctx, group, metav1.CreateOptions{})
	w.Must(err)
	uid := string(made.GetUID())
	is := func(uid string) func(view) bool {
		return func(v view) bool {
			for _, seen := range v.Groups {
				if seen.Dialect == dialect && seen.Name == "train" && seen.UID == uid && seen.Minimum == 3 {
					return true
				}
			}
			return false
		}
	}
	w.sees(a, "the group is there", is(uid))
	deed := actor.Deed{Verb: "status", Namespace: metav1.NamespaceDefault, Name: "train", UID: uid, Dialect: dialect,
		Status: object{"phase": "Scheduling", "reason": "cpu", "message": "2 short", "scheduled": 3, "running": 2}}
	w.does(a, "OK", deed)
	got, err := in.Get(w.Ctx, "train", metav1.GetOptions{})
	w.Must(err)
	if status := fmt.Sprint(got.Object["status"]); status != want {
		w.Errorf("written as %s, not %s", status, want)
	}
	phase, _, _ := unstructured.NestedString(got.Object, "status", "phase")
	w.sees(a, "the phase and the version", func(v view) bool {
		for _, seen := range v.Groups {
			if seen.UID == uid && seen.Phase == phase && seen.Version == got.GetResourceVersion() {
				return true
			}
		}
		return false
	})
	note := w.annotates(a, in, deed)
	w.Must(in.Delete(w.Ctx, "train", metav1.DeleteOptions{}))
	w.does(a, "NOT_FOUND", deed)
	w.does(a, "NOT_FOUND", note)
	again, err := in.Create(w.Ctx, group, metav1.CreateOptions{})
	w.Must(err)
	w.sees(a, "another one has its name", is(string(again.GetUID())))
	w.does(a, "ABORTED", deed)
	w.does(a, "ABORTED", note)
	got, err = in.Get(w.Ctx, "train", metav1.GetOptions{})
	w.Must(err)
	if annotations := got.GetAnnotations(); len(annotations) > 0 {
		w.Errorf("another group was annotated: %v", annotations)
	}
}

// annotates sets, changes and removes an annotation of the group that of is about, and returns the deed
// that sets it.
func (w *world) annotates(a *actor.Actor, in dynamic.ResourceInterface, of actor.Deed) actor.Deed {
	w.Helper()
	deed := actor.Deed{Verb: "annotate", Namespace: of.Namespace, Name: of.Name, UID: of.UID, Dialect: of.Dialect,
		Key: "outrigger.dev/counted"}
	for _, text := range []string{"1 started", "1 completed", "", "2 started"} {
		deed.Text = text
		w.does(a, "OK", deed)
		got, err := in.Get(w.Ctx, of.Name, metav1.GetOptions{})
		w.Must(err)
		if value, there := got.GetAnnotations()[deed.Key]; value != text || there != (text != "") {
			w.Errorf("annotated with %q, not %q", value, text)
		}
	}
	return deed
}
