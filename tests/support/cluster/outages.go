package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"outrigger.dev/outrigger/tests/support/process"
)

// ServerPid is the process id of the running kube-apiserver.
func (c *Cluster) ServerPid() int { return c.server.Pid() }

// Pids are the process ids of all that the cluster runs.
func (c *Cluster) Pids() (pids []int) {
	for _, one := range []*process.Process{c.etcd, c.server} {
		if one != nil {
			pids = append(pids, one.Pid())
		}
	}
	return pids
}

// KillServer ends kube-apiserver as a crash would; StartServer brings it back.
func (c *Cluster) KillServer() {
	if c.server != nil {
		c.server.Kill()
		c.serverPorts = hold(fmt.Sprintf("https://127.0.0.1:%d", c.addresses.port))
	}
	c.server = nil
}

// KillEtcd ends etcd as a crash would; StartEtcd brings it back.
func (c *Cluster) KillEtcd() {
	if c.etcd != nil {
		c.etcd.Kill()
		c.etcdPorts = hold(c.addresses.etcd, c.addresses.peer)
	}
	c.etcd = nil
}

// heldPorts are those of a program that is away and comes back where it was.
type heldPorts []*process.HeldPort

// hold keeps others from the ports of URLs, as far as it can.
func hold(addresses ...string) (held heldPorts) {
	for _, address := range addresses {
		parsed, err := url.Parse(address)
		if err != nil {
			continue
		}
		port, err := strconv.Atoi(parsed.Port())
		if err != nil || port == 0 {
			continue
		}
		if one, err := process.HoldPort(port); err == nil {
			held = append(held, one)
		}
	}
	return held
}

func (h heldPorts) release() {
	for _, port := range h {
		port.Release()
	}
}

// Restart kills both programs and starts them again with the data that they had.
func (c *Cluster) Restart(ctx context.Context) error {
	c.Stop()
	if err := c.StartEtcd(); err != nil {
		return err
	}
	return c.StartServer(ctx)
}

// RestartServer kills kube-apiserver and starts it again with other ServerArgs.
func (c *Cluster) RestartServer(ctx context.Context, args []string) error {
	c.KillServer()
	c.options.ServerArgs = args
	return c.StartServer(ctx)
}

// SaveData keeps a copy of etcd's data under a name. The cluster must be stopped.
func (c *Cluster) SaveData(name string) error {
	if c.etcd != nil {
		return errors.New("save etcd's data: etcd is running")
	}
	return replaceFolder(c.savedDir(name), c.dataDir())
}

// RestoreData puts the copy of that name in the place of etcd's data, as one does after a disaster:
// resource versions go back. The cluster must be stopped.
func (c *Cluster) RestoreData(name string) error {
	if c.etcd != nil {
		return errors.New("restore etcd's data: etcd is running")
	}
	return replaceFolder(c.dataDir(), c.savedDir(name))
}

func (c *Cluster) savedDir(name string) string { return filepath.Join(c.Dir, "etcd-saved-"+name) }

func replaceFolder(to, from string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(from))
}
