package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	extender "k8s.io/kube-scheduler/extender/v1"
)

// passing is an extender that does nothing: every node passes, none is better than another, and pods are bound at
// once. So it shows what any extender with these verbs costs, whatever it does: the scheduler's part of the calls.
type passing struct {
	client kubernetes.Interface
	server *http.Server
	url    string

	filters atomic.Int64 // calls
}

func servePassing(client kubernetes.Interface) (*passing, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &passing{client: client, url: "http://" + listener.Addr().String()}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(listener) }()
	return p, nil
}

func (p *passing) stop() { _ = p.server.Close() }

func (p *passing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var answer []byte
	if err == nil {
		answer, err = p.answer(r.Context(), path.Base(r.URL.Path), body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(answer)
}

func (p *passing) answer(ctx context.Context, verb string, body []byte) ([]byte, error) {
	switch verb {
	case "filter":
		p.filters.Add(1)
		var args struct{ NodeNames json.RawMessage }
		err := json.Unmarshal(body, &args)
		return fmt.Appendf(nil, `{"NodeNames":%s}`, args.NodeNames), err
	case "prioritize":
		return []byte("[]"), nil
	case "bind":
		var args extender.ExtenderBindingArgs
		if err := json.Unmarshal(body, &args); err != nil {
			return nil, err
		}
		return []byte("{}"), p.client.CoreV1().Pods(args.PodNamespace).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: args.PodName, Namespace: args.PodNamespace, UID: args.PodUID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: args.Node},
		}, metav1.CreateOptions{})
	}
	return nil, fmt.Errorf("verb %q is not known", verb)
}
