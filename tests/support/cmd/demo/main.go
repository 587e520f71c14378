// Command demo shows agents at work under a real control plane: it starts etcd, kube-apiserver,
// kube-scheduler and two agents, creates nodes and pods, and prints what each agent said to
// kube-scheduler about every node. It fails unless every pod ends as the scenario says.
// scripts/demo runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// limit is how long all of it may take; it takes some seconds on a quiet machine.
const limit = 4 * time.Minute

func main() {
	keep := flag.Bool("keep", false, "leave the cluster running until Ctrl-C")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *keep)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
	case interrupted && errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "demo: interrupted, everything is stopped")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, keep bool) (err error) {
	binary := os.Getenv(outrigger.BinaryEnv)
	if binary == "" {
		return fmt.Errorf("%s is not set: run scripts/demo", outrigger.BinaryEnv)
	}
	out := newPrinter(os.Stdout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := startStage(limited, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()

	out.header(s)
	report, err := play(limited, s, out)
	if err != nil {
		return err
	}
	out.closing(s, report)
	if len(report.broken) > 0 {
		return fmt.Errorf("%d of %d promises are broken", len(report.broken), report.promises)
	}
	if keep {
		return waitForCtrlC(ctx, s, out)
	}
	return nil
}
