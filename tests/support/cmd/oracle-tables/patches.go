//go:build !without_lab

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sort"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// What strategic patches are tried on: every kind of field that the API has.
type whole struct {
	Name   string            `json:"name,omitempty"`
	Count  int64             `json:"count,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Inner  *inner            `json:"inner,omitempty" patchStrategy:"retainKeys"`
	Atom   *inner            `json:"atom,omitempty" patchStrategy:"replace"`
	Items  []item            `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	Kept   []item            `json:"kept,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	Plain  []item            `json:"plain,omitempty"`
	Tags   []string          `json:"tags,omitempty" patchStrategy:"merge"`
	Words  []string          `json:"words,omitempty"`
}

type inner struct {
	A     string   `json:"a,omitempty"`
	B     int64    `json:"b,omitempty"`
	Deep  *inner   `json:"deep,omitempty"`
	Items []item   `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	Tags  []string `json:"tags,omitempty" patchStrategy:"merge"`
}

type item struct {
	Name  string   `json:"name"`
	Value string   `json:"value,omitempty"`
	Ports []port   `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
	Tags  []string `json:"tags,omitempty" patchStrategy:"merge"`
}

type port struct {
	Port     int64  `json:"port"`
	Protocol string `json:"protocol,omitempty"`
}

type object = map[string]any

// fieldRows are [struct, field, strategies, merge key, struct of the value or items or ""].
func fieldRows(t reflect.Type, seen map[reflect.Type]bool) []any {
	var rows []any
	if seen[t] {
		return nil
	}
	seen[t] = true
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		of := f.Type
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			rows = append(rows, []any{t.Name(), name, f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey"), ""})
			continue
		}
		rows = append(rows, []any{t.Name(), name, f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey"), of.Name()})
		rows = append(rows, fieldRows(of, seen)...)
	}
	return rows
}

func patchTable(r *rand.Rand) []section {
	seen := map[reflect.Type]bool{}
	fields := fieldRows(reflect.TypeFor[whole](), seen)
	fields = append(fields, fieldRows(reflect.TypeFor[v1.Pod](), seen)...)
	return []section{
		{"fields", fields},
		{"json", jsonPatchRows(r)},
		{"merge", mergePatchRows(r)},
		{"strategic", strategicRows(r)},
		{"pods", podPatchRows()},
	}
}

func decode(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		fail(fmt.Errorf("%s: %v", text, err))
	}
	return v
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		fail(err)
	}
	return text
}

var pickedJSONPatches = []string{
	`[{"op":"add","path":"/new","value":1}]`, `[{"op":"add","path":"/new"}]`,
	`[{"op":"add","path":"/list/-","value":9}]`, `[{"op":"add","path":"/list/0","value":9}]`,
	`[{"op":"add","path":"/list/-1","value":9}]`, `[{"op":"add","path":"/list/-4","value":9}]`,
	`[{"op":"add","path":"/list/-5","value":9}]`, `[{"op":"add","path":"/list/3","value":9}]`,
	`[{"op":"add","path":"/list/4","value":9}]`, `[{"op":"add","path":"/list/x","value":9}]`,
	`[{"op":"add","path":"/list/+1","value":9}]`, `[{"op":"add","path":"/list/01","value":9}]`,
	`[{"op":"add","path":"/list/ 1","value":9}]`, `[{"op":"add","path":"/list/","value":9}]`,
	`[{"op":"add","path":"/list/+-1","value":9}]`, `[{"op":"add","path":"/list/99999999999999999999","value":9}]`,
	`[{"op":"add","path":"/a~1b","value":9}]`, `[{"op":"add","path":"/a~0b","value":9}]`,
	`[{"op":"add","path":"/a~01","value":9}]`, `[{"op":"add","path":"/","value":9}]`,
	`[{"op":"add","path":"","value":{"a":1}}]`, `[{"op":"add","path":"new","value":9}]`,
	`[{"op":"add","path":"a/new","value":9}]`, `[{"op":"add","path":"/no/new","value":9}]`,
	`[{"op":"add","path":"/text/new","value":9}]`, `[{"op":"add","path":"/null/new","value":9}]`,
	`[{"op":"remove","path":"/text"}]`, `[{"op":"remove","path":"/no"}]`, `[{"op":"remove","path":"/list/-1"}]`,
	`[{"op":"remove","path":"/list/3"}]`, `[{"op":"remove","path":"/list/-"}]`, `[{"op":"remove","path":""}]`,
	`[{"op":"replace","path":"/no","value":1}]`, `[{"op":"replace","path":"/list/2","value":1}]`,
	`[{"op":"replace","path":"/list/-1","value":1}]`, `[{"op":"replace","path":"/list/3","value":1}]`,
	`[{"op":"replace","path":"/text"}]`, `[{"op":"replace","path":"","value":{"a":{}}}]`,
	`[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2}]`, `[{"op":"replace","path":"","value":1}]`,
	`[{"op":"test","path":"/text","value":"t"}]`, `[{"op":"test","path":"/text","value":"u"}]`,
	`[{"op":"test","path":"/no","value":null}]`, `[{"op":"test","path":"/no"}]`, `[{"op":"test","path":"/no","value":1}]`,
	`[{"op":"test","path":"/null"}]`, `[{"op":"test","path":"/null","value":{}}]`, `[{"op":"test","path":"/list/9"}]`,
	`[{"op":"test","path":"/inner","value":{"b":[true,{"c":0}]}}]`, `[{"op":"test","path":"/inner","value":{"b":[true]}}]`,
	`[{"op":"test","path":"/inner/b/1/c","value":0}]`, `[{"op":"test","path":"/list","value":[1,2,3]}]`,
	`[{"op":"move","from":"/text","path":"/list/0"}]`, `[{"op":"move","from":"/no","path":"/new"}]`,
	`[{"op":"move","from":"/list/0","path":"/list/2"}]`, `[{"op":"move","from":"/list/0","path":"/list/3"}]`,
	`[{"op":"move","from":"/inner","path":"/inner/b"}]`, `[{"op":"move","path":"/new"}]`, `[{"op":"move","from":"/text"}]`,
	`[{"op":"copy","from":"/inner","path":"/inner/b/0"}]`, `[{"op":"copy","from":"/no","path":"/new"}]`,
	`[{"op":"copy","from":"/list/7","path":"/new"}]`, `[{"op":"copy","from":"","path":"/new"}]`,
	`[{"op":"copy","from":"/text","path":"/no/new"}]`, `[{"op":"what","path":"/text"}]`, `[{"path":"/text"}]`,
	`[null]`, `[]`, `[{"op":"add","path":null,"value":1}]`, `[{"op":"Add","path":"/new","value":1}]`,
	`[{"op":"add","path":"/new","value":{"x":null}},{"op":"remove","path":"/new/x"},{"op":"add","path":"/new/y","value":1}]`,
}

const jsonTarget = `{"text":"t","null":null,"list":[1,2,3],"inner":{"b":[true,{"c":0}]},"a":{}}`

// jsonPatchRows are [object, patch, result], or [object, patch] where the patch does not apply.
func jsonPatchRows(r *rand.Rand) []any {
	var rows []any
	add := func(target, patch any) {
		decoded, err := jsonpatch.DecodePatch(marshal(patch))
		if err != nil {
			fail(err)
		}
		row := []any{target, patch}
		if result, err := decoded.Apply(marshal(target)); err == nil {
			row = append(row, decode(string(result)))
		}
		rows = append(rows, row)
	}
	for _, text := range pickedJSONPatches {
		add(decode(jsonTarget), decode(text))
	}
	for range 600 {
		target := randomTree(r, 3).(object)
		paths := pathsOf("", target)
		var patch []any
		for range 1 + r.IntN(4) {
			op := object{"op": pick(r, "add", "remove", "replace", "move", "copy", "test"), "path": randomPath(r, paths), "value": randomTree(r, 1)}
			if op["op"] == "move" || op["op"] == "copy" {
				op["from"] = randomPath(r, paths)
			}
			patch = append(patch, op)
		}
		add(target, patch)
	}
	return rows
}

func randomTree(r *rand.Rand, levels int) any {
	if levels == 0 {
		return pick[any](r, 1, 2, "x", "y", true, nil)
	}
	if levels < 3 && chance(r, 40) {
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomTree(r, levels-1))
		}
		return list
	}
	tree := object{}
	for range r.IntN(5) {
		tree[pick(r, "a", "b", "c", "d", "e/f")] = randomTree(r, r.IntN(levels))
	}
	return tree
}

func pathsOf(prefix string, v any) []string {
	var paths []string
	switch v := v.(type) {
	case object:
		keys := []string{}
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			path := prefix + "/" + strings.ReplaceAll(key, "/", "~1")
			paths = append(append(paths, path), pathsOf(path, v[key])...)
		}
	case []any:
		for i := range v {
			path := fmt.Sprint(prefix, "/", i)
			paths = append(append(paths, path), pathsOf(path, v[i])...)
		}
	}
	return paths
}

func randomPath(r *rand.Rand, paths []string) string {
	path := ""
	if len(paths) > 0 && !chance(r, 10) {
		path = pick(r, paths...)
	}
	if chance(r, 30) || path == "" {
		path += "/" + pick(r, "a", "b", "-", "0", "-1", "1")
	}
	return path
}

// mergePatchRows are [object, patch, result].
func mergePatchRows(r *rand.Rand) []any {
	var rows []any
	for range 300 {
		target, patch := randomTree(r, 3), randomTree(r, 3)
		result, err := jsonpatch.MergePatch(marshal(target), marshal(patch))
		if err != nil {
			fail(err)
		}
		rows = append(rows, []any{target, patch, decode(string(result))})
	}
	return rows
}

// strategicRow is [object, patch, result], or [object, patch, 0, code, message]; nil where upstream
// panics, or where its answer depends on the order of a map.
func strategicRow(target, patch any, of any) []any {
	var first []any
	for range 60 {
		row := func() (row []any) {
			defer func() {
				if recover() != nil {
					row = nil
				}
			}()
			result, err := strategicpatch.StrategicMergePatch(marshal(target), marshal(patch), of)
			if err == nil {
				return []any{target, patch, decode(string(result))}
			}
			code := 500
			switch err {
			case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys, mergepatch.ErrBadPatchFormatForSetElementOrderList:
				code = 400
			case mergepatch.ErrNoListOfLists:
				code = 422
			}
			return []any{target, patch, 0, code, err.Error()}
		}()
		if row == nil {
			return nil
		}
		if first == nil {
			first = row
		} else if string(marshal(row)) != string(marshal(first)) {
			return nil
		}
	}
	return first
}

func strategicRows(r *rand.Rand) []any {
	var rows []any
	for len(rows) < 700 {
		if row := strategicRow(randomWhole(r), randomWholePatch(r), whole{}); row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

var names = []string{"x", "y", "z", "w"}

func someOf(r *rand.Rand, from []string) []string {
	chosen := []string{}
	for _, i := range r.Perm(len(from))[:r.IntN(len(from)+1)] {
		chosen = append(chosen, from[i])
	}
	return chosen
}

func anyList(from []string) []any {
	list := []any{}
	for _, s := range from {
		list = append(list, s)
	}
	return list
}

func randomWhole(r *rand.Rand) object {
	o := object{}
	optional := func(name string, make func() any) {
		if chance(r, 50) {
			o[name] = make()
		}
	}
	optional("name", func() any { return pick(r, names...) })
	optional("count", func() any { return r.IntN(3) })
	optional("labels", func() any { return object{"k": "v", pick(r, names...): "l"} })
	optional("inner", func() any { return randomInner(r, 2) })
	optional("atom", func() any { return randomInner(r, 1) })
	for _, name := range []string{"items", "items", "kept", "plain"} {
		optional(name, func() any { return randomItems(r) })
	}
	for _, name := range []string{"tags", "words"} {
		optional(name, func() any { return anyList(someOf(r, names)) })
	}
	return o
}

func randomInner(r *rand.Rand, levels int) object {
	o := object{"a": pick(r, names...)}
	if chance(r, 50) {
		o["b"] = 1
	}
	if levels > 0 && chance(r, 50) {
		o["deep"] = randomInner(r, levels-1)
	}
	if chance(r, 30) {
		o["items"] = randomItems(r)
	}
	if chance(r, 30) {
		o["tags"] = anyList(someOf(r, names))
	}
	return o
}

func randomItems(r *rand.Rand) []any {
	items := []any{}
	for _, name := range someOf(r, names) {
		it := object{"name": name}
		if chance(r, 40) {
			it["value"] = pick(r, names...)
		}
		if chance(r, 30) {
			it["ports"] = []any{object{"port": 1 + r.IntN(2)}, object{"port": 3, "protocol": "u"}}
		}
		if chance(r, 30) {
			it["tags"] = anyList(someOf(r, names))
		}
		items = append(items, it)
	}
	return items
}

// Makes a patch of what is first an object: some members null, some directives, some nonsense.
func patchLike(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case object:
		keys := []string{}
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			if list, ok := v[key].([]any); ok {
				if chance(r, 40) {
					v["$setElementOrder/"+key] = orderFor(r, list)
				}
				if _, isText := append(list, object{})[0].(string); isText && chance(r, 30) {
					v["$deleteFromPrimitiveList/"+key] = anyList(someOf(r, names))
				}
			}
			v[key] = patchLike(r, v[key])
			if key != "name" && chance(r, 8) {
				v[key] = nil
			}
		}
		if chance(r, 6) {
			v["$patch"] = pick(r, "replace", "delete", "merge", "what")
		} else if chance(r, 10) {
			v["$retainKeys"] = append(anyList(someOf(r, []string{"b", "deep", "items", "value", "tags"})), "a", "name", "ports")
		} else if chance(r, 1) {
			v["name"] = pick[any](r, 1, nil, true)
		}
	case []any:
		for i := range v {
			v[i] = patchLike(r, v[i])
		}
		if chance(r, 2) {
			v = append(v, pick[any](r, "x", 1, object{}, object{"$patch": "delete"}, []any{"x"}, 1.5))
		}
		if chance(r, 5) {
			v = append(v, object{"$patch": "replace"})
		}
		return v
	}
	return v
}

// The order of a list that has all of its items, as kubectl writes it, with others between.
func orderFor(r *rand.Rand, list []any) []any {
	order := []any{}
	others := someOf(r, names)
	has := map[string]bool{}
	for _, v := range list {
		if it, ok := v.(object); ok {
			has[fmt.Sprint(it["name"])] = true
		} else {
			has[fmt.Sprint(v)] = true
		}
	}
	put := func(v any) {
		if it, ok := v.(object); ok {
			order = append(order, object{"name": it["name"]})
		} else {
			order = append(order, v)
		}
	}
	for _, v := range list {
		for len(others) > 0 && chance(r, 50) {
			if other := others[0]; !has[other] {
				has[other] = true
				if _, ok := v.(object); ok {
					put(object{"name": other})
				} else {
					put(other)
				}
			}
			others = others[1:]
		}
		if !chance(r, 2) {
			put(v)
		}
	}
	return order
}

func randomWholePatch(r *rand.Rand) any { return patchLike(r, randomWhole(r)) }

const podTarget = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"a":"1"},"finalizers":["x","y"],
"ownerReferences":[{"uid":"1","name":"o","kind":"K","apiVersion":"v1"}]},
"spec":{"containers":[{"name":"a","image":"i","env":[{"name":"E","value":"1"}],"ports":[{"containerPort":80,"protocol":"TCP"}]},
{"name":"b","image":"j"}],"tolerations":[{"key":"k","operator":"Exists"}],"volumes":[{"name":"v","emptyDir":{}}],
"nodeSelector":{"z":"1"},"topologySpreadConstraints":[{"topologyKey":"z","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"}]},
"status":{"conditions":[{"type":"Ready","status":"False"}],"phase":"Pending"}}`

