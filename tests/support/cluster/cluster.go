// Package cluster runs a real control plane for tests: etcd and kube-apiserver, and on demand
// kube-scheduler and kubectl. There is no kubelet and no controller manager; package standin plays
// those parts of them that a test needs.
//
// The binaries are taken from the folder that the environment names as OUTRIGGER_CONTROL_PLANE
// (scripts/control-plane makes it).
package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// BinariesEnv names the environment variable with the folder of the binaries.
const BinariesEnv = "OUTRIGGER_CONTROL_PLANE"

// Users that every cluster knows by token. What a user may do is RBAC's business.
const (
	// Admin is in system:masters.
	Admin = "admin"
	// SchedulerUser has the rights of a kube-scheduler, no more.
	SchedulerUser = "system:kube-scheduler"
	// Nobody has the rights of everybody who is authenticated; bind roles to it.
	Nobody = "nobody"
)

// Options change how a cluster is started; the zero value is fine.
type Options struct {
	// Binaries is the folder of the binaries; empty means what the environment says.
	Binaries string
	// Fsync makes etcd wait for the disk; off, since only crash safety needs it.
	Fsync bool
	// Address is where kube-apiserver listens; empty means 127.0.0.1.
	Address string
	// ServerArgs are added to kube-apiserver's arguments.
	ServerArgs []string
}

// Cluster is a running etcd and kube-apiserver.
type Cluster struct {
	// Dir holds everything: data, certificates, kubeconfigs, logs (in Dir/logs).
	Dir string
	// Config and Client are Admin's.
	Config *rest.Config
	Client kubernetes.Interface
	// ReadyAfter is the time from the start of etcd to the first readiness of kube-apiserver.
	ReadyAfter time.Duration

	binaries     string
	options      Options
	addresses    addresses
	etcd, server *process.Process
	isLab        bool // the server is the lab's

	etcdPorts, serverPorts heldPorts // while they are away
}

// Start starts a cluster in dir, an existing and empty folder, and waits until it is ready. The
// caller stops it.
func Start(ctx context.Context, dir string, options Options) (*Cluster, error) {
	if IsLab() {
		return StartLab(ctx, dir, os.Getenv("OUTRIGGER_BIN"), options)
	}
	if options.Binaries == "" {
		options.Binaries = os.Getenv(BinariesEnv)
	}
	if options.Binaries == "" {
		return nil, fmt.Errorf("%s is not set: run scripts/e2e, or set it to what scripts/control-plane prints", BinariesEnv)
	}
	if options.Address == "" {
		options.Address = "127.0.0.1"
	}
	c := &Cluster{Dir: dir, binaries: options.Binaries, options: options}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	var err error
	for attempt := 0; attempt < 3; attempt++ { // a free port may be taken before it is used
		if err = c.startOnce(ctx); err == nil || ctx.Err() != nil {
			break
		}
		c.Stop()
	}
	if err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// Stop kills what the cluster runs; the folder stays.
func (c *Cluster) Stop() {
	if c.isLab && c.server != nil {
		_ = c.server.Stop(process.Patience) // it removes its folder, and ends what it has started
		c.server = nil
		return
	}
	c.KillServer()
	c.KillEtcd()
}

// LogDir is where the logs of everything in this cluster are.
func (c *Cluster) LogDir() string { return filepath.Join(c.Dir, "logs") }

// EtcdURL is where etcd is, for who writes past kube-apiserver.
func (c *Cluster) EtcdURL() string { return c.addresses.etcd }

// Binary returns the path of one of the control plane's binaries.
func (c *Cluster) Binary(name string) string { return filepath.Join(c.binaries, name) }

func (c *Cluster) startOnce(ctx context.Context) error {
	began := time.Now()
	if err := os.RemoveAll(c.dataDir()); err != nil {
		return err
	}
	var err error
	if c.addresses, err = freeAddresses(); err != nil {
		return err
	}
	c.Config = c.adminConfig()
	if err := c.StartEtcd(); err != nil {
		return err
	}
	if err := c.StartServer(ctx); err != nil {
		return err
	}
	c.ReadyAfter = time.Since(began)
	c.Client, err = kube.NewClient(c.Config)
	return err
}
