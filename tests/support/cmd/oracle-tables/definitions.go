//go:build !without_lab

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// definition is a CustomResourceDefinition with one version of that schema.
const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"cars.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"cars","kind":"Car"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%s}}]}}`

// Schemas of `spec`, with values of spec.
var judgedObjects = []struct {
	schema string
	specs  []string
}{
	{`{"type":"object","properties":{"size":{"type":"integer","minimum":1,"maximum":10},"name":{"type":"string","minLength":2,"maxLength":4,"pattern":"^a"},"on":{"type":"boolean"},"part":{"type":"number","exclusiveMinimum":true,"minimum":0,"multipleOf":0.5}},"required":["size","name"]}`,
		[]string{`{}`, `{"size":1,"name":"ab"}`, `{"size":11,"name":"b"}`, `{"size":0,"name":"bc"}`, `{"size":"1","name":1}`, `{"size":1.5,"name":"abcde"}`, `{"size":2.0,"name":"abc","on":"x"}`, `{"size":null,"name":null,"on":null}`, `{"size":3,"name":"ab","part":0}`, `{"size":3,"name":"ab","part":0.7}`, `{"size":3,"name":"ab","part":1.5}`, `{"size":3,"name":"ab","part":2}`, `{"size":3,"name":"ab","part":[]}`, `{"size":3,"name":"äöü","x":1}`, `{"size":3,"name":"aöüß","y":{"z":1}}`, `[]`, `1`, `null`, `"x"`}},
	{`{"type":"object","properties":{"list":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"object","required":["a"],"properties":{"a":{"type":"integer","default":3},"b":{"type":"string"}}}},"map":{"type":"object","minProperties":1,"maxProperties":2,"additionalProperties":{"type":"integer"}},"one":{"type":"array","maxItems":1,"items":{"type":"string"}}}}`,
		[]string{`{"list":[]}`, `{"list":[{}]}`, `{"list":[{"a":null,"b":null,"c":1},{"c":2}]}`, `{"list":[{},{},{"b":1}]}`, `{"map":{}}`, `{"map":{"x":1,"y":"2"}}`, `{"map":{"x":1,"y":2,"z":3}}`, `{"map":{"x":null}}`, `{"one":["a","b"]}`, `{"list":{"a":1}}`, `{"list":[1]}`, `{"list":[null]}`}},
	{`{"type":"object","properties":{"color":{"type":"string","enum":["red","green"],"default":"red"},"number":{"type":"integer","enum":[1,2]},"maybe":{"type":"string","nullable":true,"default":"d"},"deep":{"type":"object","default":{},"properties":{"x":{"type":"integer","default":7}}},"not":{"type":"string","nullable":true}}}`,
		[]string{`{}`, `{"color":"blue"}`, `{"color":null,"number":3}`, `{"maybe":null,"number":null}`, `{"deep":{"x":null}}`, `{"deep":null,"not":null}`, `{"color":7,"deep":{"y":1}}`}},
	{`{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"object","properties":{"a":{"type":"string"}}},"keep":{"type":"array","x-kubernetes-preserve-unknown-fields":true,"items":{"type":"object","properties":{"in":{"type":"object","properties":{"a":{"type":"string"}}}}}},"any":{"x-kubernetes-preserve-unknown-fields":true}}}`,
		[]string{`{"x":1,"known":{"a":"b","c":"d"}}`, `{"keep":[{"x":1,"in":{"a":"b","c":"d"}}]}`, `{"any":[{"x":null},1,"a",null]}`, `{"known":{"a":1}}`}},
	{`{"type":"object","properties":{"port":{"x-kubernetes-int-or-string":true},"other":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}],"pattern":"^[0-9]+%$"},"both":{"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"pattern":"^a"}]}}}`,
		[]string{`{"port":1,"other":"30%"}`, `{"port":"x","other":"y"}`, `{"port":1.5,"other":true}`, `{"port":[],"other":{}}`, `{"both":"a"}`, `{"both":"b"}`, `{"both":true}`, `{"port":null}`}},
	{`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":"integer"}},"oneOf":[{"required":["a"]},{"required":["b"]}],"anyOf":[{"properties":{"n":{"minimum":5}}},{"properties":{"n":{"maximum":1},"a":{"minLength":3}}}],"allOf":[{"properties":{"n":{"multipleOf":2}}},{"properties":{"a":{"maxLength":5}}}],"not":{"required":["b","n"]}}`,
		[]string{`{}`, `{"a":"x"}`, `{"a":"x","b":"y"}`, `{"b":"x","n":6}`, `{"a":"x","n":3}`, `{"a":"xxxxxxx","n":7}`, `{"a":"xxx","n":0}`, `{"a":"x","n":0}`, `{"b":"x"}`}},
	{`{"type":"object","properties":{"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"v":{"type":"integer"}}}},"two":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object","required":["port"],"properties":{"port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"}}}}}}`,
		[]string{`{"set":["a","b"]}`, `{"set":["a","b","a","a"]}`, `{"map":[{"name":"a"},{"name":"b"}]}`, `{"map":[{"name":"a"},{"name":"a","v":1}]}`, `{"map":[{},{}]}`, `{"map":[1,2]}`, `{"two":[{"port":1},{"port":1,"protocol":"UDP"},{"port":1,"protocol":"TCP"}]}`}},
	{`{"type":"object","properties":{"time":{"type":"string","format":"date-time"},"date":{"type":"string","format":"date"},"id":{"type":"string","format":"uuid"},"ip":{"type":"string","format":"ipv4"},"ip6":{"type":"string","format":"ipv6"},"net":{"type":"string","format":"cidr"},"free":{"type":"string","format":"nonsense"},"b":{"type":"string","format":"byte"},"i":{"type":"integer","format":"int32"},"l":{"type":"integer","format":"int64"},"k":{"type":"string","format":"k8s-short-name"},"u":{"type":"string","format":"uri"},"m":{"type":"string","format":"mac"},"h":{"type":"string","format":"hostname"},"d":{"type":"string","format":"duration"}}}`,
		[]string{`{"time":"2020-01-02T03:04:05Z","date":"2020-01-02","id":"123e4567-e89b-12d3-a456-426614174000","ip":"10.0.0.1","ip6":"::1","net":"10.0.0.0/8","free":"x","b":"AAAA","i":1,"l":5000000000,"k":"a-b","u":"http://x/y","m":"01:02:03:04:05:06","h":"a.b","d":"3s"}`, `{"time":"2020-01-02"}`, `{"time":"2020-13-02T03:04:05Z","date":"2020-02-31"}`, `{"id":"x","ip":"::1","ip6":"1.2.3.4","net":"10.0.0.0"}`, `{"b":"A","i":5000000000,"k":"A_b","u":"x y","m":"01:02","h":"-","d":"x"}`, `{"time":5}`, `{"time":[]}`, `{"i":"1"}`, `{"i":-2147483648}`, `{"i":2147483648}`, `{"time":"2020-01-02T03:04:05.123+01:00"}`}},
	{`{"type":"object","properties":{"pod":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}},"raw":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},"open":{"type":"object","additionalProperties":true},"closed":{"type":"object","additionalProperties":false}}}`,
		[]string{`{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"a":"b"}},"spec":{"a":"b","c":1},"status":{}}}`, `{"raw":{"apiVersion":"v1","kind":"Pod","x":{"y":1}}}`, `{"open":{"x":{"y":1}}}`, `{"closed":{"x":1}}`}},
	{`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"object","properties":{"b":{"type":"array","items":{"type":"integer","maximum":3,"exclusiveMaximum":true}}}}},"e":{"type":"string","minLength":1}}}`,
		[]string{`{"a":{"k":{"b":[1,3,2,4]}},"e":""}`, `{"a":{"k":{"c":1},"l":[]}}`, `{"a":{"k":null}}`}},
}

