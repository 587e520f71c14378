// Command scheduler-fields writes the fields of KubeSchedulerConfiguration, as kube-scheduler's own Go types have
// them, into the C++ header by which `outrigger doctor` checks a configuration.
//
// Run in tests/: `go run ./support/cmd/scheduler-fields` rewrites the header. With -check it changes nothing and exits
// with status 1 where the header differs. With -contained, for an older Kubernetes (-modfile), it exits with
// status 1 where the header lacks a field of that version or has it with another type.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

const module = "k8s.io/kube-scheduler"

func main() {
	path := flag.String("out", "../src/cli/doctor/configuration_fields.h", "the header")
	check := flag.Bool("check", false, "compare with the header that is there, and write nothing")
	contained := flag.Bool("contained", false, "find out whether the header has every field; write nothing")
	flag.Parse()

	var all tables
	all.add(reflect.TypeFor[configv1.KubeSchedulerConfiguration]())
	for _, arguments := range pluginArguments {
		all.add(arguments)
	}
	text := all.header(moduleVersion())
	if !*check && !*contained {
		exitOn(os.WriteFile(*path, text, 0o644))
		return
	}
	there, err := os.ReadFile(*path)
	exitOn(err)
	if *contained {
		if missing := all.missingIn(string(there)); len(missing) > 0 {
			fmt.Fprintf(os.Stderr, "%s lacks fields of %s: %s\n", *path, moduleVersion(), strings.Join(missing, ", "))
			os.Exit(1)
		}
		return
	}
	if !bytes.Equal(there, text) {
		fmt.Fprintf(os.Stderr, "%s differs from the types of %s: run scheduler-fields\n", *path, moduleVersion())
		os.Exit(1)
	}
}

// pluginArguments has the type of `args` of each plugin that has some in every version: its name is the plugin's and "Args".
var pluginArguments = []reflect.Type{
	reflect.TypeFor[configv1.DefaultPreemptionArgs](),
	reflect.TypeFor[configv1.InterPodAffinityArgs](),
	reflect.TypeFor[configv1.NodeAffinityArgs](),
	reflect.TypeFor[configv1.NodeResourcesBalancedAllocationArgs](),
	reflect.TypeFor[configv1.NodeResourcesFitArgs](),
	reflect.TypeFor[configv1.PodTopologySpreadArgs](),
	reflect.TypeFor[configv1.VolumeBindingArgs](),
}

// table is one Go struct.
type table struct {
	name string
	rows []string
}

// tables has each struct once, those that others refer to before these.
type tables []table

func (t *tables) add(of reflect.Type) string {
	name := "k" + of.Name()
	for _, known := range *t {
		if known.name == name {
			return name
		}
	}
	rows := t.rowsOf(of)
	*t = append(*t, table{name, rows})
	return name
}

func (t *tables) rowsOf(of reflect.Type) []string {
	var rows []string
	for i := range of.NumField() {
		field := of.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || (key == "-" && options == ""):
		case key == "" && field.Anonymous:
			rows = append(rows, t.rowsOf(field.Type)...)
		case key == "":
			exitOn(fmt.Errorf("%s.%s has no name in JSON", of, field.Name))
		default:
			rows = append(rows, fmt.Sprintf("{%q, %s}", key, t.shapeOf(field.Type)))
		}
	}
	return rows
}

// shapeOf returns what a C++ FieldShape has after the name.
func (t *tables) shapeOf(of reflect.Type) string {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch of {
	case reflect.TypeFor[metav1.Duration]():
		return "FieldType::kDuration"
	case reflect.TypeFor[runtime.RawExtension]():
		return "FieldType::kAny"
	case reflect.TypeFor[[]byte](): // base64
		return "FieldType::kText"
	}
	switch of.Kind() {
	case reflect.String:
		return "FieldType::kText"
	case reflect.Bool:
		return "FieldType::kTruth"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "FieldType::kInteger"
	case reflect.Float32, reflect.Float64:
		return "FieldType::kNumber"
	case reflect.Struct:
		return "FieldType::kMap, " + t.add(of)
	case reflect.Map:
		return "FieldType::kMap"
	case reflect.Slice:
		if of.Elem().Kind() == reflect.String {
			return "FieldType::kTexts"
		}
		if of.Elem().Kind() == reflect.Struct {
			return "FieldType::kList, " + t.add(of.Elem())
		}
	}
	exitOn(fmt.Errorf("doctor has no shape for a %s", of))
	return ""
}

func (t tables) header(version string) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `// Written by tests/support/cmd/scheduler-fields from %s %s; do not edit.
#pragma once

#include "cli/doctor/field_shape.h"

// clang-format off
namespace outrigger::cli::fields {

`, module, version)
	for _, table := range t {
		fmt.Fprintf(&out, "inline constexpr FieldShape %s[] = {\n", table.name)
		for _, row := range table.rows {
			fmt.Fprintf(&out, "    %s,\n", row)
		}
		out.WriteString("};\n")
	}
	out.WriteString("\ninline constexpr ArgumentsShape kPluginArguments[] = {\n")
	for _, arguments := range pluginArguments {
		fmt.Fprintf(&out, "    {%q, k%s},\n", strings.TrimSuffix(arguments.Name(), "Args"), arguments.Name())
	}
	out.WriteString("};\n")
	out.WriteString("\n}  // namespace outrigger::cli::fields\n// clang-format on\n")
	return out.Bytes()
}

// missingIn returns the fields that a header does not have as they are here.
func (t tables) missingIn(header string) []string {
	var missing []string
	for _, table := range t {
		_, rest, _ := strings.Cut(header, " "+table.name+"[] = {\n")
		there, _, _ := strings.Cut(rest, "};\n")
		for _, row := range table.rows {
			if !strings.Contains(there, "    "+row+",\n") {
				missing = append(missing, table.name+" "+row)
			}
		}
	}
	return missing
}

// moduleVersion returns the version of the module that has the types.
func moduleVersion() string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path != module {
			continue
		}
		if dependency.Replace != nil {
			return dependency.Replace.Version
		}
		return dependency.Version
	}
	exitOn(fmt.Errorf("built without the module %s", module))
	return ""
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "scheduler-fields:", err)
		os.Exit(2)
	}
}
