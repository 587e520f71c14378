package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// LabEnv names the environment variable that, if it is not empty, makes `outrigger lab apiserver` the control plane
// of tests, in place of etcd and kube-apiserver. It has no rights and no outages: only tests that need neither run on
// it.
const LabEnv = "OUTRIGGER_LAB_APISERVER"

// IsLab says whether tests run on the lab's API server.
func IsLab() bool { return os.Getenv(LabEnv) != "" }

// StartLab starts `outrigger lab apiserver` of this program in dir. The caller stops it.
func StartLab(ctx context.Context, dir, program string, options Options, args ...string) (*Cluster, error) {
	if options.Binaries == "" {
		options.Binaries = os.Getenv(BinariesEnv)
	}
	c := &Cluster{Dir: dir, binaries: options.Binaries, options: options, isLab: true}
	if err := os.MkdirAll(c.LogDir(), 0o755); err != nil {
		return nil, err
	}
	began := time.Now()
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	c.Config = &rest.Config{Host: fmt.Sprintf("http://127.0.0.1:%d", port), QPS: -1}
	c.server, err = process.Start(process.Spec{
		Name: "lab-apiserver", Path: program, LogDir: c.LogDir(),
		Args: append([]string{"lab", "apiserver", fmt.Sprintf("--port=%d", port)}, args...),
	})
	if err != nil {
		return nil, err
	}
	if c.Client, err = kube.NewClient(c.Config); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, process.Patience)
	defer cancel()
	for {
		if c.askReady() == "" {
			c.ReadyAfter = time.Since(began)
			return c, nil
		}
		select {
		case <-c.server.Done():
			return nil, c.server.ExitError()
		case <-ctx.Done():
			return nil, errors.New("the lab's API server is not ready")
		case <-time.After(5 * time.Millisecond):
		}
	}
}
