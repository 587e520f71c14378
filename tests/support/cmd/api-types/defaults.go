package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// tries is how many objects of each kind upstream is asked to set the defaults of.
const tries = 400

// fieldOf names a field by its type and its name in JSON.
type fieldOf struct{ typeName, key string }

// seen is what upstream made of one field that was not set.
type seen struct {
	value  string        // "": it is still not set
	kind   string        // of the whole object
	parent reflect.Value // the struct that has the field
}

// defaults are found by trial: upstream's defaulting functions are run over objects that are filled at random.
type defaults struct{ fields map[fieldOf][]seen }

// rollingUpdates begin the names of fields whose defaults depend on a strategy that every valid object with such a
// field has.
const rollingUpdates = "apps.v1.RollingUpdate"

func findDefaults(kinds []schema.GroupVersionKind) *defaults {
	d := &defaults{map[fieldOf][]seen{}}
	f := &fuzzer{Rand: rand.New(rand.NewPCG(1, 1)), share: 0.5, words: constants()}
	for _, kind := range kinds {
		for range tries {
			before := filled(f, kind)
			after := before.DeepCopyObject()
			schemeOf(kind).Default(after)
			d.watch(kind.Kind, reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem())
		}
	}
	return d
}

// watch notes what became of the fields below `before` that were not set.
func (d *defaults) watch(kind string, before, after reflect.Value) {
	if !after.IsValid() {
		return // taken away
	}
	switch before.Kind() {
	case reflect.Pointer:
		if !before.IsNil() {
			d.watch(kind, before.Elem(), after.Elem())
		}
	case reflect.Slice:
		for i := range min(before.Len(), after.Len()) {
			d.watch(kind, before.Index(i), after.Index(i))
		}
	case reflect.Map:
		for _, key := range before.MapKeys() {
			d.watch(kind, before.MapIndex(key), after.MapIndex(key))
		}
	case reflect.Struct:
		if special[before.Type()] == "" {
			d.watchStruct(kind, before, after)
		}
	}
}

func (d *defaults) watchStruct(kind string, before, after reflect.Value) {
	for _, field := range fieldsOf(before.Type()) {
		was, is := before.FieldByIndex(field.Index), after.FieldByIndex(field.Index)
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if key == "" || !was.IsZero() || was.Kind() == reflect.Struct {
			d.watch(kind, was, is)
			continue
		}
		name := fieldOf{nameOf(before.Type()), key}
		d.fields[name] = append(d.fields[name], seen{defaultOf(is), kind, after})
	}
}

// defaultOf leaves out what is not kept in storage, and the time of day.
func defaultOf(value reflect.Value) string {
	kind := value.Kind()
	empty := value.IsZero() || ((kind == reflect.Map || kind == reflect.Slice) && value.Len() == 0)
	if empty || kindOf(value.Type()) == "time" {
		return ""
	}
	return string(compact(value.Interface()))
}

// of returns the words of a field's default, or nothing if it has none or one that depends on more than its kind or
// one other field.
func (d *defaults) of(name, key string) []string {
	all := d.fields[fieldOf{name, key}]
	value := only(all, func(s seen) string { return s.value })
	if value == "" {
		return nil
	}
	words := []string{"default=" + value}
	got, missed := split(all)
	if len(missed) == 0 || strings.HasPrefix(short(name), rollingUpdates) {
		return words
	}
	whole := func(s seen) string { return s.kind }
	if kind := only(got, whole); kind != "" && !has(missed, whole, kind) {
		return append(words, "only="+kind)
	}
	for _, field := range fieldsOf(got[0].parent.Type()) {
		other := func(s seen) string { return textOf(s.parent.FieldByIndex(field.Index)) }
		word := only(got, other)
		otherKey, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if otherKey != key && word != "" && len(got) > 1 && !has(missed, other, word) {
			return append(words, fmt.Sprintf("when=%s:%s", otherKey, word))
		}
	}
	return nil
}

// only is the one text that all have that have any.
func only(all []seen, text func(seen) string) string {
	one := ""
	for _, s := range all {
		switch other := text(s); {
		case one == "":
			one = other
		case other != "" && other != one:
			return ""
		}
	}
	return one
}

func has(all []seen, text func(seen) string, wanted string) bool {
	return slices.ContainsFunc(all, func(s seen) bool { return text(s) == wanted })
}

func split(all []seen) (got, missed []seen) {
	for _, s := range all {
		if s.value == "" {
			missed = append(missed, s)
		} else {
			got = append(got, s)
		}
	}
	return got, missed
}

// textOf is a word of a type that has few; of any text it is nothing, which would fit by chance.
func textOf(value reflect.Value) string {
	if value.Kind() == reflect.String && value.Type() != reflect.TypeFor[string]() {
		return value.String()
	}
	return ""
}

func (d *defaults) conditional() []string {
	var lines []string
	for field, all := range d.fields {
		got, missed := split(all)
		if len(got) > 0 && d.of(field.typeName, field.key) == nil {
			kinds, values := map[string]bool{}, map[string]bool{}
			for _, s := range got {
				kinds[s.kind], values[s.value] = true, true
			}
			lines = append(lines, fmt.Sprintf("%s.%s in %s: %.100s (of %d), else none (%d of %d)",
				short(field.typeName), field.key, strings.Join(slices.Sorted(maps.Keys(kinds)), ","), got[0].value, len(values), len(missed), len(all)))
		}
	}
	slices.Sort(lines)
	return lines
}

// constants has the words that upstream's sources declare for each type of text.
func constants() map[string][]string {
	declaration := regexp.MustCompile(`(?m)^\s*\w+\s+(\w+)\s+=\s+"(\w+)"`)
	words := map[string][]string{}
	files, err := filepath.Glob(filepath.Join(moduleFolder("k8s.io/api"), "*", "v1*", "types.go"))
	exitOn(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		exitOn(err)
		for _, match := range declaration.FindAllStringSubmatch(string(text), -1) {
			words[match[1]] = append(words[match[1]], match[2])
		}
	}
	return words
}
