package cluster

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/process"
)

func (c *Cluster) startEtcd(options Options) (url string, err error) {
	client, err := loopbackURL("http")
	if err != nil {
		return "", err
	}
	peer, err := loopbackURL("http")
	if err != nil {
		return "", err
	}
	args := []string{
		"--data-dir=" + filepath.Join(c.Dir, "etcd"),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=default=" + peer,
		"--log-level=warn",
	}
	if !options.Fsync {
		args = append(args, "--unsafe-no-fsync")
	}
	c.etcd, err = process.Start(process.Spec{
		Name: "etcd", Path: c.Binary("etcd"), Args: args, LogDir: c.LogDir(),
	})
	return client, err
}

func (c *Cluster) startServer(etcdURL string, options Options) error {
	port, err := process.FreePort()
	if err != nil {
		return err
	}
	args := []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--cert-dir=" + c.certDir(),
		"--token-auth-file=" + c.tokenFile(),
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.signingKey(),
		"--service-account-signing-key-file=" + c.signingKey(),
		"--service-cluster-ip-range=10.0.0.0/24",
		// No controllers: nobody makes the default service account or takes taints away.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
	}
	c.server, err = process.Start(process.Spec{
		Name: "kube-apiserver", Path: c.Binary("kube-apiserver"), LogDir: c.LogDir(),
		Args: append(args, options.ServerArgs...),
	})
	c.Config = &rest.Config{
		Host:            fmt.Sprintf("https://127.0.0.1:%d", port),
		BearerToken:     token(Admin),
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.caFile()},
	}
	return err
}

// waitReady asks /readyz until it says yes, or one of the two processes ends.
func (c *Cluster) waitReady(ctx context.Context) error {
	last := "no answer yet"
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		select {
		case <-c.etcd.Done():
			return c.etcd.ExitError()
		case <-c.server.Done():
			return c.server.ExitError()
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver is not ready (%s): %w; end of its log:\n%s",
				last, ctx.Err(), c.server.LogTail(20))
		case <-tick.C:
		}
		// The certificate is written by the server, so the client is made anew every time.
		client, err := rest.HTTPClientFor(c.Config)
		if err != nil {
			last = err.Error()
			continue
		}
		client.Timeout = 5 * time.Second
		response, err := client.Get(c.Config.Host + "/readyz")
		if err != nil {
			last = err.Error()
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			tick.Stop()
			return nil
		}
		last = response.Status
	}
}

func loopbackURL(scheme string) (string, error) {
	port, err := process.FreePort()
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port), err
}
