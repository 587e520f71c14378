// Package faults is a proxy in front of a real API server that does to answers what networks, load
// balancers and ill servers do: it cuts, drips, falls silent, spoils and refuses, when a test says so.
//
// It speaks HTTP/1.1 over TLS with a certificate of its own, so that a cut is one of the connection,
// and passes everything else on, credentials too.
package faults

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"outrigger.dev/outrigger/tests/support/pki"
	"outrigger.dev/outrigger/tests/support/process"
)

// Proxy listens on a port of the loopback address. Its methods are safe for concurrent use.
type Proxy struct {
	target    *url.URL
	transport *http.Transport
	address   string

	mutex       sync.Mutex
	certificate *tls.Certificate
	authority   *pki.Authority
	rules       []*Injection
	server      *http.Server      // nil while connections are refused
	held        *process.HeldPort // while they are
	open        map[net.Conn]struct{}
	accepted    int
	requests    int
}

// Start starts a proxy for the server at target ("https://127.0.0.1:6443"), which it trusts as
// upstream says. The caller closes it.
func Start(target string, upstream *tls.Config) (*Proxy, error) {
	parsed, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("proxy to %s: %w", target, err)
	}
	p := &Proxy{target: parsed, open: map[net.Conn]struct{}{},
		// No HTTP/2, no gzip of its own: a request is a connection, and its bytes are the client's.
		transport: &http.Transport{TLSClientConfig: upstream, DisableCompression: true, MaxIdleConnsPerHost: 16}}
	if err := p.NewAuthority(); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("proxy to %s: %w", target, err)
	}
	p.address = listener.Addr().String()
	p.serve(listener)
	return p, nil
}

// Close cuts everything and ends the proxy.
func (p *Proxy) Close() {
	p.Refuse()
	p.mutex.Lock()
	p.held.Release()
	p.mutex.Unlock()
	p.transport.CloseIdleConnections()
}

// URL is where clients go.
func (p *Proxy) URL() string { return "https://" + p.address }

// CA is the certificate, in PEM, of the authority that the proxy's own certificate is from.
func (p *Proxy) CA() []byte {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.authority.PEM()
}

// NewAuthority gives the proxy a certificate from another authority than before; connections that
// stand keep the old one.
func (p *Proxy) NewAuthority() error {
	authority, err := pki.NewAuthority("authority of the proxy")
	if err != nil {
		return err
	}
	pair, err := authority.Issue(pki.Spec{Name: "proxy", Addresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	if err != nil {
		return err
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.authority, p.certificate = authority, &certificate
	return nil
}

// Cut closes all connections that stand; new ones are taken.
func (p *Proxy) Cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for connection := range p.open {
		_ = connection.Close()
	}
}

// Refuse closes all connections and refuses new ones (ECONNREFUSED), until Accept.
func (p *Proxy) Refuse() {
	p.mutex.Lock()
	server := p.server
	p.server = nil
	p.mutex.Unlock()
	if server != nil {
		_ = server.Close()
		p.Cut()
		p.holdPort()
	}
}

// holdPort keeps others from the port, as far as it can.
func (p *Proxy) holdPort() {
	_, text, _ := net.SplitHostPort(p.address)
	port, err := strconv.Atoi(text)
	if err != nil {
		return
	}
	held, err := process.HoldPort(port)
	if err != nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.held = held
}

// Accept takes connections again, where it did before.
func (p *Proxy) Accept() error {
	p.mutex.Lock()
	accepting := p.server != nil
	if !accepting {
		p.held.Release()
	}
	p.mutex.Unlock()
	if accepting {
		return nil
	}
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return fmt.Errorf("accept again: %w", err)
	}
	p.serve(listener)
	return nil
}

// Accepted returns how many connections there have been.
func (p *Proxy) Accepted() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.accepted
}

// Requests returns how many requests there have been.
func (p *Proxy) Requests() int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.requests
}

func (p *Proxy) serve(listener net.Listener) {
	server := &http.Server{
		Handler: http.HandlerFunc(p.handle),
		TLSConfig: &tls.Config{NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
				p.mutex.Lock()
				defer p.mutex.Unlock()
				return p.certificate, nil
			}},
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // no HTTP/2
		ErrorLog:     log.New(io.Discard, "", 0),                               // clients that turn away are the point
		ConnState:    p.note,
	}
	p.mutex.Lock()
	p.server = server
	p.mutex.Unlock()
	go func() { _ = server.ServeTLS(listener, "", "") }() // ends by Refuse
}

// note keeps the connections that stand.
func (p *Proxy) note(connection net.Conn, state http.ConnState) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch state {
	case http.StateNew:
		p.accepted++
		p.open[connection] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(p.open, connection)
	}
}

// handle answers one request. A panic with ErrAbortHandler is how net/http cuts a connection.
func (p *Proxy) handle(w http.ResponseWriter, r *http.Request) {
	p.mutex.Lock()
	p.requests++
	p.mutex.Unlock()
	if p.before(w, r) {
		return
	}
	request := r.Clone(r.Context())
	request.URL.Scheme, request.URL.Host, request.Host = p.target.Scheme, p.target.Host, p.target.Host
	request.RequestURI = ""
	response, err := p.transport.RoundTrip(request)
	if err != nil {
		panic(http.ErrAbortHandler) // as if the client had been connected to the server that is not there
	}
	defer response.Body.Close()
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	// The client learns at once that the call was taken, though a watch may have nothing to say yet.
	_ = http.NewResponseController(w).Flush()
	if err := p.pass(w, r, response); err != nil && !errors.Is(err, io.EOF) {
		panic(http.ErrAbortHandler)
	}
}
