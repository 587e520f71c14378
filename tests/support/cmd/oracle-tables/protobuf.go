package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// pair is one object in both forms, as an API server sends them.
type pair struct {
	Name     string          `json:"name"`
	JSON     json.RawMessage `json:"json"`
	Protobuf []byte          `json:"protobuf"` // in base64
}

// protobufTable's rows are pairs: objects and lists in envelopes, events as frames of a watch.
func protobufTable(r *rand.Rand) []section {
	nodes, pods := pickedNodes(), pickedPods()
	for i := range 50 {
		nodes = append(nodes, named[*v1.Node]{fmt.Sprintf("random%d", i), randomNode(r, i)})
		pods = append(pods, named[*v1.Pod]{fmt.Sprintf("random%d", i), randomWholePod(r, i)})
	}
	nodes, pods = append(nodes, pickedStateNodes()...), append(pods, pickedStatePods()...)
	for i := range 20 {
		nodes = append(nodes, named[*v1.Node]{fmt.Sprintf("random states%d", i), randomStateNode(r, i)})
		pods = append(pods, named[*v1.Pod]{fmt.Sprintf("random states%d", i), randomStatePod(r, i)})
	}
	return []section{
		{"nodes", pairs(nodes, "Node")},
		{"pods", pairs(pods, "Pod")},
		{"lists", listPairs()},
		{"events", eventPairs()},
		{"statuses", statusPairs()},
	}
}

type named[T any] struct {
	name   string
	object T
}

func pairs[T runtime.Object](objects []named[T], kind string) []any {
	rows := []any{}
	for _, o := range objects {
		o.object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: kind})
		rows = append(rows, pair{o.name, asJSON(o.object), inEnvelope(o.object)})
	}
	return rows
}

func asJSON(object any) json.RawMessage {
	text, err := json.Marshal(object)
	if err != nil {
		fail(err)
	}
	return text
}

func inEnvelope(object runtime.Object) []byte {
	var out bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &out); err != nil {
		fail(err)
	}
	return out.Bytes()
}

func listPairs() []any {
	remaining := int64(49_500)
	node, pod := pickedNodes()[1].object, pickedPods()[1].object
	nodes := []named[*v1.NodeList]{
		{"empty", &v1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "12"}}},
		{"page", &v1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "34", Continue: "eyJ2Ijoi",
			RemainingItemCount: &remaining}, Items: []v1.Node{*node, {}, *node}}},
	}
	pods := []named[*v1.PodList]{
		{"last page", &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "56"},
			Items: []v1.Pod{*pod, *pod}}},
	}
	return append(pairs(nodes, "NodeList"), pairs(pods, "PodList")...)
}

func eventPairs() []any {
	bookmark := &v1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "99"}}
	end := &v1.Node{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "100",
		Annotations: map[string]string{"a": "true", metav1.InitialEventsAnnotationKey: "true"}}}
	noEnd := &v1.Node{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "101",
		Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "false"}}}
	expired := apierrors.NewResourceExpired("too old resource version: 1 (2)").ErrStatus
	rows := []any{}
	for _, e := range []struct {
		name, kind string
		event      metav1.WatchEvent
	}{
		{"added", "Pod", eventOf("ADDED", pickedPods()[1].object)},
		{"modified", "Node", eventOf("MODIFIED", pickedNodes()[1].object)},
		{"deleted", "Pod", eventOf("DELETED", pickedPods()[2].object)},
		{"bookmark", "Pod", eventOf("BOOKMARK", bookmark)},
		{"end of the initial events", "Node", eventOf("BOOKMARK", end)},
		{"not the end", "Node", eventOf("BOOKMARK", noEnd)},
		{"error", "Status", eventOf("ERROR", &expired)},
	} {
		object := e.event.Object.Object
		version := schema.GroupVersionKind{Version: "v1", Kind: e.kind}
		object.GetObjectKind().SetGroupVersionKind(version)
		text := asJSON(map[string]any{"type": e.event.Type, "object": object})
		frame := metav1.WatchEvent{Type: e.event.Type}
		frame.Object.Raw = inEnvelope(object)
		var out bytes.Buffer
		// As the API server frames events: WatchEvent has no envelope, the object in it has.
		if err := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme).Encode(&frame, &out); err != nil {
			fail(err)
		}
		rows = append(rows, pair{e.name, text, out.Bytes()})
	}
	return rows
}

func eventOf(kind string, object runtime.Object) metav1.WatchEvent {
	return metav1.WatchEvent{Type: kind, Object: runtime.RawExtension{Object: object}}
}

func statusPairs() []any {
	pods := schema.GroupResource{Resource: "pods"}
	statuses := []named[*metav1.Status]{
		{"none", &metav1.Status{}},
		{"success", &metav1.Status{Status: metav1.StatusSuccess, Code: 200}},
	}
	for name, err := range map[string]*apierrors.StatusError{
		"not found":         apierrors.NewNotFound(pods, "web-7"),
		"conflict":          apierrors.NewConflict(schema.GroupResource{Group: "apps", Resource: "sets"}, "ü", fmt.Errorf("changed")),
		"expired":           apierrors.NewResourceExpired("The provided continue parameter is too old"),
		"too many requests": apierrors.NewTooManyRequests("slow down", 7),
		"timeout":           apierrors.NewServerTimeout(pods, "list", 3),
	} {
		status := err.ErrStatus
		statuses = append(statuses, named[*metav1.Status]{name, &status})
	}
	sortByName(statuses)
	return pairs(statuses, "Status")
}
