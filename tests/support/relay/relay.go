// Package relay passes TCP connections on, so that a test can count and cut them.
package relay

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Relay listens on a port of the loopback address. Its methods are safe for concurrent use.
type Relay struct {
	listener net.Listener
	target   string

	mutex    sync.Mutex
	accepted int
	open     map[net.Conn]struct{} // both ends
}

// To passes connections on to an address ("127.0.0.1:9870") until the test ends.
func To(t testing.TB, target string) *Relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{listener: listener, target: target, open: map[net.Conn]struct{}{}}
	go r.serve()
	t.Cleanup(func() {
		_ = listener.Close()
		r.Cut()
	})
	return r
}

// Address is where the relay listens.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Accepted returns how many connections there have been.
func (r *Relay) Accepted() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.accepted
}

// Cut closes all connections that stand; new ones are taken.
func (r *Relay) Cut() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for connection := range r.open {
		_ = connection.Close()
	}
}

func (r *Relay) serve() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		r.mutex.Lock()
		r.accepted++
		r.open[client], r.open[server] = struct{}{}, struct{}{}
		r.mutex.Unlock()
		go r.pass(client, server)
		go r.pass(server, client)
	}
}

// pass ends when either end does, and takes the other direction with it.
func (r *Relay) pass(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, connection := range []net.Conn{from, to} {
		_ = connection.Close()
		delete(r.open, connection)
	}
}
