package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// recorder is an extender that agrees to everything and writes each body, exactly as it came, to
// <dir>/<verb>_<form>_<pod>[_n].
type recorder struct {
	URL string

	dir    string
	client kubernetes.Interface
	server http.Server

	mutex sync.Mutex
	count map[string]int // by file name
	err   error          // the first
}

func startRecorder(dir string, client kubernetes.Interface) (*recorder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &recorder{URL: "http://" + listener.Addr().String(), dir: dir, client: client, count: map[string]int{}}
	r.server.Handler = r
	go func() { _ = r.server.Serve(listener) }() // ends by Close
	return r, nil
}

func (r *recorder) stop() { _ = r.server.Close() }

// written returns how many files there are, or the first error.
func (r *recorder) written() (count int, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, n := range r.count {
		count += n
	}
	return count, r.err
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	form, verb, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/")
	body, err := io.ReadAll(request.Body)
	var pod string
	var answer any
	if err == nil {
		pod, answer, err = r.agree(request, verb, body)
	}
	if err == nil {
		err = r.write(verb+"_"+form+"_"+pod, body)
	}
	if err != nil {
		r.mutex.Lock()
		r.err = errors.Join(r.err, fmt.Errorf("%s: %w", request.URL.Path, err))
		r.mutex.Unlock()
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (r *recorder) write(name string, body []byte) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.count[name]++
	if n := r.count[name]; n > 1 {
		name = fmt.Sprintf("%s_%d", name, n)
	}
	return os.WriteFile(filepath.Join(r.dir, name), body, 0o644)
}

// agree is the answer to a call, and the pod that it is about.
func (r *recorder) agree(request *http.Request, verb string, body []byte) (pod string, answer any, err error) {
	switch verb {
	case "filter", "prioritize":
		var args extenderv1.ExtenderArgs
		if err := json.Unmarshal(body, &args); err != nil {
			return "", nil, err
		}
		if verb == "filter" {
			return args.Pod.Name, extenderv1.ExtenderFilterResult{Nodes: args.Nodes, NodeNames: args.NodeNames}, nil
		}
		return args.Pod.Name, extenderv1.HostPriorityList{}, nil
	case "preempt":
		var args extenderv1.ExtenderPreemptionArgs
		if err := json.Unmarshal(body, &args); err != nil {
			return "", nil, err
		}
		return args.Pod.Name, extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: allVictims(&args)}, nil
	case "bind":
		var args extenderv1.ExtenderBindingArgs
		if err := json.Unmarshal(body, &args); err != nil {
			return "", nil, err
		}
		return args.PodName, extenderv1.ExtenderBindingResult{}, r.client.CoreV1().Pods(args.PodNamespace).Bind(
			request.Context(), &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: args.PodName, Namespace: args.PodNamespace, UID: types.UID(args.PodUID)},
				Target:     corev1.ObjectReference{Kind: "Node", Name: args.Node},
			}, metav1.CreateOptions{})
	}
	return "", nil, fmt.Errorf("no verb %q", verb)
}

func allVictims(args *extenderv1.ExtenderPreemptionArgs) map[string]*extenderv1.MetaVictims {
	all := args.NodeNameToMetaVictims
	if all == nil {
		all = map[string]*extenderv1.MetaVictims{}
	}
	for node, victims := range args.NodeNameToVictims {
		meta := &extenderv1.MetaVictims{NumPDBViolations: victims.NumPDBViolations, Pods: []*extenderv1.MetaPod{}}
		for _, pod := range victims.Pods {
			meta.Pods = append(meta.Pods, &extenderv1.MetaPod{UID: string(pod.UID)})
		}
		all[node] = meta
	}
	return all
}
