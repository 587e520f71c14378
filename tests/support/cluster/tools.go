package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"outrigger.dev/outrigger/tests/support/process"
)

// StartScheduler starts the real kube-scheduler with a KubeSchedulerConfiguration, which names its
// own kubeconfig. name is that of the log and of the file with the configuration. It does not serve
// metrics or probes unless args say so (--secure-port).
func (c *Cluster) StartScheduler(name string, config []byte, args ...string) (*process.Process, error) {
	path := filepath.Join(c.Dir, name+".yaml")
	if err := os.WriteFile(path, config, 0o644); err != nil {
		return nil, err
	}
	return process.Start(process.Spec{
		Name: name, Path: c.Binary("kube-scheduler"), LogDir: c.LogDir(),
		Args: append([]string{"--config=" + path, "--secure-port=0", "-v=2"}, args...),
	})
}

// Kubectl runs kubectl as Admin and returns what it printed on stdout; an error carries stderr.
func (c *Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	kubeconfig, err := c.WriteKubeconfig("kubectl", c.Config)
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, c.Binary("kubectl"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+c.Dir)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return stdout.String(), fmt.Errorf("kubectl %v: %w: %s", args, err, stderr.String())
	}
	return stdout.String(), nil
}
