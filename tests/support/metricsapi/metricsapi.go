// Package metricsapi stands in for metrics-server: the API metrics.k8s.io/v1beta1 of nodes, which a real
// kube-apiserver passes on to it, as to any aggregated API: by an APIService for a Service, here one of
// type ExternalName for localhost, with the stand-in's own certificate.
package metricsapi

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/pki"
	"outrigger.dev/outrigger/tests/support/process"
)

const (
	namespace = metav1.NamespaceSystem
	name      = "metrics-server"
	group     = "metrics.k8s.io"
	version   = "v1beta1"
	apis      = "/apis/apiregistration.k8s.io/v1/apiservices"
)

// Usage is what a node uses.
type Usage struct {
	// Cpu and Memory are quantities ("1500m", "3Gi").
	Cpu, Memory string
}

// Server is a running stand-in. Its methods are safe for concurrent use.
type Server struct {
	client kubernetes.Interface
	server *http.Server
	port   int
	ca     []byte

	mutex sync.Mutex
	nodes map[string]Usage
}

// ForTest starts a stand-in that lives as long as the test and is served by the API server of client.
func ForTest(t testing.TB, client kubernetes.Interface) *Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
	defer cancel()
	s, err := Start(ctx, client)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), process.Patience)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Start starts a stand-in, registers it with an API server and waits until this serves it. The caller
// stops it.
func Start(ctx context.Context, client kubernetes.Interface) (*Server, error) {
	s := &Server{client: client, nodes: map[string]Usage{}}
	if err := s.listen(); err != nil {
		return nil, err
	}
	err := s.register(ctx)
	if err == nil {
		err = kube.Eventually(ctx, process.Patience, func(ctx context.Context) error {
			_, err := s.Nodes(ctx)
			return err
		})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("metrics.k8s.io: %w", err), s.Stop(ctx))
	}
	return s, nil
}

// Stop takes the API away from the API server and ends the stand-in.
func (s *Server) Stop(ctx context.Context) error {
	err := s.client.Discovery().RESTClient().Delete().AbsPath(apis, version+"."+group).Do(ctx).Error()
	other := s.client.CoreV1().Services(namespace).Delete(ctx, name, metav1.DeleteOptions{})
	return errors.Join(ignoreGone(err), ignoreGone(other), s.server.Close())
}

// Set says what a node uses from now on.
func (s *Server) Set(node string, usage Usage) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.nodes[node] = usage
}

// Forget makes a node unknown, as one that cannot be asked.
func (s *Server) Forget(node string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.nodes, node)
}

// Nodes returns the answer of the API server for the metrics of all nodes.
func (s *Server) Nodes(ctx context.Context) ([]byte, error) {
	return s.client.Discovery().RESTClient().Get().AbsPath("/apis", group, version, "nodes").DoRaw(ctx)
}

func (s *Server) listen() error {
	authority, err := pki.NewAuthority("metrics.k8s.io")
	if err != nil {
		return err
	}
	// The API server connects to the external name, and expects the name of the service.
	pair, err := authority.Issue(pki.Spec{Name: name, DNS: []string{name + "." + namespace + ".svc"}})
	if err != nil {
		return err
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s.ca, s.port = authority.PEM(), listener.Addr().(*net.TCPAddr).Port
	s.server = &http.Server{Handler: s.routes()}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"h2", "http/1.1"}}
	go func() { _ = s.server.Serve(tls.NewListener(listener, config)) }()
	return nil
}

func (s *Server) register(ctx context.Context) error {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"}}
	if _, err := s.client.CoreV1().Services(namespace).Create(ctx, service, metav1.CreateOptions{}); err != nil {
		return err
	}
	registration, err := json.Marshal(map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": version + "." + group},
		"spec": map[string]any{
			"group": group, "version": version, "groupPriorityMinimum": 100, "versionPriority": 100,
			"service":  map[string]any{"namespace": namespace, "name": name, "port": s.port},
			"caBundle": s.ca,
		},
	})
	if err != nil {
		return err
	}
	return s.client.Discovery().RESTClient().Post().AbsPath(apis).
		SetHeader("Content-Type", "application/json").Body(registration).Do(ctx).Error()
}

func ignoreGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
