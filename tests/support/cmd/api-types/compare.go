package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	kjson "sigs.k8s.io/json"
)

// body is one input of outrigger_api_rows, and what upstream makes of it.
type body struct {
	line    string
	text    string // for people
	object  any
	problem string
	strict  []string
	before  any // of one whose defaults are set: without them
}

type answer struct {
	Object  any      `json:"object"`
	Problem string   `json:"problem"`
	Strict  []string `json:"strict"`
}

// protobufBody is an object of `kind` that is filled at random.
func protobufBody(f *fuzzer, kind schema.GroupVersionKind) body {
	object := filled(f, kind)
	data := asProtobuf(object)
	return body{
		line: "protobuf " + base64.StdEncoding.EncodeToString(data),
		text: string(compact(object)), object: parsed(compact(throughProtobuf(object))),
	}
}

func filled(f *fuzzer, kind schema.GroupVersionKind) runtime.Object {
	object := newObject(kind)
	f.fill(reflect.ValueOf(object).Elem(), 0)
	object.GetObjectKind().SetGroupVersionKind(kind)
	return object
}

func serializer(object runtime.Object) *protobuf.Serializer {
	scheme := schemeOf(object.GetObjectKind().GroupVersionKind())
	return protobuf.NewSerializer(scheme, scheme)
}

func asProtobuf(object runtime.Object) []byte {
	var out bytes.Buffer
	exitOn(serializer(object).Encode(object, &out))
	return out.Bytes()
}

// throughProtobuf is the object as it comes from storage.
func throughProtobuf(object runtime.Object) runtime.Object {
	kind := object.GetObjectKind().GroupVersionKind()
	stored := newObject(kind)
	_, _, err := serializer(object).Decode(asProtobuf(object), nil, stored)
	exitOn(err)
	stored.GetObjectKind().SetGroupVersionKind(kind)
	return stored
}

func parsed(text []byte) any {
	var value any
	exitOn(json.Unmarshal(text, &value))
	return value
}

// jsonBody is the JSON of such an object with some faults.
func jsonBody(f *fuzzer, kind schema.GroupVersionKind) body {
	tree := parsed(compact(filled(f, kind)))
	for range f.IntN(3) {
		mutate(f, tree)
	}
	root := tree.(map[string]any)
	root["apiVersion"], root["kind"] = kind.GroupVersion().String(), kind.Kind
	text := compact(tree)
	b := body{text: string(text), line: fmt.Sprintf("json %s %s", nameOf(goTypeOf(kind.Group, kind.Version, kind.Kind)),
		base64.StdEncoding.EncodeToString(text))}
	object := newObject(kind)
	strict, err := kjson.UnmarshalStrict(text, object)
	if err != nil {
		b.problem = fmt.Sprintf("%s in version %q cannot be handled as a %s: %s", kind.Kind, kind.Version, kind.Kind, err)
		return b
	}
	for _, one := range strict {
		b.strict = append(b.strict, one.Error())
	}
	b.object = parsed(compact(throughProtobuf(object)))
	return b
}

// defaultsBody is such an object whose defaults upstream has set.
func defaultsBody(f *fuzzer, kind schema.GroupVersionKind) body {
	object := throughProtobuf(filled(f, kind))
	text := compact(object)
	b := body{text: string(text), before: parsed(text),
		line: fmt.Sprintf("defaults %s %s", nameOf(reflect.TypeOf(object).Elem()), base64.StdEncoding.EncodeToString(text))}
	schemeOf(kind).Default(object)
	b.object = parsed(compact(object))
	return b
}

// mutate changes one value below `tree`.
func mutate(f *fuzzer, tree any) {
	switch node := tree.(type) {
	case map[string]any:
		keys := slices.Sorted(maps.Keys(node))
		if len(keys) == 0 || f.IntN(12) == 0 {
			node[pick(f, "unknown", "Spec", "a b")] = f.anything()
			return
		}
		key := pick(f, keys...)
		if goesDeeper(f, node[key]) {
			mutate(f, node[key])
		} else if f.IntN(6) == 0 {
			delete(node, key)
		} else {
			node[key] = f.anything()
		}
	case []any:
		if len(node) == 0 {
			return
		}
		if at := f.IntN(len(node)); goesDeeper(f, node[at]) {
			mutate(f, node[at])
		} else {
			node[at] = f.anything()
		}
	}
}

func goesDeeper(f *fuzzer, value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return f.IntN(5) > 0
	}
	return false
}

func (f *fuzzer) anything() any {
	return pick[any](f, nil, nil, "", "x", 0, 5, 1.5, 1e12, true, []any{}, []any{"x"}, []any{nil}, map[string]any{},
		map[string]any{"a": nil}, "2026-01-02T03:04:05+01:00", "2026-01-02T03:04:05.123456Z", "aGk=", "1.50Gi", "1000m")
}

