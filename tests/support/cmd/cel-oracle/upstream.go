package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

// row is what a compiler makes of one expression.
type row struct {
	Expr    string         `json:"expr"`
	Compile string         `json:"compile"` // ok, invalid, type
	Output  string         `json:"output,omitempty"`
	Result  map[string]any `json:"result,omitempty"` // by device: true, false, runtime, cost, notbool, device
	detail  string
}

// differs says where an answer is another one; empty if nowhere.
func (r row) differs(answer row) string {
	if r.Compile != answer.Compile || r.Output != answer.Output {
		return fmt.Sprintf("upstream %s %s (%s), ours %s %s", r.Compile, r.Output, r.detail, answer.Compile, answer.Output)
	}
	for _, device := range slices.Sorted(maps.Keys(r.Result)) {
		if r.Result[device] != answer.Result[device] {
			return fmt.Sprintf("%s: upstream %v (%s), ours %v", device, r.Result[device], r.detail, answer.Result[device])
		}
	}
	return ""
}

// upstream compiles new expressions as a cluster of the version before the newest would, with
// consumable capacity and without attributes that are lists: what is on by default.
type upstream struct {
	devices []named
}

type named struct {
	Name   string             `json:"name"`
	Driver string             `json:"driver"`
	Device resourceapi.Device `json:"device"`
}

func newUpstream(path string) (*upstream, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var table struct {
		Devices []named `json:"devices"`
	}
	if err := json.Unmarshal(text, &table); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &upstream{table.Devices}, nil
}

// row is upstream's answer; false if it panics, as it does on a list with an optional item of a type
// that is not known.
func (u *upstream) row(expression string) (made row, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	newExpressions := environment.NewExpressions
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true})
	compiled := compiler.CompileCELExpression(expression,
		cel.Options{EnvType: &newExpressions, DisableCostEstimation: true})
	if compiled.Error != nil {
		class := "invalid"
		if strings.HasPrefix(compiled.Error.Detail, "must evaluate to") {
			class = "type"
		}
		return row{Expr: expression, Compile: class, detail: compiled.Error.Detail}, true
	}
	made = row{Expr: expression, Compile: "ok", Output: compiled.OutputType.String(), Result: map[string]any{}}
	for _, device := range u.devices {
		u.evaluate(&made, compiled, device)
	}
	return made, true
}

func (u *upstream) evaluate(made *row, compiled cel.CompilationResult, device named) {
	matches, _, err := compiled.DeviceMatches(context.Background(), cel.Device{
		Driver: device.Driver, AllowMultipleAllocations: device.Device.AllowMultipleAllocations,
		Attributes: device.Device.Attributes, Capacity: device.Device.Capacity,
	})
	made.Result[device.Name] = matches
	if err == nil {
		return
	}
	made.Result[device.Name] = class(err)
	if class(err) != "device" {
		made.detail = err.Error()
	}
}

func class(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "cost limit exceeded"):
		return "cost"
	case strings.HasPrefix(text, "attribute "):
		return "device"
	case strings.Contains(text, "could not be converted to bool"):
		return "notbool"
	}
	return "runtime"
}
