package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// call is one call of kube-scheduler and the agent's answer to it.
type call struct {
	agent, verb string
	pod         string
	offered     []string
	took        time.Duration // from the request's way to the agent to the end of its answer

	rejected map[string]string // filter: reason by node
	scores   map[string]int64  // prioritize: score by node
}

// recorder is a reverse proxy between kube-scheduler and agents that passes bodies on unchanged and
// keeps what was said. http://recorder/<agent>/... goes to the agent of that name.
type recorder struct {
	URL string

	agents map[string]string // URL by name
	server http.Server

	mutex sync.Mutex
	calls []call
	err   error // the first call that could not be passed on or understood
}

func startRecorder(agents map[string]string) (*recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("recording proxy: %w", err)
	}
	r := &recorder{URL: "http://" + listener.Addr().String(), agents: agents}
	r.server.Handler = r
	go func() { _ = r.server.Serve(listener) }() // ends by Close
	return r, nil
}

func (r *recorder) stop() { _ = r.server.Close() }

// Calls returns what was recorded so far, in the order of the answers.
func (r *recorder) Calls() ([]call, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.calls), r.err
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	agent, verb, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/")
	status, answer, err := r.pass(agent, verb, request)
	if err != nil {
		r.mutex.Lock()
		if r.err == nil {
			r.err = fmt.Errorf("%s of agent %q: %w", verb, agent, err)
		}
		r.mutex.Unlock()
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // a scheduler that has gone away needs no answer
}

func (r *recorder) pass(agent, verb string, request *http.Request) (status int, answer []byte, err error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return 0, nil, err
	}
	began := time.Now()
	response, err := http.Post(r.agents[agent]+request.URL.Path, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, err
	}
	took := time.Since(began)
	if response.StatusCode != http.StatusOK {
		return 0, nil, fmt.Errorf("%s: %s", response.Status, answer)
	}
	c, err := understand(verb, body, answer)
	if err != nil {
		return 0, nil, err
	}
	c.agent, c.took = agent, took
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.calls = append(r.calls, c)
	return response.StatusCode, answer, nil
}

// understand reads a call and its answer by the Go types of the protocol.
func understand(verb string, body, answer []byte) (call, error) {
	var args extenderv1.ExtenderArgs
	if err := json.Unmarshal(body, &args); err != nil {
		return call{}, fmt.Errorf("the call: %w", err)
	}
	if args.Pod == nil || args.NodeNames == nil {
		return call{}, fmt.Errorf("the call has no pod or no names of nodes")
	}
	c := call{verb: verb, pod: args.Pod.Name, offered: *args.NodeNames}
	switch verb {
	case "filter":
		var result extenderv1.ExtenderFilterResult
		if err := json.Unmarshal(answer, &result); err != nil {
			return call{}, fmt.Errorf("the answer: %w", err)
		}
		if result.Error != "" {
			return call{}, fmt.Errorf("the agent cannot answer: %s", result.Error)
		}
		c.rejected = map[string]string{}
		for _, failed := range []extenderv1.FailedNodesMap{result.FailedNodes, result.FailedAndUnresolvableNodes} {
			for node, reason := range failed {
				c.rejected[node] = reason
			}
		}
	case "prioritize":
		var result extenderv1.HostPriorityList
		if err := json.Unmarshal(answer, &result); err != nil {
			return call{}, fmt.Errorf("the answer: %w", err)
		}
		c.scores = map[string]int64{}
		for _, host := range result {
			c.scores[host.Host] = host.Score
		}
	default:
		return call{}, fmt.Errorf("verb %q is not expected", verb)
	}
	return c, nil
}
