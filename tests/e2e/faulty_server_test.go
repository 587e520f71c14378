package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/faults"
)

// FaultyServer is the API server behind a proxy that can be told to do wrong.
func (w *world) FaultyServer() *faults.Proxy {
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

// KubeconfigThrough returns the path of a kubeconfig with somebody's rights, by way of a proxy.
func (w *world) KubeconfigThrough(proxy *faults.Proxy, name string, rights *rest.Config) string {
	w.Helper()
	config := rest.CopyConfig(rights)
	config.Host, config.CAFile = proxy.URL(), filepath.Join(w.Cluster.Dir, name+".crt")
	w.Must(os.WriteFile(config.CAFile, proxy.CA(), 0o600))
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, config)
	w.Must(err)
	return kubeconfig
}
