package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A normaliser replaces what differs from run to run by what can be compared: each uid and each
// version of an object by its number in the sequence. src/apiserver/lab_answers_testing.cc does the same.
type normaliser struct {
	served         served
	uids, versions map[string]int
}

func newNormaliser(served served) *normaliser {
	return &normaliser{served, map[string]int{}, map[string]int{}}
}

var (
	uid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	// Requests have times before 2025.
	second   = regexp.MustCompile(`20(2[5-9]|[3-9][0-9])-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z`)
	micro    = regexp.MustCompile(`20(2[5-9]|[3-9][0-9])-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z`)
	age      = regexp.MustCompile(`^(?:(?:[0-9]+m)?[0-9]+s|[0-9]+y(?:[0-9]+d)?)( ago)?$`)
	future   = regexp.MustCompile(`(Too large resource version: |current: )[0-9]+`)
	expired  = regexp.MustCompile(`too old resource version: ([0-9]+) \([0-9]+\)`)
	recorded = regexp.MustCompile(`in record \([0-9]+\)`)
	patched  = regexp.MustCompile(`(patch: Invalid value: |^Invalid value: )"\{.*": `)
	// Every generateName in requests ends so.
	generated = regexp.MustCompile(`gen-[a-z0-9]{5}`)
)

func number(known map[string]int, text string) int {
	if known[text] == 0 {
		known[text] = len(known) + 1
	}
	return known[text]
}

func (n *normaliser) text(text string) string {
	text = uid.ReplaceAllStringFunc(text, func(one string) string {
		return fmt.Sprintf("<uid %d>", number(n.uids, one))
	})
	text = second.ReplaceAllString(text, "<time>")
	text = micro.ReplaceAllString(text, "<micro time>")
	text = age.ReplaceAllString(text, "<age>$1")
	text = future.ReplaceAllString(text, "$1<version>")
	text = recorded.ReplaceAllString(text, "in record (<version>)")
	text = patched.ReplaceAllString(text, "$1<object>: ")
	text = generated.ReplaceAllString(text, "gen-<5>")
	text = expired.ReplaceAllString(text, "too old resource version: $1 (<version>)")
	// What follows is how Go shows two structs apart.
	if head, _, cut := strings.Cut(text, "\n"); cut {
		text = head
	}
	return text
}

func (n *normaliser) value(value any) any {
	switch v := value.(type) {
	case string:
		return n.text(v)
	case []any:
		for i := range v {
			v[i] = n.value(v[i])
		}
	case map[string]any:
		n.served.filter(v)
		if metadata, ok := v["metadata"].(map[string]any); ok {
			n.metadata(metadata)
		}
		delete(v, "storageVersionHash")
		if v["serverAddress"] != nil {
			v["serverAddress"] = "<address>"
		}
		for _, key := range sortedKeys(v) {
			v[key] = n.value(v[key])
		}
	}
	return value
}

func (n *normaliser) metadata(metadata map[string]any) {
	delete(metadata, "managedFields")
	name, _ := metadata["name"].(string)
	if version, ok := metadata["resourceVersion"].(string); ok && version != "" {
		metadata["resourceVersion"] = "<version>" // of a list, or a bookmark: whatever else happens counts
		if name != "" {
			metadata["resourceVersion"] = fmt.Sprintf("<version %d>", number(n.versions, version))
		}
	}
	if _, ok := metadata["continue"]; ok {
		metadata["continue"] = "<continue>"
	}
}

// served are the resources that our server has: "group/version", then plural or plural/subresource.
type served map[string]map[string]bool

var resourceLine = regexp.MustCompile(`^resource (\S+) \S+ \S+ (\S+)`)

// readServed reads the type table's lines of resources; docs are at its head.
func readServed(path string) (served, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found := served{}
	found["lab.example.com/v1"] = map[string]bool{"gizmos": true, "gizmos/status": true} // custom.http's
	version, plural := "", ""
	for _, line := range strings.Split(string(text), "\n") {
		if match := resourceLine.FindStringSubmatch(line); match != nil {
			version, plural = match[1], match[2]
			if found[version] == nil {
				found[version] = map[string]bool{}
			}
			found[version][plural] = true
		} else if strings.HasPrefix(line, "  ") && plural != "" {
			found[version][plural+"/"+strings.Fields(line)[0]] = true
		} else {
			plural = ""
		}
	}
	return found, nil
}

// filter takes out of an answer of discovery what our server has not.
func (s served) filter(object map[string]any) {
	switch object["kind"] {
	case "APIResourceList":
		version, _ := object["groupVersion"].(string)
		keepIf(object, "resources", func(r map[string]any) bool { return s[version][r["name"].(string)] })
	case "APIGroupList":
		keepIf(object, "groups", s.hasVersions)
	case "APIGroup":
		s.hasVersions(object)
	case "APIGroupDiscoveryList":
		keepIf(object, "items", s.hasDiscovered)
	}
}

func keepIf(object map[string]any, list string, is func(map[string]any) bool) {
	kept := []any{}
	all, _ := object[list].([]any)
	for _, one := range all {
		if is(one.(map[string]any)) {
			kept = append(kept, one)
		}
	}
	object[list] = kept
}

// hasVersions keeps the served versions of an APIGroup, and says whether there are any.
func (s served) hasVersions(group map[string]any) bool {
	keepIf(group, "versions", func(version map[string]any) bool {
		return s[version["groupVersion"].(string)] != nil
	})
	return len(group["versions"].([]any)) > 0
}

// hasDiscovered does the same to an APIGroupDiscovery.
func (s served) hasDiscovered(group map[string]any) bool {
	prefix := ""
	if name, ok := group["metadata"].(map[string]any)["name"].(string); ok && name != "" {
		prefix = name + "/"
	}
	keepIf(group, "versions", func(version map[string]any) bool {
		known := s[prefix+version["version"].(string)]
		keepIf(version, "resources", func(resource map[string]any) bool {
			plural := resource["resource"].(string)
			if resource["subresources"] != nil {
				keepIf(resource, "subresources", func(one map[string]any) bool {
					return known[plural+"/"+one["subresource"].(string)]
				})
				if len(resource["subresources"].([]any)) == 0 {
					delete(resource, "subresources")
				}
			}
			return known[plural]
		})
		return known != nil
	})
	return len(group["versions"].([]any)) > 0
}

func sortedKeys(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}
