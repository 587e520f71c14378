package queuewatch

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"
	"time"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// Call is one call of the scheduler to an agent.
type Call struct {
	Verb            string
	Pod, UID        string // the pod's namespace/name
	Began, Answered time.Time
	Passed          []string // nodes that filter let through, or that preempt left as candidates
	Error           string   // what the agent answered in place of a result
}

// Before starts a proxy between a scheduler and the agent at target ("http://127.0.0.1:9872"), and returns
// its URL. Without a target, filter lets everything through and preempt takes nothing away: the scheduler
// then does what it does alone. The proxy lives as long as the test.
func (o *Observer) Before(t testing.TB, target string) string {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		call := begin(path.Base(r.URL.Path), body)
		status, answer := http.StatusOK, passAll(call.Verb, body)
		if target != "" {
			status, answer, err = forward(client, r, target, body)
		}
		call.end(answer)
		o.note(call)
		if err != nil {
			panic(http.ErrAbortHandler) // the agent's connection broke, so does the scheduler's
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(answer) // fails only if the scheduler has gone
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func forward(client *http.Client, r *http.Request, target string, body []byte) (int, []byte, error) {
	request, err := http.NewRequestWithContext(r.Context(), r.Method, target+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header = r.Header.Clone()
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// begin reads of whom a call is.
func begin(verb string, body []byte) Call {
	call := Call{Verb: verb, Began: time.Now()}
	var args extender.ExtenderArgs
	if json.Unmarshal(body, &args) == nil && args.Pod != nil {
		call.Pod, call.UID = args.Pod.Namespace+"/"+args.Pod.Name, string(args.Pod.UID)
		return call
	}
	var binding extender.ExtenderBindingArgs
	if json.Unmarshal(body, &binding) == nil {
		call.Pod, call.UID = binding.PodNamespace+"/"+binding.PodName, string(binding.PodUID)
	}
	return call
}

// end reads what the agent answered.
func (c *Call) end(answer []byte) {
	c.Answered = time.Now()
	switch c.Verb {
	case "filter":
		var result extender.ExtenderFilterResult
		if json.Unmarshal(answer, &result) != nil {
			c.Error = "no answer"
			return
		}
		c.Error = result.Error
		if result.NodeNames != nil {
			c.Passed = *result.NodeNames
		}
	case "preempt":
		var result extender.ExtenderPreemptionResult
		_ = json.Unmarshal(answer, &result) // an error of preempt is no result
		for node := range result.NodeNameToMetaVictims {
			c.Passed = append(c.Passed, node)
		}
		slices.Sort(c.Passed)
	case "bind":
		var result extender.ExtenderBindingResult
		if json.Unmarshal(answer, &result) != nil {
			c.Error = "no answer"
			return
		}
		c.Error = result.Error
	}
}

// passAll is the answer of an agent that changes nothing.
func passAll(verb string, body []byte) []byte {
	var answer any = []any{}
	switch verb {
	case "filter":
		var args extender.ExtenderArgs
		_ = json.Unmarshal(body, &args) // a body of kube-scheduler can be read
		answer = extender.ExtenderFilterResult{NodeNames: args.NodeNames}
	case "preempt":
		var args extender.ExtenderPreemptionArgs
		_ = json.Unmarshal(body, &args)
		victims := map[string]*extender.MetaVictims{}
		for node, those := range args.NodeNameToVictims {
			meta := &extender.MetaVictims{NumPDBViolations: those.NumPDBViolations}
			for _, pod := range those.Pods {
				meta.Pods = append(meta.Pods, &extender.MetaPod{UID: string(pod.UID)})
			}
			victims[node] = meta
		}
		for node, those := range args.NodeNameToMetaVictims {
			victims[node] = those
		}
		answer = extender.ExtenderPreemptionResult{NodeNameToMetaVictims: victims}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err) // plain fields can always be written
	}
	return text
}