var pickedPodPatches = []string{
	`{"spec":{"containers":[{"name":"a","image":"k"}]}}`,
	`{"spec":{"containers":[{"name":"c","image":"k","env":null}]}}`,
	`{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}],"containers":[{"name":"b","image":"k"}]}}`,
	`{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}`,
	`{"spec":{"containers":[{"name":"a","env":[{"name":"F","value":"2"}],"ports":[{"containerPort":80,"protocol":"UDP"}]}]}}`,
	`{"spec":{"containers":[{"name":"a","env":[{"$patch":"replace"},{"name":"G"}]}]}}`,
	`{"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],"hostPath":{"path":"/"}}]}}`,
	`{"spec":{"tolerations":[{"key":"l"}]}}`,
	`{"spec":{"topologySpreadConstraints":[{"topologyKey":"y","maxSkew":2}]}}`,
	`{"spec":{"nodeSelector":{"$patch":"replace","y":"2"}}}`,
	`{"spec":{"nodeSelector":{"y":"2","z":null}}}`,
	`{"spec":{"affinity":{"nodeAffinity":{"x":null}}}}`,
	`{"metadata":{"finalizers":["z"],"labels":{"b":"2"}}}`,
	`{"metadata":{"$deleteFromPrimitiveList/finalizers":["x"],"$setElementOrder/finalizers":["y"]}}`,
	`{"metadata":{"$setElementOrder/finalizers":["z","y"],"finalizers":["z"]}}`,
	`{"metadata":{"ownerReferences":[{"uid":"2","name":"q"},{"uid":"1","controller":true}]}}`,
	`{"metadata":{"ownerReferences":[{"$patch":"delete","uid":"1"}]}}`,
	`{"metadata":{"labels":{"a":{"b":"c"}}}}`,
	`{"metadata":{"annotations":{"a":"b"}}}`,
	`{"metadata":null}`,
	`{"status":{"conditions":[{"type":"Ready","status":"True"},{"type":"PodScheduled","status":"True"}],"$setElementOrder/conditions":[{"type":"PodScheduled"},{"type":"Ready"}]}}`,
	`{"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}}`,
	`{"spec":{"containers":[{"image":"j"}]}}`, `{"spec":{"$patch":"foo"}}`, `{"spec":{"containers":[{"$patch":"merge"}]}}`,
	`{"spec":{"$retainKeys":["a"],"containers":[]}}`, `{"spec":{"$retainKeys":"a"}}`,
	`{"spec":{"$setElementOrder/containers":[{"name":"b"}], "containers":[{"name":"a"}]}}`,
	`{"spec":{"$setElementOrder/containers":1}}`, `{"spec":{"$setElementOrder":[]}}`, `{"spec":{"$setElementOrder/none":[]}}`,
	`{"spec":{"$setElementOrder/containers":[1]}}`, `{"spec":{"$setElementOrder/containers":[{"nam":"b"}]}}`,
	`{"spec":{"$setElementOrder/containers":[]}}`, `{"spec":{"$setElementOrder/containers":[null],"containers":[{"name":"a"}]}}`,
	`{"spec":{"containers":[[1]]}}`, `{"spec":{"containers":[1]}}`, `{"spec":{"$deleteFromPrimitiveList":["a"]}}`,
	`{"spec":{"$deleteFromPrimitiveListx/containers":["a"]}}`, `{"spec":{"$deleteFromPrimitiveList/containers":["a"]}}`,
	`{"$patch":"delete"}`, `{"$patch":"replace","kind":"Pod"}`, `{}`,
}

func podPatchRows() []any {
	var rows []any
	for _, text := range pickedPodPatches {
		if row := strategicRow(decode(podTarget), decode(text), &v1.Pod{}); row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}
