package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/process"
)

// addresses are where a cluster listens, the same after every restart.
type addresses struct {
	etcd, peer string // URLs
	port       int    // of kube-apiserver
}

func freeAddresses() (a addresses, err error) {
	if a.etcd, err = loopbackURL("http"); err == nil {
		a.peer, err = loopbackURL("http")
	}
	if err == nil {
		a.port, err = process.FreePort()
	}
	return a, err
}

func loopbackURL(scheme string) (string, error) {
	port, err := process.FreePort()
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port), err
}

func (c *Cluster) adminConfig() *rest.Config {
	return &rest.Config{
		Host:            fmt.Sprintf("https://%s:%d", c.options.Address, c.addresses.port),
		BearerToken:     token(Admin),
		TLSClientConfig: rest.TLSClientConfig{CAFile: c.caFile()},
	}
}

// StartEtcd starts etcd, where it was before and with the data that it had.
func (c *Cluster) StartEtcd() error {
	args := []string{
		"--data-dir=" + c.dataDir(),
		"--listen-client-urls=" + c.addresses.etcd, "--advertise-client-urls=" + c.addresses.etcd,
		"--listen-peer-urls=" + c.addresses.peer, "--initial-advertise-peer-urls=" + c.addresses.peer,
		"--initial-cluster=default=" + c.addresses.peer,
		"--log-level=warn",
	}
	if !c.options.Fsync {
		args = append(args, "--unsafe-no-fsync")
	}
	c.etcdPorts.release()
	var err error
	c.etcd, err = process.Start(process.Spec{
		Name: "etcd", Path: c.Binary("etcd"), Args: args, LogDir: c.LogDir(),
	})
	return err
}

// StartServer starts kube-apiserver, where it was before, and waits until it is ready.
func (c *Cluster) StartServer(ctx context.Context) error {
	if c.etcd == nil {
		return errors.New("start kube-apiserver: etcd is not running")
	}
	args := []string{
		"--etcd-servers=" + c.addresses.etcd,
		"--bind-address=" + c.options.Address,
		fmt.Sprintf("--secure-port=%d", c.addresses.port),
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
	c.serverPorts.release()
	var err error
	c.server, err = process.Start(process.Spec{
		Name: "kube-apiserver", Path: c.Binary("kube-apiserver"), LogDir: c.LogDir(),
		Args: append(args, c.options.ServerArgs...),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, process.Patience)
	defer cancel()
	return c.waitReady(ctx)
}

// waitReady asks /readyz until it says yes, or one of the two processes ends.
func (c *Cluster) waitReady(ctx context.Context) error {
	last := "no answer yet"
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
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
		if last = c.askReady(); last == "" {
			return nil
		}
	}
}

// askReady says why kube-apiserver is not ready; "" when it is.
func (c *Cluster) askReady() string {
	// The certificate is written by the server, so the client is made anew every time.
	client, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		return err.Error()
	}
	client.Timeout = time.Minute
	response, err := client.Get(c.Config.Host + "/readyz")
	if err != nil {
		return err.Error()
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.Status
	}
	return ""
}

func (c *Cluster) dataDir() string { return filepath.Join(c.Dir, "etcd") }
