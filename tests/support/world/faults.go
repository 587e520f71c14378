package world

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/faults"
)

// FaultyServer starts a proxy in front of the API server that can inject faults. It lives as long as the
// test.
func (w *World) FaultyServer() *faults.Proxy {
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

// ConfigThrough returns a configuration with an account's rights that leads through a proxy. Its files
// have that name.
func (w *World) ConfigThrough(proxy *faults.Proxy, name string, rights *rest.Config) *rest.Config {
	w.Helper()
	config := rest.CopyConfig(rights)
	config.Host, config.CAFile = proxy.URL(), filepath.Join(w.Cluster.Dir, name+".crt")
	w.Must(os.WriteFile(config.CAFile, proxy.CA(), 0o600))
	return config
}

// KubeconfigThrough is ConfigThrough as a file, of which it returns the path.
func (w *World) KubeconfigThrough(proxy *faults.Proxy, name string, rights *rest.Config) string {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, w.ConfigThrough(proxy, name, rights))
	w.Must(err)
	return kubeconfig
}
