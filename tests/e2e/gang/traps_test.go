package gang

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// trap does something when the agent is called, or calls, for the n-th time.
type trap struct {
	mutex  sync.Mutex
	kind   string
	left   int
	fire   func()
	sprung chan struct{}
	ahead  int // bindings that may still go through, when the trap is set for an answer of one
}

// set arms the trap: fire is called before the n-th call of that kind goes through; of kinds that are
// answers, after it.
func (t *trap) set(kind string, n int, fire func()) <-chan struct{} {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.kind, t.left, t.ahead, t.fire, t.sprung = kind, n, n, fire, make(chan struct{})
	return t.sprung
}

// disarm ends what has not sprung.
func (t *trap) disarm() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.left = 0
}

// isAhead tells whether a binding is to fail for now, since the trap is to spring at the answer of one
// before it: bindings are sent at once, and else all would have gone through by then.
func (t *trap) isAhead() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.kind != "bound" || t.left == 0 {
		return false
	}
	t.ahead--
	return t.ahead < 0
}

func (t *trap) see(kind string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.kind != kind || t.left == 0 {
		return
	}
	if t.left--; t.left == 0 {
		t.fire()
		close(t.sprung)
	}
}

// trappedWorld is a gangWorld where every call to the agent, and from it to the API server, may be
// its last.
type trappedWorld struct {
	*gangWorld
	trap
	scheduler *process.Process
	config    []byte
	line      line         // of the agent gang
	rights    *rest.Config // of all agents here
	proxies   int
}

// line is an agent's to the API server. Once it is cut nothing comes through that the agent sent before it
// died and nobody had read yet.
type line struct{ cut atomic.Bool }

// killAgent kills the agent; what it was about to write stays unwritten.
func (w *trappedWorld) killAgent() {
	w.gang.Kill()
	w.line.cut.Store(true)
}

// agentBack starts the agent anew.
func (w *trappedWorld) agentBack() {
	w.Helper()
	w.line.cut.Store(false)
	w.gang.Restart(w)
}

func (m mode) newTrappedWorld(t *testing.T, nodes int, args ...string) *trappedWorld {
	t.Helper()
	w := &trappedWorld{gangWorld: &gangWorld{world: newWorld(t), mode: m}}
	args = append(args, m.args...)
	w.slots("n", nodes, 4)
	w.gang = outrigger.ServeAt(w, 0, "gang", w.Cluster.LogDir(), "gang", append([]string{
		"--kubeconfig", w.throughTrap(&w.line), "--gang.scheduler-lease", "none"}, args...)...)
	w.gang.UntilReady(w)
	w.config = w.world.Config(map[string]string{"gang": w.trapped(w.gang)}, m.config...)
	w.runScheduler()
	return w
}

// trapped returns the URL of a proxy that sees the calls to an agent.
func (w *trappedWorld) trapped(agent *outrigger.Server) string {
	w.Helper()
	return w.before(agent, func(verb string, _ *http.Request) { w.see(verb) })
}

// before returns the URL of a proxy that lets see know of each call to an agent, with its verb.
func (w *world) before(agent *outrigger.Server, see func(verb string, r *http.Request)) string {
	w.Helper()
	target, err := url.Parse(agent.URL)
	w.Must(err)
	pass := httputil.NewSingleHostReverseProxy(target)
	pass.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		see(path.Base(r.URL.Path), r)
		pass.ServeHTTP(rw, r)
	}))
	w.Cleanup(front.Close)
	return front.URL
}

// throughTrap returns the path of a kubeconfig with the agent's rights, by a proxy that sees its calls.
func (w *trappedWorld) throughTrap(l *line) string {
	w.Helper()
	proxy := w.FaultyServer()
	w.seeWrites(proxy, l, "binding", "bound", func(r *http.Request) bool {
		return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding")
	})
	w.seeWrites(proxy, l, "nomination", "nominated", isNomination)
	w.seeWrites(proxy, l, "release", "released", isRelease)
	if w.rights == nil {
		var err error
		w.rights, err = w.Cluster.ConfigWithManifest(w.Ctx, outrigger.Run(w, "agents", "--rbac", "gang"))
		w.Must(err)
	}
	w.proxies++
	return w.KubeconfigThrough(proxy, fmt.Sprintf("gang-%d", w.proxies), w.rights)
}

// seeWrites shows the trap each request that matches before it goes through, as sent, and once its answer
// has gone to who asked, as answered.
func (w *trappedWorld) seeWrites(proxy *faults.Proxy, l *line, sent, answered string, match faults.Match) {
	proxy.Inject(faults.Rule{Match: func(r *http.Request) bool {
		if !match(r) {
			return false
		}
		w.see(sent)
		return l.cut.Load() || sent == "binding" && w.isAhead()
	}, Answer: faults.Broken()}) // which nobody reads, or after which it is tried again
	proxy.Inject(faults.Rule{Match: match, Tamper: func() faults.Tamper {
		told := false // an answer may come in pieces
		return func(stream *faults.Stream, piece []byte) error {
			err := stream.Send(piece)
			if !told {
				told = true
				w.see(answered)
			}
			return err
		}
	}})
}

func (w *trappedWorld) runScheduler() {
	w.Helper()
	var err error
	w.scheduler, err = w.Cluster.StartScheduler("kube-scheduler", w.config)
	w.Must(err)
	w.Cleanup(w.scheduler.Kill)
}

func (w *trappedWorld) await(what string, sprung <-chan struct{}) {
	w.Helper()
	select {
	case <-sprung:
	case <-time.After(scheduling.Patience):
		w.Fatalf("it does not come to this: %s", what)
	}
}

// isRelease matches writes that take a gate off.
func isRelease(r *http.Request) bool {
	return r.Method == http.MethodPatch && path.Base(path.Dir(r.URL.Path)) == "pods"
}
