package faults

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
)

// rig is a server behind a proxy: what is no watch is answered with page, a watch with what a test
// puts into events, line by line, and a watch of "refused" with a status in protobuf.
type rig struct {
	*testing.T
	proxy   *Proxy
	client  *http.Client
	events  chan string
	watches atomic.Int32 // that the server answers now
}

const (
	page    = `{"kind":"NodeList","items":[1,2,3]}`
	refusal = "k8s\x00 is how protobuf that is no stream begins"
)

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, events: make(chan string, 10)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		w.Header().Set("Seen-Authorization", request.Header.Get("Authorization"))
		if !IsWatch(request) {
			fmt.Fprint(w, page)
			return
		}
		if strings.HasSuffix(request.URL.Path, "/refused") {
			w.Header().Set("Content-Type", "application/vnd.kubernetes.protobuf")
			w.WriteHeader(http.StatusUnprocessableEntity)
			w.(http.Flusher).Flush() // no length is told
			fmt.Fprint(w, refusal)
			return
		}
		r.watches.Add(1)
		defer r.watches.Add(-1)
		w.(http.Flusher).Flush()
		for {
			select {
			case line := <-r.events:
				fmt.Fprintln(w, line)
				w.(http.Flusher).Flush()
			case <-request.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	proxy, err := Start(server.URL, &tls.Config{RootCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	r.proxy = proxy
	r.trust()
	return r
}

// trust gives the rig a client that trusts the proxy's authority of now and has no connection.
func (r *rig) trust() {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(r.proxy.CA())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	r.Cleanup(transport.CloseIdleConnections)
	r.client = &http.Client{Transport: transport, Timeout: process.Patience}
}

func (r *rig) open(path string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, r.proxy.URL()+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	return r.client.Do(request)
}

// get returns the body of what is no watch, as far as it came.
func (r *rig) get(path string) (*http.Response, string, error) {
	r.Helper()
	response, err := r.open(path)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, string(body), err
}

// watch opens a watch of pods.
func (r *rig) watch() (*bufio.Reader, io.Closer) {
	r.Helper()
	response, err := r.open("/api/v1/pods?watch=true")
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { response.Body.Close() })
	return bufio.NewReader(response.Body), response.Body
}

func (r *rig) expectLine(reader *bufio.Reader, want string) {
	r.Helper()
	if line, err := reader.ReadString('\n'); err != nil || line != want+"\n" {
		r.Fatalf("got %q, %v, want %q", line, err, want)
	}
}
