// Package fakeextender is a small scheduler extender for tests of kube-scheduler's side of the
// protocol: it takes every node unless told otherwise, and remembers what it was asked.
//
// Not imitated: bind and preempt; reasons per node.
package fakeextender

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"sync"
	"testing"
	"time"

	extender "k8s.io/kube-scheduler/extender/v1"
)

// Extender answers filter and prioritize below any prefix (<URL>/any/prefix/filter). Its fields may be set before Serve only.
type Extender struct {
	// Filter tells whether a node may take the pod; nil takes all.
	Filter func(pod, node string) bool
	// Score is 0..10; nil gives 0 to all.
	Score func(pod, node string) int64

	mutex sync.Mutex
	calls map[string]int // by verb
}

// Serve serves on an address ("127.0.0.1:0" for any port) until the test ends and returns the URL.
func (e *Extender) Serve(t testing.TB, address string) string {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch verb := path.Base(r.URL.Path); verb {
		case "filter":
			e.answer(w, r, verb, e.filter)
		case "prioritize":
			e.answer(w, r, verb, e.prioritize)
		default:
			http.NotFound(w, r)
		}
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

// Calls returns how often a verb was asked.
func (e *Extender) Calls(verb string) int {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.calls[verb]
}

func (e *Extender) answer(w http.ResponseWriter, r *http.Request, verb string, f func(*extender.ExtenderArgs) any) {
	e.mutex.Lock()
	if e.calls == nil {
		e.calls = map[string]int{}
	}
	e.calls[verb]++
	e.mutex.Unlock()
	var args extender.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, fmt.Sprintf("bad request: %v", err), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(f(&args))
}

// filter answers in the form that was asked.
func (e *Extender) filter(args *extender.ExtenderArgs) any {
	result := extender.ExtenderFilterResult{FailedNodes: extender.FailedNodesMap{}}
	takes := func(node string) bool {
		if e.Filter == nil || e.Filter(args.Pod.Name, node) {
			return true
		}
		result.FailedNodes[node] = "refused by the fake extender"
		return false
	}
	if args.NodeNames != nil {
		names := []string{}
		for _, name := range *args.NodeNames {
			if takes(name) {
				names = append(names, name)
			}
		}
		result.NodeNames = &names
		return result
	}
	result.Nodes = args.Nodes.DeepCopy()
	result.Nodes.Items = nil
	for _, node := range args.Nodes.Items {
		if takes(node.Name) {
			result.Nodes.Items = append(result.Nodes.Items, node)
		}
	}
	return result
}

func (e *Extender) prioritize(args *extender.ExtenderArgs) any {
	var names []string
	if args.NodeNames != nil {
		names = *args.NodeNames
	} else {
		for _, node := range args.Nodes.Items {
			names = append(names, node.Name)
		}
	}
	scores := extender.HostPriorityList{}
	for _, name := range names {
		score := int64(0)
		if e.Score != nil {
			score = e.Score(args.Pod.Name, name)
		}
		scores = append(scores, extender.HostPriority{Host: name, Score: score})
	}
	return scores
}
