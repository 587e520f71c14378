package lab

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
)

// barrier is a way to the API server on which nobody creates a node of a name before so many have asked for that.
type barrier struct {
	node    []byte
	mutex   sync.Mutex
	missing int           // guarded by mutex
	all     chan struct{} // closed when nobody is missing
}

// startBarrier returns the barrier's address. It calls the API server as an administrator.
func (w *world) startBarrier(node string, count int) string {
	w.Helper()
	target, err := url.Parse(w.Cluster.Config.Host)
	w.Must(err)
	transport, err := rest.TransportFor(w.Cluster.Config)
	w.Must(err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = transport
	b := &barrier{node: []byte(`"` + node + `"`), missing: count, all: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if b.passes(request) {
			proxy.ServeHTTP(answer, request)
		}
	}))
	w.Cleanup(server.Close)
	return server.URL
}

// passes returns when the request may go on; false: it was given up.
func (b *barrier) passes(request *http.Request) bool {
	if request.Method != http.MethodPost || request.URL.Path != "/api/v1/nodes" {
		return true
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return false
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, b.node) {
		return true
	}
	b.arrive()
	select {
	case <-b.all:
		return true
	case <-request.Context().Done():
		return false
	}
}

func (b *barrier) arrive() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.missing--; b.missing == 0 {
		close(b.all)
	}
}
