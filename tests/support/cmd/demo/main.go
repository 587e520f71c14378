// Command demo shows agents at work under a real control plane: it starts etcd, kube-apiserver,
// kube-scheduler and agents, creates nodes and pods, and prints what becomes of them. It fails unless
// every pod ends as the scenario says. scripts/demo runs it.
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

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// limit is how long all of it may take; it takes some seconds on a quiet machine.
const limit = 4 * time.Minute

func main() {
	// The client's remarks, as when the end of the demo cuts a watch off, are not for who watches the demo; its
	// errors come back as such.
	klog.SetLogger(logr.Discard())
	keep := flag.Bool("keep", false, "leave the cluster running until Ctrl-C")
	flag.Parse()
	show := run
	switch flag.Arg(0) {
	case "":
	case "devices":
		show = runDevices
	case "gang":
		show = runGang
	case "load":
		show = runLoad
	case "penalty":
		show = runPenalty
	case "queue":
		show = runQueue
	default:
		fmt.Fprintf(os.Stderr, "demo: no scenario %q: there are devices, gang, load, penalty, queue and, without a name, that of safe and congestion\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := show(ctx, *keep)
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
	var nodes []*corev1.Node
	for _, spec := range nodeSpecs {
		nodes = append(nodes, spec.build())
	}
	s, err := startStage(limited, binary, nodes, startRecorded)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()

	out.header(s)
	report, err := play(limited, s, out)
	if err != nil {
		return err
	}
	out.calls(s)
	if err := out.verdict(report); err != nil {
		return err
	}
	if keep {
		return waitForCtrlC(ctx, s, out)
	}
	return nil
}
