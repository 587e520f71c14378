// Command learn is for readers of docs/learn:
//
//	learn check STEP    judges the solution of a step's exercise, at a cluster that it starts and stops
//	learn cluster DIR   runs a cluster without nodes and scheduler until Ctrl-C; DIR/env is for a shell to source
//
// scripts/learn-check and scripts/learn-cluster run it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/learn"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/terminal"
)

// errFailed: the solution does not do what the exercise asks; that is printed already.
var errFailed = errors.New("not solved yet")

func main() {
	klog.SetLogger(logr.Discard()) // the client's remarks
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
	case interrupted:
		fmt.Fprintln(os.Stderr, "learn: interrupted, everything is stopped")
		os.Exit(130)
	case errors.Is(err, errFailed):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == "check" {
		return check(ctx, args[1])
	}
	if len(args) == 2 && args[0] == "cluster" {
		return holdCluster(ctx, args[1])
	}
	return errors.New("run scripts/learn-check or scripts/learn-cluster")
}

func check(ctx context.Context, step string) error {
	exercise, err := learn.ExerciseOf(step)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	fmt.Printf("step %d: %s\n", exercise.Step, exercise.Task)
	var findings []learn.Finding
	err = withCluster(ctx, func(c *cluster.Cluster) (err error) {
		findings, err = exercise.Judge(ctx, c, os.Getenv(outrigger.BinaryEnv))
		return err
	})
	if err != nil {
		return err
	}
	for _, finding := range findings {
		if finding.OK {
			fmt.Println("  ok    " + finding.Text)
			continue
		}
		fmt.Println("  FAIL  " + finding.Text)
		fmt.Println("  hint  " + finding.Hint)
	}
	if !learn.Passed(findings) {
		fmt.Println("not solved yet")
		return errFailed
	}
	fmt.Println("solved")
	return nil
}

func withCluster(ctx context.Context, use func(c *cluster.Cluster) error) (err error) {
	dir, err := os.MkdirTemp("", "outrigger-learn-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress := terminal.Progress("learn")
	progress("starting etcd and kube-apiserver")
	c, err := cluster.Start(ctx, dir, cluster.Options{})
	progress("")
	if err != nil {
		return err
	}
	defer c.Stop()
	return use(c)
}

// holdCluster runs a cluster until the context ends.
func holdCluster(ctx context.Context, dir string) error {
	env := filepath.Join(dir, "env")
	return withCluster(ctx, func(c *cluster.Cluster) error {
		admin, err := c.WriteKubeconfig("admin", c.Config)
		if err != nil {
			return err
		}
		text := fmt.Sprintf("export KUBECONFIG='%s'\nexport PATH=\"$PATH:%s\"\n", admin, filepath.Dir(c.Binary("kubectl")))
		if err := os.WriteFile(env, []byte(text), 0o644); err != nil {
			return err
		}
		defer os.Remove(env)
		fmt.Println("A cluster without nodes and without a scheduler runs until Ctrl-C. In other terminals:")
		fmt.Printf("  . %s\n  kubectl get namespaces\n", env)
		<-ctx.Done()
		return nil
	})
}