// Schemas that are not structural, or have what is forbidden.
var judgedSchemas = []string{
	`{"type":"object"}`, `{}`, `{"type":"array","items":{"type":"object"}}`, `{"type":"string"}`,
	`{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{"type":"array"}}}`,
	`{"type":"object","properties":{"a":{"type":"array","items":{}}}}`, `{"type":"object","properties":{"a":{"type":"foo"}}}`,
	`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","nullable":true}`,
	`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{}}}}`,
	`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":{"type":"string"}}}}`,
	`{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`,
	`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"uniqueItems":true}}}`,
	`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"type":"object","properties":{"a":{"type":"string","default":"x","nullable":true,"description":"d","title":"t"}}}]}`,
	`{"type":"object","anyOf":[{"properties":{"a":{"minLength":1}}}]}`,
	`{"type":"object","properties":{"s":{"type":"object","not":{"properties":{"x":{"items":{"minimum":1}}}}}}}`,
	`{"type":"object","properties":{"s":{"type":"object","properties":{"x":{"type":"array","items":{"type":"integer"}}},"allOf":[{"properties":{"x":{"items":{"minimum":1}},"metadata":{"minProperties":1}},"additionalProperties":{"minLength":1}}]}}}`,
	`{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true,"x-kubernetes-preserve-unknown-fields":true}}}`,
	`{"type":"object","properties":{"a":{"x-kubernetes-embedded-resource":true}}}`,
	`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`,
	`{"type":"object","properties":{"a":{"type":"object","x-kubernetes-embedded-resource":true}}}`,
	`{"type":"object","properties":{"a":{"type":"object","x-kubernetes-embedded-resource":true,"additionalProperties":{"type":"string"}}}}`,
	`{"type":"object","properties":{"kind":{"type":"integer"},"apiVersion":{"type":"object"},"metadata":{"type":"string"}}}`,
	`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string","pattern":"^a"}}}}}`,
	`{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"},"labels":{"type":"object"}}}}}`,
	`{"type":"object","properties":{"kind":{"type":"string","default":"x"}}}`,
	`{"type":"object","properties":{"a":{"type":"integer","default":"x"}}}`,
	`{"type":"object","properties":{"a":{"type":"object","default":{"x":1},"properties":{"b":{"type":"string"}}}}}`,
	`{"type":"object","properties":{"a":{"type":"object","default":{"b":1},"properties":{"b":{"type":"string"}}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","items":{"type":"object"}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"string"}}}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"object","properties":{"k":{"type":"object"}},"required":["k"]}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],"items":{"type":"string"}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-map-keys":["k"],"items":{"type":"string"}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","x-kubernetes-list-map-keys":["k"],"items":{"type":"string"}}}}`,
	`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-list-type":"set"}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"bag","items":{"type":"string"}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}}}}`,
	`{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}`,
	`{"type":"object","properties":{"a":{"type":"string","x-kubernetes-map-type":"granular"}}}`,
	`{"type":"object","properties":{"a":{"type":"object","x-kubernetes-map-type":"bag"}}}`,
	`{"type":"object","properties":{"a":{"$ref":"#/x"}}}`, `{"type":"object","properties":{"a":{"type":"object","patternProperties":{"x":{"type":"string"}}}}}`,
	`{"type":"object","properties":{"a":{"type":"string","id":"x"}}}`, `{"type":"object","properties":{"a":{"type":"null"}}}`,
	`{"type":"object","properties":{"a":{"type":"object","not":{"type":"string"}}}}`,
	`{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]}}}`,
	`{"type":"object","properties":{"a":{"x-kubernetes-preserve-unknown-fields":false,"type":"object"}}}`,
	`null`,
}

