package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// fuzzer fills objects with anything.
type fuzzer struct {
	*rand.Rand
	// share of the fields that are set
	share float64
	// words are those of types of text that have some
	words map[string][]string
}

func pick[T any](f *fuzzer, from ...T) T { return from[f.IntN(len(from))] }

func (f *fuzzer) fill(v reflect.Value, depth int) {
	if f.fillSpecial(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), depth)
		if zero, is := v.Interface().(interface{ IsZero() bool }); is && zero.IsZero() {
			v.SetZero() // no client sends a pointer to a time that is none
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			wanted := f.Float64() < f.share/float64(1+depth/6) || field.Anonymous
			if wanted && field.Type != reflect.TypeFor[metav1.TypeMeta]() && field.Tag.Get("json") != "-" {
				f.fill(v.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		n := f.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(pick(f, "a", "b.c/d", "", "cpu"))
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	default:
		f.fillScalar(v)
	}
}

func (f *fuzzer) fillScalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if words := f.words[v.Type().Name()]; v.Type() != reflect.TypeFor[string]() && len(words) > 0 && f.IntN(4) > 0 {
			v.SetString(pick(f, words...))
			return
		}
		v.SetString(pick(f, "", "a", "TCP", "é\u2028<&>\"\\", "x\x01y", "name-0"))
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(pick(f, int64(0), 1, -1, 80, math.MaxInt32, math.MinInt32))
	case reflect.Uint8:
		v.SetUint(uint64(f.IntN(256)))
	case reflect.Float64:
		v.SetFloat(pick(f, 0, 1, 1.5, -2.25, 1e9))
	default:
		exitOn(fmt.Errorf("%s is not filled", v.Type()))
	}
}

func (f *fuzzer) fillSpecial(v reflect.Value) bool {
	var value any
	seconds := f.Int64N(4e9) - 1e9
	switch v.Interface().(type) {
	case apiresource.Quantity:
		value = apiresource.MustParse(pick(f, "0", "1", "250m", "1.5Gi", "1000", "1024Ki", "0.5", "1e3", "-3", "100n"))
	case metav1.Time:
		value = pick(f, metav1.Time{}, metav1.Unix(seconds, 0), metav1.Unix(seconds, 5e8))
	case metav1.MicroTime:
		value = pick(f, metav1.MicroTime{}, metav1.MicroTime{Time: time.Unix(seconds, f.Int64N(1e9))})
	case intstr.IntOrString:
		value = pick(f, intstr.FromInt32(80), intstr.FromString("25%"), intstr.FromString(""), intstr.FromInt32(-1))
	case runtime.RawExtension:
		value = runtime.RawExtension{Raw: f.json()}
	case metav1.FieldsV1:
		value = metav1.FieldsV1{Raw: []byte(`{"f:a":{".":{}}}`)}
	case apiextensionsv1.JSON:
		value = apiextensionsv1.JSON{Raw: f.json()}
	case apiextensionsv1.JSONSchemaPropsOrBool:
		value = pick(f, apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}, apiextensionsv1.JSONSchemaPropsOrBool{},
			apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: f.schema()})
	case apiextensionsv1.JSONSchemaPropsOrArray:
		value = pick(f, apiextensionsv1.JSONSchemaPropsOrArray{Schema: f.schema()},
			apiextensionsv1.JSONSchemaPropsOrArray{JSONSchemas: []apiextensionsv1.JSONSchemaProps{*f.schema(), {}}})
	case apiextensionsv1.JSONSchemaPropsOrStringArray:
		value = pick(f, apiextensionsv1.JSONSchemaPropsOrStringArray{Schema: f.schema()},
			apiextensionsv1.JSONSchemaPropsOrStringArray{Property: []string{"a", ""}})
	default:
		return false
	}
	v.Set(reflect.ValueOf(value))
	return true
}

func (f *fuzzer) json() []byte {
	return []byte(pick(f, `{"a":[1,"x",null,{}]}`, `5`, `"text"`, `[]`, `{}`))
}

func (f *fuzzer) schema() *apiextensionsv1.JSONSchemaProps {
	return &apiextensionsv1.JSONSchemaProps{
		Type: pick(f, "string", "object"), Maximum: pick(f, nil, new(1.5), new(2.0)),
		Properties: pick(f, nil, map[string]apiextensionsv1.JSONSchemaProps{
			"p": {Nullable: true, Enum: []apiextensionsv1.JSON{{Raw: f.json()}}},
		}),
		Default: pick(f, nil, &apiextensionsv1.JSON{Raw: f.json()}),
	}
}
