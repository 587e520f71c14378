package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// faultyServer is the API server behind a proxy that can be told to do wrong.
func (w *world) faultyServer() *faults.Proxy {
	w.Helper()
	ca, err := os.ReadFile(w.Cluster.Config.CAFile)
	w.Must(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	proxy, err := faults.Start(w.Cluster.Config.Host, &tls.Config{RootCAs: pool})
	w.Must(err)
	w.Cleanup(proxy.Close)
	return proxy
}

// kubeconfigThrough returns the path of a kubeconfig with somebody's rights, by way of a proxy.
func (w *world) kubeconfigThrough(proxy *faults.Proxy, name string, rights *rest.Config) string {
	w.Helper()
	config := rest.CopyConfig(rights)
	config.Host, config.CAFile = proxy.URL(), filepath.Join(w.Cluster.Dir, name+".crt")
	w.Must(os.WriteFile(config.CAFile, proxy.CA(), 0o600))
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return kubeconfig
}

// late keeps each event back for so long.
func late(by time.Duration) func() faults.Tamper {
	return func() faults.Tamper {
		return func(stream *faults.Stream, piece []byte) error {
			time.Sleep(by)
			return stream.Send(piece)
		}
	}
}

// A change of a node wakes the pod in the scheduler at once, which asks the agent before the agent has heard
// of the change: refused by what was, the pod would sleep for minutes.
func TestAPodIsCuredThoughItsAgentHearsOfTheCureAfterTheScheduler(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	proxy := w.faultyServer()
	proxy.Inject(faults.Rule{Match: faults.Watch("nodes"), Tamper: late(25 * time.Millisecond)})
	rights, err := w.Cluster.ConfigWithManifest(w.Ctx, outrigger.Run(w, "agents", "--rbac", "safe"))
	w.Must(err)
	node := kube.MakeNode("a")
	for key, value := range overloaded {
		node.Annotation(key, value)
	}
	w.nodes(node)
	safe := outrigger.Serve(t, "safe", w.Cluster.LogDir(), "safe", "--safe.max-risk", "0.3",
		"--kubeconfig", w.kubeconfigThrough(proxy, "late", rights))
	safe.UntilReady(w)
	w.startScheduler(w.config(map[string]string{"safe": safe.URL}))
	for _, name := range []string{"first", "second", "third"} {
		w.annotate("a", overloaded)
		time.Sleep(500 * time.Millisecond) // the agent hears of it, too
		w.pods(kube.MakePod(name))
		w.until(name, "refused", func(pod *corev1.Pod) bool {
			return riskReason.MatchString(kube.Condition(pod, corev1.PodScheduled).Message)
		})
		time.Sleep(time.Second) // the scheduler tries twice at once; then it is quiet
		began := time.Now()
		w.annotate("a", idle)
		w.until(name, "bound", isBound)
		w.within(10*time.Second, "the cure", time.Since(began))
	}
}