const version1 = `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}`

// Whole definitions, as changes (merge patches) of a good one.
var judgedDefinitions = []string{
	`{}`, `{"metadata":{"name":"x.example.com"}}`, `{"metadata":{"name":"Cars"}}`, `{"spec":{"group":""}}`, `{"spec":{"group":"example"}}`, `{"spec":{"group":"Ex.com"}}`,
	`{"spec":{"scope":""}}`, `{"spec":{"scope":"World"}}`, `{"spec":{"names":{"plural":"","kind":""}}}`, `{"spec":{"names":{"plural":"Cars"}}}`,
	`{"spec":{"names":{"kind":"car_"}}}`, `{"spec":{"names":{"listKind":"Car"}}}`, `{"spec":{"names":{"shortNames":["c","C"],"categories":["all","A l"]}}}`, `{"spec":{"names":{"singular":"-"}}}`,
	`{"spec":{"versions":[]}}`, `{"spec":{"versions":[{"name":"v1","served":true,"storage":true}]}}`, `{"spec":{"versions":[` + version1 + `,` + version1 + `]}}`,
	`{"spec":{"versions":[` + version1 + `,{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`,
	`{"spec":{"versions":[` + version1 + `,{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"string"}}}]}}`,
	`{"spec":{"versions":[{"name":"V1","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}`,
	`{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"},"status":{}}}]}}`,
	`{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"scale":{"specReplicasPath":"","statusReplicasPath":".spec.x","labelSelectorPath":".x"}}}]}}`,
	`{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".spec.a"},{"name":"","type":"text","jsonPath":"","format":"x"}]}]}}`,
	`{"spec":{"preserveUnknownFields":true}}`, `{"spec":{"conversion":{"strategy":"None"}}}`, `{"spec":{"conversion":{"strategy":"Other"}}}`,
}

