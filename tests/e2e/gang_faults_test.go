package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

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
}

// set arms the trap: fire is called before the n-th call of that kind goes through.
func (t *trap) set(kind string, n int, fire func()) <-chan struct{} {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.kind, t.left, t.fire, t.sprung = kind, n, fire, make(chan struct{})
	return t.sprung
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
	rights    *rest.Config // of all agents here
	proxies   int
}

func newTrappedWorld(t *testing.T, nodes int) *trappedWorld {
	t.Helper()
	w := &trappedWorld{gangWorld: &gangWorld{world: newWorld(t)}}
	w.slots("n", nodes, 4)
	w.gang = outrigger.ServeAt(w, 0, "gang", w.cluster.LogDir(), "gang",
		"--kubeconfig", w.throughTrap(), "--gang.scheduler-lease", "none")
	w.gang.UntilReady(w)
	w.config = w.world.config(map[string]string{"gang": w.trapped(w.gang)})
	w.runScheduler()
	return w
}

// trapped returns the URL of a proxy that sees the calls to an agent.
func (w *trappedWorld) trapped(agent *outrigger.Server) string {
	w.Helper()
	target, err := url.Parse(agent.URL)
	w.must(err)
	pass := httputil.NewSingleHostReverseProxy(target)
	pass.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.see(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		pass.ServeHTTP(rw, r)
	}))
	w.Cleanup(front.Close)
	return front.URL
}

// throughTrap returns the path of a kubeconfig with the agent's rights, by a proxy that sees its calls.
func (w *trappedWorld) throughTrap() string {
	w.Helper()
	ca, err := os.ReadFile(w.cluster.Config.CAFile)
	w.must(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	proxy, err := faults.Start(w.cluster.Config.Host, &tls.Config{RootCAs: pool})
	w.must(err)
	w.Cleanup(proxy.Close)
	proxy.Inject(faults.Rule{Match: func(r *http.Request) bool {
		switch {
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding"):
			w.see("binding")
		case r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status"):
			w.see("nomination")
		}
		return false
	}})
	if w.rights == nil {
		w.rights, err = w.cluster.ConfigWithManifest(w.ctx, outrigger.Run(w, "agents", "--rbac", "gang"))
		w.must(err)
	}
	w.proxies++
	name := fmt.Sprintf("gang-%d", w.proxies)
	config := rest.CopyConfig(w.rights)
	config.Host, config.CAFile = proxy.URL(), filepath.Join(w.cluster.Dir, name+".crt")
	w.must(os.WriteFile(config.CAFile, proxy.CA(), 0o600))
	path, err := w.cluster.WriteKubeconfig(name, config)
	w.must(err)
	return path
}

func (w *trappedWorld) runScheduler() {
	w.Helper()
	var err error
	w.scheduler, err = w.cluster.StartScheduler("kube-scheduler", w.config)
	w.must(err)
	w.Cleanup(w.scheduler.Kill)
}

func (w *trappedWorld) await(what string, sprung <-chan struct{}) {
	w.Helper()
	select {
	case <-sprung:
	case <-time.After(patience):
		w.Fatalf("it does not come to this: %s", what)
	}
}

// W8: whoever dies at whatever step of a gang's life: once it is back the gang is whole, nobody was
// bound twice and no pod is lost.
func TestAGangIsWholeWhoeverDiesAtWhateverStep(t *testing.T) {
	t.Parallel()
	const size = 8
	w := newTrappedWorld(t, size/4)
	killAgent := func() { w.gang.Kill() }
	agentBack := func() { w.gang.Restart(w) }
	rows := []struct {
		name string
		kind string // of the call that is the last
		at   int
		kill func()
		back func()
	}{
		{"agent-at-first-filter", "filter", 1, killAgent, agentBack},
		{"agent-half-waiting", "bind", size / 2, killAgent, agentBack},
		{"agent-at-last-waiter", "bind", size, killAgent, agentBack},
		{"agent-first-binding-sent", "binding", 1, killAgent, agentBack},
		{"agent-first-binding-answered", "binding", 2, killAgent, agentBack},
		{"agent-half-bound", "binding", size/2 + 1, killAgent, agentBack},
		{"agent-last-binding-sent", "binding", size, killAgent, agentBack},
		{"scheduler-half-waiting", "bind", size / 2, func() { w.scheduler.Kill() }, w.runScheduler},
		{"scheduler-half-bound", "binding", size/2 + 1, func() { w.scheduler.Kill() }, w.runScheduler},
		{"server-half-waiting", "bind", size / 2, w.cluster.KillServer,
			func() { w.must(w.cluster.StartServer(w.ctx)) }},
		{"server-half-bound", "binding", size/2 + 1, w.cluster.KillServer,
			func() { w.must(w.cluster.StartServer(w.ctx)) }},
	}
	for _, row := range rows {
		sprung := w.set(row.kind, row.at, row.kill)
		began := time.Now()
		w.inParallel(4, gangOf(row.name, size))
		w.await(row.name, sprung)
		row.back()
		t.Logf("%s: whole %.2f s after it began", row.name, w.untilBoundOf(row.name+"-", size, began).Seconds())
		w.deletePods(row.name + "-")
		w.untilGone(row.name + "-")
	}
	w.nobodyBoundAgain()
}

// W8: the agent dies once it has planned, and once it has nominated.
func TestAGangIsWholeIfTheAgentDiesBeforeTheSchedulerHasAsked(t *testing.T) {
	t.Parallel()
	const size = 8
	w := newTrappedWorld(t, size/4)

	w.scheduler.Kill()
	w.inParallel(4, gangOf("planned", size))
	// It has seen them all, and each is a reason to plan.
	w.gang.UntilMetricAbove(t, size-1, nodeEvents, `resource="pods"`)
	w.gang.Kill()
	w.gang.Restart(t)
	w.runScheduler()
	began := time.Now()
	t.Logf("planned: whole %.2f s after the scheduler is back", w.untilBoundOf("planned-", size, began).Seconds())

	w.deletePods("planned-")
	w.untilGone("planned-")

	// Members that sleep, since the last one does not exist yet, which wakes nobody when it comes.
	pods := gangOf("nominated", size)
	w.inParallel(4, pods[:size-1])
	for i := range size - 1 {
		w.waitingMessage(fmt.Sprintf("nominated-%03d", i), "gang default/nominated waits: members")
	}
	time.Sleep(3 * time.Second)
	sprung := w.set("nomination", 2, func() { w.gang.Kill() })
	w.pods(pods[size-1])
	w.await("a second nomination", sprung)
	w.gang.Restart(t)
	began = time.Now()
	t.Logf("nominated: whole %.2f s after the agent is back", w.untilBoundOf("nominated-", size, began).Seconds())
	w.nobodyBoundAgain()
}
