// Package exporter stands in for node_exporter on several nodes: each node has an address of its own on
// the loopback, and all have one port, as on real nodes. Loads are what the test says, and counters are
// their exact integrals over time, so that what Prometheus makes of them can be calculated.
package exporter

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// Load is what a node does from now on.
type Load struct {
	// Busy is how many of its cpus work, 0 to all of them.
	Busy float64
	// Available is its available memory in bytes.
	Available int64
}

// Node is the exporter of one node. Its methods are safe for concurrent use.
type Node struct {
	// Name is in node_uname_info; Address is the node's InternalIP.
	Name, Address string

	mutex   sync.Mutex
	cpus    int
	load    Load
	since   time.Time // of load
	idle    float64   // seconds of all cpus until since
	busy    float64
	failing bool
	now     func() time.Time
	server  *http.Server
}

// Exporters are the exporters of all nodes.
type Exporters struct {
	// Port is that of every node.
	Port int

	nodes []*Node
}

// Spec is a node at the start.
type Spec struct {
	Name string
	Cpus int
	Load Load
}

// ForTest starts exporters that live as long as the test.
func ForTest(t testing.TB, specs ...Spec) *Exporters {
	t.Helper()
	e, err := Start(specs...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

// Start starts an exporter for each node, at 127.0.0.2 and the addresses after it. The caller stops them.
func Start(specs ...Spec) (*Exporters, error) {
	listeners, port, err := listen(len(specs))
	if err != nil {
		return nil, err
	}
	e := &Exporters{Port: port}
	for i, spec := range specs {
		node := newNode(spec, time.Now)
		node.Address = addressOf(i)
		node.server = &http.Server{Handler: node}
		go func() { _ = node.server.Serve(listeners[i]) }()
		e.nodes = append(e.nodes, node)
	}
	return e, nil
}

// Stop ends all exporters.
func (e *Exporters) Stop() {
	for _, node := range e.nodes {
		_ = node.server.Close()
	}
}

// Node returns the exporter of a node; nil if there is none.
func (e *Exporters) Node(name string) *Node {
	for _, node := range e.nodes {
		if node.Name == name {
			return node
		}
	}
	return nil
}

// Targets are what Prometheus scrapes.
func (e *Exporters) Targets() []string {
	var targets []string
	for _, node := range e.nodes {
		targets = append(targets, fmt.Sprintf("%s:%d", node.Address, e.Port))
	}
	return targets
}

// Set changes the node's load from now on.
func (n *Node) Set(load Load) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.advance()
	n.load = load
}

// Load returns the load of now.
func (n *Node) Load() Load {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.load
}

// Reset sets the counters to 0, as a restart of the node does.
func (n *Node) Reset() {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.advance()
	n.idle, n.busy = 0, 0
}

// Fail makes the exporter answer every scrape with an error, or end that.
func (n *Node) Fail(failing bool) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.failing = failing
}

// ServeHTTP answers a scrape.
func (n *Node) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	text, failing := n.metrics()
	if failing {
		http.Error(w, "the exporter fails", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = io.WriteString(w, text)
}

func newNode(spec Spec, now func() time.Time) *Node {
	return &Node{Name: spec.Name, cpus: spec.Cpus, load: spec.Load, since: now(), now: now}
}

// advance brings the counters to now.
func (n *Node) advance() {
	now := n.now()
	seconds := now.Sub(n.since).Seconds()
	n.busy += n.load.Busy * seconds
	n.idle += (float64(n.cpus) - n.load.Busy) * seconds
	n.since = now
}

func (n *Node) metrics() (text string, failing bool) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.advance()
	var out strings.Builder
	family(&out, "node_cpu_seconds_total", "counter")
	for cpu := range n.cpus {
		for mode, seconds := range map[string]float64{
			"idle": n.idle, "iowait": 0, "system": n.busy / 4, "user": n.busy * 3 / 4,
		} {
			fmt.Fprintf(&out, "node_cpu_seconds_total{cpu=\"%d\",mode=%q} %.6f\n", cpu, mode, seconds/float64(n.cpus))
		}
	}
	family(&out, "node_memory_MemAvailable_bytes", "gauge")
	fmt.Fprintf(&out, "node_memory_MemAvailable_bytes %d\n", n.load.Available)
	family(&out, "node_uname_info", "gauge")
	fmt.Fprintf(&out, "node_uname_info{machine=\"x86_64\",nodename=%q,sysname=\"Linux\"} 1\n", n.Name)
	return out.String(), n.failing
}

func family(out *strings.Builder, name, kind string) { fmt.Fprintf(out, "# TYPE %s %s\n", name, kind) }

func addressOf(node int) string { return fmt.Sprintf("127.0.%d.%d", (node+2)/256, (node+2)%256) }

// listen finds a port that is free at count addresses.
func listen(count int) (listeners []net.Listener, port int, err error) {
	for range 20 {
		if listeners, port, err = listenOnce(count); err == nil {
			return listeners, port, nil
		}
	}
	return nil, 0, fmt.Errorf("no port is free at %d addresses: %w", count, err)
}

func listenOnce(count int) (listeners []net.Listener, port int, err error) {
	for i := range count {
		listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", addressOf(i), port))
		if err != nil {
			for _, other := range listeners {
				err = errors.Join(err, other.Close())
			}
			return nil, 0, err
		}
		port = listener.Addr().(*net.TCPAddr).Port
		listeners = append(listeners, listener)
	}
	return listeners, port, nil
}