type cause struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

func causesOf(errs field.ErrorList) []cause {
	causes := []cause{}
	for _, err := range errs {
		causes = append(causes, cause{string(err.Type), err.ErrorBody(), err.Field})
	}
	sort.Slice(causes, func(i, j int) bool {
		a, b := causes[i], causes[j]
		return a.Field < b.Field || (a.Field == b.Field && a.Message < b.Message)
	})
	return causes
}

func readDefinition(scheme *runtime.Scheme, text []byte) *apiextensions.CustomResourceDefinition {
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(text, &v1); err != nil {
		fail(err)
	}
	scheme.Default(&v1)
	var internal apiextensions.CustomResourceDefinition
	if err := scheme.Convert(&v1, &internal, nil); err != nil {
		fail(err)
	}
	return &internal
}

// objectRows are [schema of the object, object, with defaults, pruned, unknown fields, causes].
func objectRows(scheme *runtime.Scheme) []any {
	var rows []any
	for _, judged := range judgedObjects {
		schema := fmt.Sprintf(`{"type":"object","properties":{"spec":%s}}`, judged.schema)
		crd := readDefinition(scheme, fmt.Appendf(nil, definition, schema))
		if errs := validation.ValidateCustomResourceDefinition(context.Background(), crd); len(errs) > 0 {
			fail(errs.ToAggregate())
		}
		props := crd.Spec.Validation.OpenAPIV3Schema
		s, err := structural.NewStructural(props)
		if err != nil {
			fail(err)
		}
		validator, _, err := schemavalidation.NewSchemaValidator(props)
		if err != nil {
			fail(err)
		}
		for _, spec := range judged.specs {
			text := fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Car","metadata":{"name":"a"},"spec":%s}`, spec)
			var object map[string]any
			if err := utiljson.Unmarshal(text, &object); err != nil {
				fail(err)
			}
			defaulting.PruneNonNullableNullsWithoutDefaults(object, s)
			defaulting.Default(object, s)
			withDefaults := runtime.DeepCopyJSON(object)
			unknown := pruning.PruneWithOptions(object, s, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
			if unknown == nil {
				unknown = []string{}
			}
			errs := schemavalidation.ValidateCustomResource(nil, object, validator)
			errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s, object)...)
			rows = append(rows, []any{json.RawMessage(schema), json.RawMessage(text), withDefaults, object, unknown, causesOf(errs)})
		}
	}
	return rows
}

// definitionTable has "objects", and "definitions": [definition, causes].
func definitionTable(*rand.Rand) []section {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	var rows []any
	judge := func(text []byte) {
		errs := validation.ValidateCustomResourceDefinition(context.Background(), readDefinition(scheme, text))
		rows = append(rows, []any{decode(string(text)), causesOf(errs)})
	}
	for _, schema := range judgedSchemas {
		judge(fmt.Appendf(nil, definition, schema))
	}
	for _, change := range judgedDefinitions {
		text := fmt.Sprintf(definition, `{"type":"object"}`)
		merged, err := jsonpatch.MergePatch([]byte(text), []byte(change))
		if err != nil {
			fail(err)
		}
		judge(merged)
	}
	return []section{{"objects", objectRows(scheme)}, {"definitions", rows}}
}
