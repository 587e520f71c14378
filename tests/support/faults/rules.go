package faults

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Match says which requests a rule is about.
type Match func(*http.Request) bool

// Any matches all requests.
func Any(*http.Request) bool { return true }

// IsWatch tells whether a request is a watch.
func IsWatch(r *http.Request) bool {
	watch := r.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}

// Watch matches watches of a resource ("pods"), List what is no watch of it; "" is any resource.
func Watch(resource string) Match {
	return func(r *http.Request) bool { return IsWatch(r) && isAbout(r, resource) }
}

// List matches GETs of a resource that are no watches.
func List(resource string) Match {
	return func(r *http.Request) bool {
		return r.Method == http.MethodGet && !IsWatch(r) && isAbout(r, resource)
	}
}

// About matches lists and watches of a resource.
func About(resource string) Match {
	return func(r *http.Request) bool { return r.Method == http.MethodGet && isAbout(r, resource) }
}

func isAbout(r *http.Request, resource string) bool {
	return resource == "" || strings.HasSuffix(r.URL.Path, "/"+resource)
}

// Rule is a fault and whom it meets.
type Rule struct {
	// Match is which requests; nil: all.
	Match Match
	// Times is how many requests it meets before it is used up; 0: until it is removed.
	Times int
	// Delay is waited before anything else.
	Delay time.Duration
	// Hold, if there is one, keeps the request back until it is closed: it reaches the server late.
	Hold <-chan struct{}
	// Answer, if there is one, is sent in place of the server's.
	Answer *Answer
	// Tamper, if there is one, makes what passes the body on, anew for each answer. It takes hold
	// of watches that stand, too.
	Tamper func() Tamper
}

// Answer is what a server says that the request did not reach.
type Answer struct {
	Code   int
	Header http.Header
	Body   []byte
}

// Tamper passes a piece of a body on, or not: an error cuts the connection. A piece is one event of a
// watch with its line end, of a watch in protobuf with its length in front, or any part of another body.
type Tamper func(stream *Stream, piece []byte) error

// Injection is a rule at work. Its methods are safe for concurrent use.
type Injection struct {
	proxy *Proxy
	rule  Rule
	hits  int // guarded by the proxy's mutex
	gone  bool
}

// Inject puts a rule to work, after those that are.
func (p *Proxy) Inject(rule Rule) *Injection {
	if rule.Match == nil {
		rule.Match = Any
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	injection := &Injection{proxy: p, rule: rule}
	p.rules = append(p.rules, injection)
	return injection
}

// Hits is how many requests the rule has met.
func (i *Injection) Hits() int {
	i.proxy.mutex.Lock()
	defer i.proxy.mutex.Unlock()
	return i.hits
}

// Remove ends the rule; answers that it is at work on stay spoiled.
func (i *Injection) Remove() {
	i.proxy.mutex.Lock()
	defer i.proxy.mutex.Unlock()
	i.gone = true
	i.proxy.rules = slices.DeleteFunc(i.proxy.rules, func(other *Injection) bool { return other == i })
}

// holds tells whether the rule is to be put to work on a request; the proxy's mutex is held.
func (i *Injection) holds(r *http.Request) bool {
	return !i.gone && (i.rule.Times == 0 || i.hits < i.rule.Times) && i.rule.Match(r)
}

// before lets rules without a tamper have the request, and tells whether one has answered it.
func (p *Proxy) before(w http.ResponseWriter, r *http.Request) bool {
	var met []*Injection
	p.mutex.Lock()
	for _, injection := range p.rules {
		if injection.rule.Tamper == nil && injection.holds(r) {
			injection.hits++
			met = append(met, injection)
			if injection.rule.Answer != nil {
				break
			}
		}
	}
	p.mutex.Unlock()
	for _, injection := range met {
		if !pause(r, injection.rule.Delay) || !await(r, injection.rule.Hold) {
			return true // the client has gone
		}
		if answer := injection.rule.Answer; answer != nil {
			answer.send(w)
			return true
		}
	}
	return false
}

// engage puts the rules to work that hold for a stream now.
func (p *Proxy) engage(stream *Stream) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, injection := range p.rules {
		known := slices.ContainsFunc(stream.engaged, func(e engaged) bool { return e.injection == injection })
		if known || injection.rule.Tamper == nil || !injection.holds(stream.Request) {
			continue
		}
		injection.hits++
		stream.engaged = append(stream.engaged, engaged{injection, injection.rule.Tamper()})
	}
}

func (a *Answer) send(w http.ResponseWriter) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.Code)
	_, _ = w.Write(a.Body) // fails only when the client has gone
}

// pause waits, and tells whether the client is still there.
func pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

// await waits until a channel is closed, nil not at all, and tells whether the client is still there.
func await(r *http.Request, closed <-chan struct{}) bool {
	if closed == nil {
		return true
	}
	select {
	case <-closed:
		return true
	case <-r.Context().Done():
		return false
	}
}
