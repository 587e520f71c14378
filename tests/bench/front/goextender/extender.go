package main

import (
	"encoding/json"
	"net/http"
	"strconv"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// extender answers filter and prioritize. Full nodes are judged by their annotations; names by
// table, as an extender with its own watch would. Safe for concurrent use: nothing changes.
type extender struct {
	table map[string]bodies.Facts
}

// newExtender has a table of the first n nodes of the cluster that belongs to seed.
func newExtender(seed uint64, n int) *extender {
	e := &extender{table: make(map[string]bodies.Facts, n)}
	for i := range n {
		facts := bodies.FactsOf(seed, i)
		e.table[facts.Name] = facts
	}
	return e
}

func (e *extender) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /bench/filter", e.filter)
	mux.HandleFunc("POST /bench/prioritize", e.prioritize)
	return mux
}

// filter keeps the nodes that have free cpu, in the form that was asked.
func (e *extender) filter(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		answer(w, extenderv1.ExtenderFilterResult{Error: err.Error()})
		return
	}
	result := extenderv1.ExtenderFilterResult{FailedNodes: extenderv1.FailedNodesMap{}}
	if args.NodeNames != nil {
		names := make([]string, 0, len(*args.NodeNames))
		for _, name := range *args.NodeNames {
			if e.table[name].MeanFreeCPU > 0 {
				names = append(names, name)
			} else {
				result.FailedNodes[name] = "no free cpu"
			}
		}
		result.NodeNames = &names
	} else if args.Nodes != nil {
		kept := make([]v1.Node, 0, len(args.Nodes.Items))
		for _, node := range args.Nodes.Items {
			if free, err := strconv.ParseFloat(node.Annotations["mean-free-cpu"], 64); err == nil && free > 0 {
				kept = append(kept, node)
			} else {
				result.FailedNodes[node.Name] = "no free cpu"
			}
		}
		result.Nodes = &v1.NodeList{Items: kept}
	}
	answer(w, result)
}

// prioritize scores by congestion: 10 for none, 0 at bodies.CongestionMax.
func (e *extender) prioritize(w http.ResponseWriter, r *http.Request) {
	var args extenderv1.ExtenderArgs
	if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var result extenderv1.HostPriorityList
	if args.NodeNames != nil {
		result = make(extenderv1.HostPriorityList, 0, len(*args.NodeNames))
		for _, name := range *args.NodeNames {
			result = append(result, extenderv1.HostPriority{Host: name, Score: bodies.Score(e.table[name].CongestionFactor)})
		}
	} else if args.Nodes != nil {
		result = make(extenderv1.HostPriorityList, 0, len(args.Nodes.Items))
		for _, node := range args.Nodes.Items {
			factor, err := strconv.ParseInt(node.Annotations["congestion-factor"], 10, 64)
			if err != nil {
				factor = 0
			}
			result = append(result, extenderv1.HostPriority{Host: node.Name, Score: bodies.Score(factor)})
		}
	}
	answer(w, result)
}

func answer(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(result) // fails only when the client has gone
}
