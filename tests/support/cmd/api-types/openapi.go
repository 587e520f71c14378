package main

import (
	"fmt"
	"slices"
	"strings"
)

// schemaDocument is a schema of OpenAPI v3, as far as Go's types do not have the same.
type schemaDocument struct {
	Properties map[string]schemaProperty `json:"properties"`
	Required   []string                  `json:"required"`
	MapType    string                    `json:"x-kubernetes-map-type"`
}

type schemaProperty struct {
	ListType      string   `json:"x-kubernetes-list-type"`
	ListMapKeys   []string `json:"x-kubernetes-list-map-keys"`
	MapType       string   `json:"x-kubernetes-map-type"`
	MergeKey      string   `json:"x-kubernetes-patch-merge-key"`
	PatchStrategy string   `json:"x-kubernetes-patch-strategy"`
}

func (u *upstream) readSchemas(groupVersion string) {
	var document struct {
		Components struct {
			Schemas map[string]schemaDocument `json:"schemas"`
		} `json:"components"`
	}
	u.read(documentName(groupVersion), &document)
	for name, schema := range document.Components.Schemas {
		u.schemas[name] = schema
	}
}

func documentName(groupVersion string) string {
	name := "apis/" + groupVersion
	if !strings.Contains(groupVersion, "/") {
		name = "api/" + groupVersion
	}
	return "openapi-spec/v3/" + strings.ReplaceAll(name, "/", "__") + "_openapi.json"
}

// compareDocuments says where the schemas that `program` makes are not upstream's, but for descriptions, defaults and
// unions. kubectl makes its patches of them.
func (u *upstream) compareDocuments(program string) []string {
	var differ []string
	for groupVersion := range served {
		group, version, is := strings.Cut(groupVersion, "/")
		if !is {
			group, version = "", groupVersion
		}
		var theirs map[string]any
		u.read(documentName(groupVersion), &theirs)
		output := ask(program, []string{fmt.Sprintf("openapi %s %s", version, group)})
		ours := parsed(output).(map[string]any)
		for name, schema := range schemasOf(ours) {
			if what := difference(name, stripped(schemasOf(theirs)[name]), stripped(schema)); what != "" {
				differ = append(differ, what)
			}
		}
		for path, item := range ours["paths"].(map[string]any) {
			differ = append(differ, wrongPath(path, theirs["paths"].(map[string]any)[path], item)...)
		}
	}
	return differ
}

func schemasOf(document map[string]any) map[string]any {
	return document["components"].(map[string]any)["schemas"].(map[string]any)
}

func wrongPath(path string, theirs, ours any) []string {
	there, is := theirs.(map[string]any)
	if !is {
		if len(ours.(map[string]any)) == 0 {
			return nil // of a kind that can only be created
		}
		return []string{path + " is not upstream's"}
	}
	patch, _ := ours.(map[string]any)["patch"].(map[string]any)
	theirPatch, _ := there["patch"].(map[string]any)
	const kind = "x-kubernetes-group-version-kind"
	if what := difference(path, theirPatch[kind], patch[kind]); what != "" {
		return []string{what}
	}
	return nil
}

// leftOut is what no client needs that does not apply at the server.
var leftOut = []string{"default", "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
	"x-kubernetes-unions"}

// stripped is a schema without what ours leaves out, and with its required fields in order.
func stripped(schema any) any {
	switch node := schema.(type) {
	case map[string]any:
		if all, is := node["allOf"].([]any); is && len(all) == 1 && node["properties"] == nil {
			node["$ref"] = all[0].(map[string]any)["$ref"] // around a reference beside which something else stands
			delete(node, "allOf")
		}
		if required, is := node["required"].([]any); is {
			slices.SortFunc(required, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		for key, value := range node {
			_, isText := value.(string)
			if (key == "description" && isText) || (slices.Contains(leftOut, key) && !isProperty(value)) {
				delete(node, key)
			} else {
				node[key] = stripped(value)
			}
		}
	case []any:
		for i, value := range node {
			node[i] = stripped(value)
		}
	}
	return schema
}

// isProperty tells the schema of a field that is called default from a default.
func isProperty(value any) bool {
	node, _ := value.(map[string]any)
	return node["type"] != nil || node["$ref"] != nil || node["allOf"] != nil
}
