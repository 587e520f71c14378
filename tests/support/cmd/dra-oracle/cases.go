package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// testCase is a cluster and the claims of one pod, with upstream's answer for each node.
type testCase struct {
	ID        string                       `json:"id"`
	Why       string                       `json:"why,omitempty"`
	Nodes     []*v1.Node                   `json:"nodes"`
	Slices    []*resourceapi.ResourceSlice `json:"slices"`
	Classes   []*resourceapi.DeviceClass   `json:"classes"`
	Claims    []*resourceapi.ResourceClaim `json:"claims"`              // unallocated, in the pod's order
	Allocated []*resourceapi.ResourceClaim `json:"allocated,omitempty"` // of other pods
	Expect    map[string]*outcome          `json:"expect,omitempty"`    // by the name of the node
}

// outcome is the answer for one node: fits with allocations, does not fit, an error, or unsure.
type outcome struct {
	Fits        *bool                          `json:"fits,omitempty"`
	Allocations []resourceapi.AllocationResult `json:"allocations,omitempty"` // one a claim
	Error       string                         `json:"error,omitempty"`
	Scope       string                         `json:"scope,omitempty"`  // of the error: cycle or node
	Unsure      string                         `json:"unsure,omitempty"` // never upstream's
}

// question is the case as a line for a program: without the answer.
func (c *testCase) question() ([]byte, error) {
	asked := *c
	asked.Expect = nil
	return line(&asked)
}

// line encodes a value as one line of JSON, with sorted keys and without the empty fields that no
// API server returns.
func line(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return nil, err
	}
	prune(plain)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(plain)
	return bytes.TrimSpace(out.Bytes()), err
}

func prune(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, part := range value {
			prune(part)
			fields, isObject := part.(map[string]any)
			if key == "creationTimestamp" && part == nil || key == "status" && isObject && len(fields) == 0 ||
				key == "daemonEndpoints" || key == "nodeInfo" {
				delete(value, key)
			}
		}
	case []any:
		for _, part := range value {
			prune(part)
		}
	}
}

// reread returns the case as a reader of its line sees it. Upstream judges that one, as some of its
// comparisons depend on how a quantity was made.
func (c *testCase) reread() (*testCase, error) {
	text, err := c.question()
	if err != nil {
		return nil, err
	}
	var read testCase
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("%s: %w", c.ID, err)
	}
	return &read, nil
}
