package penalty

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"outrigger.dev/outrigger/tests/support/faults"
)

// Write is a call by which an agent changes something: classes, the journal, PodGroups. Leases and Events are none.
type Write struct {
	Number         int // from 1
	Method, What   string
	DryRun         bool
	Sent, Answered time.Time
}

// String is such as "DELETE priorityclasses/gold".
func (w Write) String() string {
	text := w.Method + " " + w.What
	if w.DryRun {
		text += " (dry run)"
	}
	return text
}

// Writes sees an agent's writes at a proxy, and ends the agent at one of them. Its methods are safe for concurrent use.
type Writes struct {
	mutex   sync.Mutex
	log     []*Write
	numbers map[*http.Request]*Write
	last    func(Write) bool // the write at which it is to end; nil: none
	left    int              // how many such writes are still to come, that one included
	after   bool             // once the API server has answered it
	ending  *Write           // that write, once it is known
	end     func()
	ended   chan struct{}
	cut     bool // nothing gets through any more
}

// WatchWrites begins to look at what goes through a proxy.
func WatchWrites(proxy *faults.Proxy) *Writes {
	w := &Writes{numbers: map[*http.Request]*Write{}}
	proxy.Inject(faults.Rule{Match: w.before, Answer: faults.Broken()}) // whose answer has no reader
	proxy.Inject(faults.Rule{Match: IsWrite, Tamper: func() faults.Tamper {
		return func(stream *faults.Stream, piece []byte) error {
			if w.answered(stream.Request) {
				return errEnded
			}
			return stream.Send(piece)
		}
	}})
	return w
}

var errEnded = fmt.Errorf("the agent has ended")

// EndAt makes end be called before the n-th write from now on reaches the API server, or once that has answered and
// the agent has not heard it. Nothing gets through then. The channel is closed after end.
func (w *Writes) EndAt(n int, after bool, end func()) <-chan struct{} {
	return w.EndAtMatch(func(Write) bool { return true }, n, after, end)
}

// EndAtMatch is EndAt that counts only the writes which match.
func (w *Writes) EndAtMatch(match func(Write) bool, n int, after bool, end func()) <-chan struct{} {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.log, w.last, w.left, w.ending = nil, match, n, nil
	w.after, w.end, w.ended = after, end, make(chan struct{})
	return w.ended
}

// Ending is the write at which the agent was ended, as String has it.
func (w *Writes) Ending() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.ending.String()
}

// Open lets everything through again.
func (w *Writes) Open() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.last, w.cut, w.log = nil, false, nil
}

// Log is all writes since the last EndAt or Open.
func (w *Writes) Log() []Write {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var all []Write
	for _, write := range w.log {
		all = append(all, *write)
	}
	return all
}

// IsWrite matches the writes of an agent.
func IsWrite(r *http.Request) bool {
	if r.Method == http.MethodGet {
		return false
	}
	for _, kind := range []string{"/leases", "/events", "/selfsubjectaccessreviews"} {
		if strings.Contains(r.URL.Path, kind) {
			return false
		}
	}
	return true
}

// Deletes and Creates match the two calls of a replacement that everybody sees.
func Deletes(class string) faults.Match {
	return func(r *http.Request) bool {
		return r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/priorityclasses/"+class)
	}
}

// Creates matches what creates a class, of whatever name, and is no dry run.
func Creates(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/priorityclasses") &&
		r.URL.Query().Get("dryRun") == ""
}

// before tells whether a request is not to reach the API server.
func (w *Writes) before(r *http.Request) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.cut || !IsWrite(r) {
		return w.cut
	}
	if w.numbers[r] != nil { // asked about a second time
		return false
	}
	write := &Write{Number: len(w.log) + 1, Method: r.Method, What: objectOf(r), Sent: time.Now(),
		DryRun: r.URL.Query().Get("dryRun") != ""}
	w.log = append(w.log, write)
	w.numbers[r] = write
	if w.ending == nil && w.last != nil && w.last(*write) {
		if w.left--; w.left == 0 {
			w.ending = write
		}
	}
	if write == w.ending && !w.after {
		w.finish()
	}
	return w.cut
}

// answered tells whether the answer to a request is not to reach the agent.
func (w *Writes) answered(r *http.Request) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	write := w.numbers[r]
	if write == nil { // a further piece of its answer
		return w.cut
	}
	delete(w.numbers, r)
	write.Answered = time.Now()
	if write == w.ending && w.after {
		w.finish()
	}
	return w.cut
}

// finish ends the agent; the mutex is held.
func (w *Writes) finish() {
	w.last, w.cut = nil, true
	w.end()
	close(w.ended)
}

// objectOf is resource and name, or the resource alone.
func objectOf(r *http.Request) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for i, part := range parts {
		switch part {
		case "priorityclasses", "configmaps", "podgroups":
			return strings.Join(parts[i:], "/")
		}
	}
	return r.URL.Path
}
