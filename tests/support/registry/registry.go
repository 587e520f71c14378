// Package registry is a registry of container images in memory: as much of the OCI distribution protocol as a push and a
// pull need (https://github.com/opencontainers/distribution-spec). Not imitated: deletion, mounts, catalogues, rights.
package registry

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Registry keeps what is pushed until the test ends.
type Registry struct {
	mutex     sync.Mutex
	uploads   map[string][]byte
	blobs     map[string][]byte // by digest
	manifests map[string]manifest
}

type manifest struct {
	kind string
	text []byte
}

// Start serves a registry on loopback, in clear, and returns its host and port.
func Start(t *testing.T) string {
	t.Helper()
	r := &Registry{uploads: map[string][]byte{}, blobs: map[string][]byte{}, manifests: map[string]manifest{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func digestOf(text []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(text)) }

func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	path := strings.TrimPrefix(request.URL.Path, "/v2/")
	switch {
	case path == "":
	case strings.Contains(path, "/blobs/uploads/"):
		r.upload(w, request, path, body)
	case strings.Contains(path, "/blobs/"):
		digest := path[strings.LastIndex(path, "/")+1:]
		send(w, "application/octet-stream", digest, r.blobs[digest])
	case strings.Contains(path, "/manifests/") && request.Method == http.MethodPut:
		kept := manifest{request.Header.Get("Content-Type"), body}
		name, _, _ := strings.Cut(path, "/manifests/")
		r.manifests[path], r.manifests[name+"/manifests/"+digestOf(body)] = kept, kept
		w.Header().Set("Docker-Content-Digest", digestOf(body))
		w.WriteHeader(http.StatusCreated)
	case strings.Contains(path, "/manifests/"):
		kept := r.manifests[path]
		send(w, kept.kind, digestOf(kept.text), kept.text)
	default:
		http.NotFound(w, request)
	}
}

// upload takes a blob in pieces: POST begins, PATCH adds, PUT ends it.
func (r *Registry) upload(w http.ResponseWriter, request *http.Request, path string, body []byte) {
	if request.Method == http.MethodPost {
		path += fmt.Sprint(len(r.uploads))
	}
	r.uploads[path] = append(r.uploads[path], body...)
	w.Header().Set("Location", "/v2/"+path)
	if request.Method != http.MethodPut {
		w.Header().Set("Range", fmt.Sprintf("0-%d", max(len(r.uploads[path])-1, 0)))
		w.WriteHeader(http.StatusAccepted)
		return
	}
	digest := request.URL.Query().Get("digest")
	if got := digestOf(r.uploads[path]); got != digest {
		http.Error(w, "the blob is "+got, http.StatusBadRequest)
		return
	}
	r.blobs[digest] = r.uploads[path]
	w.WriteHeader(http.StatusCreated)
}

func send(w http.ResponseWriter, kind, digest string, text []byte) {
	if text == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.Header().Set("Docker-Content-Digest", digest)
	_, _ = w.Write(text) // who hangs up tries again
}