func ask(program string, lines []string) []byte {
	command := exec.Command(program)
	command.Stdin, command.Stderr = strings.NewReader(strings.Join(lines, "\n")+"\n"), os.Stderr
	output, err := command.Output()
	exitOn(err)
	return output
}

// disagreements asks `program`, and says where it differs from upstream.
func disagreements(program string, bodies []body) []string {
	var input []string
	for _, b := range bodies {
		input = append(input, b.line)
	}
	lines := bufio.NewScanner(bytes.NewReader(ask(program, input)))
	lines.Buffer(nil, 1<<24)
	var differ []string
	count := 0
	for ; lines.Scan(); count++ {
		var ours answer
		exitOn(json.Unmarshal(lines.Bytes(), &ours))
		if what := bodies[count].differs(ours); what != "" {
			differ = append(differ, fmt.Sprintf("%s\n  %s", bodies[count].text, what))
		}
	}
	if count != len(bodies) {
		differ = append(differ, fmt.Sprintf("%d answers to %d bodies", count, len(bodies)))
	}
	return differ
}

func (b *body) differs(ours answer) string {
	if strings.HasSuffix(ours.Problem, " must be bytes, not array") {
		return "" // Go takes lists of numbers, too
	}
	if (b.problem == "") != (ours.Problem == "") {
		return fmt.Sprintf("upstream: %q\n  ours:     %q", b.problem, ours.Problem)
	}
	if b.problem != "" {
		return ""
	}
	slices.Sort(b.strict)
	slices.Sort(ours.Strict)
	if !slices.Equal(b.strict, ours.Strict) {
		return fmt.Sprintf("upstream: %q\n  ours:     %q", b.strict, ours.Strict)
	}
	if b.before != nil {
		return wrongDefault("", b.before, b.object, ours.Object)
	}
	return difference("", b.object, ours.Object)
}

// wrongDefault says where ours has set what upstream has not; that upstream sets more is known.
func wrongDefault(path string, before, upstream, ours any) string {
	if reflect.DeepEqual(before, ours) || reflect.DeepEqual(upstream, ours) || strings.Contains(path, ".rollingUpdate.") {
		return "" // of rollingUpdates
	}
	switch ours := ours.(type) {
	case map[string]any:
		before, _ := before.(map[string]any)
		upstream, is := upstream.(map[string]any)
		for key := range ours {
			if what := wrongDefault(path+"."+key, before[key], upstream[key], ours[key]); is && what != "" {
				return what
			}
		}
		if is {
			return ""
		}
	case []any:
		before, _ := before.([]any)
		upstream, _ := upstream.([]any)
		if len(ours) == len(before) && len(ours) == len(upstream) {
			for i := range ours {
				if what := wrongDefault(fmt.Sprintf("%s[%d]", path, i), before[i], upstream[i], ours[i]); what != "" {
					return what
				}
			}
			return ""
		}
	}
	return fmt.Sprintf("%s\n  upstream: %s\n  ours:     %s", path, compact(upstream), compact(ours))
}

// difference says where two values of JSON differ first; "" if they are equal.
func difference(path string, upstream, ours any) string {
	if a, is := upstream.(map[string]any); is {
		if b, is := ours.(map[string]any); is && maps.Equal(keySet(a), keySet(b)) {
			for key := range a {
				if what := difference(path+"."+key, a[key], b[key]); what != "" {
					return what
				}
			}
			return ""
		}
	}
	if a, is := upstream.([]any); is {
		if b, is := ours.([]any); is && len(a) == len(b) {
			for i := range a {
				if what := difference(fmt.Sprintf("%s[%d]", path, i), a[i], b[i]); what != "" {
					return what
				}
			}
			return ""
		}
	}
	if reflect.DeepEqual(upstream, ours) {
		return ""
	}
	return fmt.Sprintf("%s\n  upstream: %s\n  ours:     %s", path, compact(upstream), compact(ours))
}

func keySet(object map[string]any) map[string]bool {
	keys := map[string]bool{}
	for key := range object {
		keys[key] = true
	}
	return keys
}

func compare(program string, kinds []schema.GroupVersionKind, seed uint64, count int) []string {
	f := &fuzzer{Rand: rand.New(rand.NewPCG(seed, 0)), share: 0.6, words: constants()}
	var bodies []body
	for _, kind := range kinds {
		for range count {
			bodies = append(bodies, protobufBody(f, kind), jsonBody(f, kind), defaultsBody(f, kind))
		}
	}
	return disagreements(program, bodies)
}
