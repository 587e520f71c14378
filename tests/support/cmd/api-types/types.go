package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// preamble explains the table to who reads it.
const preamble = `# The types, defaults and resources of Kubernetes %s that the lab's API server serves.
# Written by tests/support/cmd/api-types; edit nothing here.
#
# resource VERSION KIND TYPE PLURAL SINGULAR [cluster] [short=] [categories=] [verbs=]     verbs: all where not given
#   SUBRESOURCE VERSION KIND VERBS
# kind VERSION KIND TYPE     a body that is no resource
# type TYPE [atomic]         names of types leave out "io.k8s.api." and, after "~", "io.k8s.apimachinery.pkg.apis."
#   FIELD NUMBER TYPE ...    number: that of protobuf, 0 where it has none; []: list, {}: map
#     ? a pointer in Go: what is zero is not absent; always: printed even if it is absent;
#     inline: its fields stand in the parent; required, list=, keys=, atomic, granular, merge, mergekey=,
#     retainkeys, replace: as in OpenAPI
#     default=: JSON, set where the field is absent; only=: in objects of that kind; when=: if that field has that value
`

// special are structs that have a JSON of their own.
var special = map[reflect.Type]string{
	reflect.TypeFor[apiresource.Quantity]():                         "quantity",
	reflect.TypeFor[metav1.Time]():                                  "time",
	reflect.TypeFor[metav1.MicroTime]():                             "microtime",
	reflect.TypeFor[intstr.IntOrString]():                           "intorstring",
	reflect.TypeFor[runtime.RawExtension]():                         "raw",
	reflect.TypeFor[metav1.FieldsV1]():                              "fieldsv1",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "json",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "schemaorbool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "schemaorarray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "schemaorstrings",
}

// types has each struct that is reachable, in the order of names.
type types struct {
	documents *upstream
	structs   map[string]reflect.Type
}

func newTypes(documents *upstream) *types {
	return &types{documents, map[string]reflect.Type{}}
}

func (t *types) add(of reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		t.add(of.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	name := nameOf(of)
	if special[of] != "" || t.structs[name] != nil {
		return
	}
	t.structs[name] = of
	for _, field := range fieldsOf(of) {
		t.add(field.Type)
		if isInline(field) {
			t.adopt(nameOf(field.Type), t.documents.schemas[name])
		}
	}
}

// adopt gives an inlined struct the schema of its parent, which has its fields, where it has none itself.
func (t *types) adopt(name string, parent schemaDocument) {
	if _, is := t.documents.schemas[name]; !is {
		parent.MapType = ""
		t.documents.schemas[name] = parent
	}
}

func isInline(field reflect.StructField) bool {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return field.Anonymous && key == ""
}

func nameOf(of reflect.Type) string {
	named, is := reflect.New(of).Interface().(interface{ OpenAPIModelName() string })
	if !is {
		exitOn(fmt.Errorf("%s has no name in OpenAPI", of))
	}
	return named.OpenAPIModelName()
}

func short(name string) string {
	if cut, is := strings.CutPrefix(name, "io.k8s.apimachinery.pkg.apis."); is {
		return "~" + cut
	}
	return strings.TrimPrefix(name, "io.k8s.api.")
}

// fieldsOf are those that JSON has, but for apiVersion and kind.
func fieldsOf(of reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for i := range of.NumField() {
		field := of.Field(i)
		if field.Type != reflect.TypeFor[metav1.TypeMeta]() && field.Tag.Get("json") != "-" {
			fields = append(fields, field)
		}
	}
	return fields
}

func isKind(of reflect.Type) bool {
	_, is := of.FieldByName("TypeMeta")
	return is
}

func (t *types) table(resources []resource, defaults *defaults) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, preamble, moduleVersion(kubernetes))
	for _, r := range resources {
		fmt.Fprintln(&out, strings.Join(r.lines(), "\n"))
	}
	for _, kind := range bodies {
		fmt.Fprintf(&out, "kind %s %s %s\n", kind.GroupVersion(), kind.Kind,
			short(nameOf(goTypeOf(kind.Group, kind.Version, kind.Kind))))
	}
	names := make([]string, 0, len(t.structs))
	for name := range t.structs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.writeType(&out, name, defaults)
	}
	return out.Bytes()
}

func (t *types) writeType(out *bytes.Buffer, name string, defaults *defaults) {
	of, document := t.structs[name], t.documents.schemas[name]
	fmt.Fprintf(out, "type %s", short(name))
	if document.MapType == "atomic" {
		fmt.Fprint(out, " atomic")
	}
	fmt.Fprintln(out)
	if isKind(of) {
		fmt.Fprintln(out, "  kind 0 string")
		fmt.Fprintln(out, "  apiVersion 0 string")
	}
	for _, field := range fieldsOf(of) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		words := wordsOf(field, slices.Contains(document.Required, key))
		words = append(words, document.Properties[key].words(field)...)
		words = append(words, defaults.of(name, key)...)
		fmt.Fprintf(out, "  %s\n", strings.Join(words, " "))
	}
}

// wordsOf are those that Go's type has.
func wordsOf(field reflect.StructField, required bool) []string {
	key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	inline := isInline(field)
	if inline {
		key = field.Name
	}
	wire, number, kind := strings.Split(field.Tag.Get("protobuf"), ","), "0", kindOf(field.Type)
	if len(wire) > 1 {
		number = wire[1]
	}
	words := []string{key, number, kind}
	pointer, options := field.Type.Kind() == reflect.Pointer, ","+options+","
	isStruct := field.Type.Kind() == reflect.Struct
	if pointer {
		words = append(words, "?")
	}
	switch {
	case inline:
		words = append(words, "inline")
	case isStruct && strings.Contains(options, ",omitzero,"):
	case isStruct || !strings.Contains(options, ",omitempty,"):
		words = append(words, "always")
	}
	if required {
		words = append(words, "required")
	}
	return words
}

func (p schemaProperty) words(field reflect.StructField) []string {
	var words []string
	if p.ListType != "" {
		words = append(words, "list="+p.ListType)
	}
	if len(p.ListMapKeys) > 0 {
		words = append(words, "keys="+strings.Join(p.ListMapKeys, ","))
	}
	if p.MapType != "" {
		words = append(words, p.MapType)
	}
	strategy := field.Tag.Get("patchStrategy")
	if p.PatchStrategy != strategy || p.MergeKey != field.Tag.Get("patchMergeKey") {
		exitOn(fmt.Errorf("%s: Go's type and OpenAPI differ: %q, %q", field.Name, strategy, p.PatchStrategy))
	}
	for _, one := range strings.Split(strategy, ",") {
		if one != "" {
			words = append(words, strings.ToLower(one))
		}
	}
	if p.MergeKey != "" {
		words = append(words, "mergekey="+p.MergeKey)
	}
	return words
}

func kindOf(of reflect.Type) string {
	if kind := special[of]; kind != "" {
		return kind
	}
	switch of.Kind() {
	case reflect.Pointer:
		return kindOf(of.Elem())
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + kindOf(of.Elem())
	case reflect.Map:
		return "{}" + kindOf(of.Elem())
	case reflect.Struct:
		return short(nameOf(of))
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return of.Kind().String()
	case reflect.Float64:
		return "double"
	}
	exitOn(fmt.Errorf("%s has no kind in the table", of))
	return ""
}

func compact(value any) json.RawMessage {
	text, err := json.Marshal(value)
	exitOn(err)
	return text
}
