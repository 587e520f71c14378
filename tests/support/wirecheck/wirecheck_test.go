package wirecheck

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

var update = flag.Bool("update", false, "write the requests anew instead of comparing them")

func golden(parts ...string) string {
	return filepath.Join(append([]string{"..", "..", "golden", "wire"}, parts...)...)
}

func TestRequestsAreWhatTheSchedulersClientSends(t *testing.T) {
	requests, err := Requests()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range requests {
		path := golden("requests", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from what this client sends; -update writes it anew", path)
		}
	}
}

// read decodes an answer as the scheduler's client does: encoding/json into the protocol's types.
func read[T any](t *testing.T, name string) T {
	t.Helper()
	body, err := os.ReadFile(golden("answers", name))
	if err != nil {
		t.Fatal(err)
	}
	var answer T
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return answer
}

func expect(t *testing.T, name string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s reads as\n%+v\nwant\n%+v", name, got, want)
	}
}

func TestFilterWithFullNodes(t *testing.T) {
	answer := read[extenderv1.ExtenderFilterResult](t, "filter_full.json")
	requests, err := Requests()
	if err != nil {
		t.Fatal(err)
	}
	var asked extenderv1.ExtenderArgs
	if err := json.Unmarshal(requests["filter_full.json"], &asked); err != nil {
		t.Fatal(err)
	}
	nodes := asked.Nodes.Items
	expect(t, "Nodes", answer.Nodes, &v1.NodeList{Items: nodes[:1]})
	expect(t, "NodeNames", answer.NodeNames, (*[]string)(nil))
	expect(t, "FailedNodes", answer.FailedNodes, extenderv1.FailedNodesMap{nodes[1].Name: "too <busy> & full"})
	expect(t, "FailedAndUnresolvableNodes", answer.FailedAndUnresolvableNodes,
		extenderv1.FailedNodesMap{nodes[2].Name: "no such device"})
	expect(t, "Error", answer.Error, "")
}

func TestFilterWithNames(t *testing.T) {
	expect(t, "filter_names.json", read[extenderv1.ExtenderFilterResult](t, "filter_names.json"),
		extenderv1.ExtenderFilterResult{
			NodeNames:                  &[]string{"a", "d"},
			FailedNodes:                extenderv1.FailedNodesMap{"b": "line 1\nline 2\t\"quoted\" \\ \u2028 größer \ufffd\ufffd end"},
			FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{"c": "control \x01 \x7f"},
		})
}

func TestFilterWithoutNodes(t *testing.T) {
	expect(t, "filter_error.json", read[extenderv1.ExtenderFilterResult](t, "filter_error.json"),
		extenderv1.ExtenderFilterResult{
			FailedNodes:                extenderv1.FailedNodesMap{},
			FailedAndUnresolvableNodes: extenderv1.FailedNodesMap{},
			Error:                      "no \"answer\"",
		})
}

func TestPrioritize(t *testing.T) {
	expect(t, "prioritize.json", read[extenderv1.HostPriorityList](t, "prioritize.json"),
		extenderv1.HostPriorityList{{Host: "a", Score: 0}, {Host: "b", Score: 10}, {Host: "c", Score: 7}, {Host: "d", Score: 3}})
}

func TestBind(t *testing.T) {
	expect(t, "bind.json", read[extenderv1.ExtenderBindingResult](t, "bind.json"), extenderv1.ExtenderBindingResult{})
	expect(t, "bind_error.json", read[extenderv1.ExtenderBindingResult](t, "bind_error.json"),
		extenderv1.ExtenderBindingResult{Error: "node \"a\" is gone"})
}

func TestPreempt(t *testing.T) {
	expect(t, "preempt.json", read[extenderv1.ExtenderPreemptionResult](t, "preempt.json"),
		extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{
			"worker-1": {Pods: []*extenderv1.MetaPod{{UID: "uid-of-a"}, {UID: "uid-of-b"}}, NumPDBViolations: 1},
			"worker-2": {Pods: []*extenderv1.MetaPod{}},
		}})
}
