package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// call posts body to path and decodes the answer into result.
func call(t *testing.T, path string, body []byte, result any) {
	t.Helper()
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
	newExtender(1, 20).routes().ServeHTTP(recorder, request)
	if recorder.Code != http.StatusOK {
		t.Fatalf("%s: status %d: %s", path, recorder.Code, recorder.Body)
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), result); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func TestFilterEchoesEveryNodeUnchanged(t *testing.T) {
	cluster := bodies.New(1, 20)
	body, _ := cluster.Encode(bodies.FullNodes)
	var result extenderv1.ExtenderFilterResult
	call(t, "/bench/filter", body, &result)
	want, _ := json.Marshal(cluster.Nodes)
	got, _ := json.Marshal(result.Nodes.Items)
	if !bytes.Equal(want, got) || result.Error != "" || len(result.FailedNodes) != 0 {
		t.Errorf("nodes changed or failed: error %q, failed %v", result.Error, result.FailedNodes)
	}
}

func TestFilterAnswersNamesWithNames(t *testing.T) {
	body, _ := bodies.New(1, 20).Encode(bodies.NamesOnly)
	var result extenderv1.ExtenderFilterResult
	call(t, "/bench/filter", body, &result)
	if result.Nodes != nil || result.NodeNames == nil || len(*result.NodeNames) != 20 {
		t.Errorf("want 20 names and no nodes, got %+v", result)
	}
}

func TestPrioritizeScoresBothFormsAlike(t *testing.T) {
	for _, form := range []bodies.Form{bodies.FullNodes, bodies.NamesOnly} {
		body, _ := bodies.New(1, 20).Encode(form)
		var result extenderv1.HostPriorityList
		call(t, "/bench/prioritize", body, &result)
		if len(result) != 20 {
			t.Fatalf("%s: %d hosts, want 20", form, len(result))
		}
		for i, host := range result {
			facts := bodies.FactsOf(1, i)
			if host.Host != facts.Name || host.Score != bodies.Score(facts.CongestionFactor) {
				t.Errorf("%s: node %d: got %+v, want %s %d", form, i, host, facts.Name, bodies.Score(facts.CongestionFactor))
			}
		}
	}
}

func TestFilterAnswersBadInputWithError(t *testing.T) {
	var result extenderv1.ExtenderFilterResult
	call(t, "/bench/filter", []byte("{"), &result)
	if result.Error == "" {
		t.Error("no Error for half a body")
	}
}
