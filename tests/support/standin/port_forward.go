package standin

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apimachinery/pkg/util/httpstream/spdy"
	"k8s.io/client-go/tools/portforward"
)

// Forwarder is the part of a kubelet that `kubectl port-forward` comes to, by way of the API server: connections to a port
// of whatever pod go to that port of this machine's loopback address.
type Forwarder struct{ server *httptest.Server }

// StartForwarder starts one; the caller closes it.
func StartForwarder() *Forwarder {
	return &Forwarder{httptest.NewTLSServer(http.HandlerFunc(serveForward))}
}

// Close ends it, and what it forwards.
func (f *Forwarder) Close() {
	f.server.CloseClientConnections()
	f.server.Close()
}

// TakeNode has the API server come here for pods of a node that is to be created.
func (f *Forwarder) TakeNode(node *corev1.Node) {
	address := f.server.Listener.Addr().(*net.TCPAddr)
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address.IP.String()}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(address.Port)
}

func serveForward(w http.ResponseWriter, r *http.Request) {
	if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
		return // it has been answered
	}
	streams := make(chan httpstream.Stream)
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, replied <-chan struct{}) error {
		go func() {
			<-replied
			streams <- s
		}()
		return nil
	})
	if connection == nil {
		return
	}
	defer connection.Close()
	pairs := map[string]httpstream.Stream{} // by id of the request: the first of two
	for {
		select {
		case stream := <-streams:
			id := stream.Headers().Get(corev1.PortForwardRequestIDHeader)
			other := pairs[id]
			if other == nil {
				pairs[id] = stream
				continue
			}
			delete(pairs, id)
			if stream.Headers().Get(corev1.StreamType) == corev1.StreamTypeError {
				stream, other = other, stream
			}
			go forward(stream, other)
		case <-connection.CloseChan():
			return
		}
	}
}

// forward ends when both sides have.
func forward(data, errs httpstream.Stream) {
	defer func() { _, _ = data.Reset(), errs.Close() }()
	port, err := strconv.Atoi(data.Headers().Get(corev1.PortHeader))
	if err != nil {
		return
	}
	const patience = 10 * time.Second
	to, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), patience)
	if err != nil {
		fmt.Fprint(errs, err)
		return
	}
	defer to.Close()
	var ends sync.WaitGroup
	ends.Go(func() {
		_, _ = io.Copy(to, data)
		_ = to.(*net.TCPConn).CloseWrite()
	})
	ends.Go(func() {
		_, _ = io.Copy(data, to)
		_ = data.Close()
	})
	ends.Wait()
}
