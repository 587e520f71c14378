// Command start runs a scenario under the lab's scheduler: it starts etcd, kube-apiserver and
// `outrigger lab scheduler`, runs the scenario, and ends them all. The output of both goes to standard
// output. The exit code is the scenario's. scripts/start runs it.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/terminal"
)

// grace is how long the scheduler may take to end.
const grace = 10 * time.Second

var progress = terminal.Progress("start")

func main() {
	step := flag.String("step", "7", "the scheduler's `step`")
	seed := flag.Uint64("seed", rand.Uint64N(1e6), "the scheduler's `seed`; without it one at random")
	scenario := flag.String("scenario", "", "the scenario's `program`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *step, fmt.Sprint(*seed), *scenario)
	interrupted := ctx.Err() != nil
	stop()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case interrupted:
		fmt.Fprintln(os.Stderr, "start: interrupted, everything is stopped")
		os.Exit(130)
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		os.Exit(exit.ExitCode())
	default:
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, step, seed, scenario string) (err error) {
	binary := os.Getenv(outrigger.BinaryEnv)
	if binary == "" || scenario == "" {
		return errors.New("run scripts/start")
	}
	defer progress("")
	dir, err := os.MkdirTemp("", "outrigger-start-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress("starting etcd and kube-apiserver")
	c, err := cluster.Start(ctx, dir, cluster.Options{})
	if err != nil {
		return err
	}
	defer c.Stop()
	progress("")
	args := []string{"lab", "scheduler", "--step", step, "--seed", seed, "--verbose"}
	if terminal.Is(os.Stderr) {
		fmt.Fprintf(os.Stderr, "start: outrigger %s\n\n", strings.Join(args, " "))
	}
	return play(ctx, c, scenario, append([]string{binary}, args...))
}

// play runs the scenario with the scheduler at work, and returns what the scenario ended with.
func play(ctx context.Context, c *cluster.Cluster, scenario string, scheduler []string) error {
	rights, err := c.WriteKubeconfig("scheduler", c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return err
	}
	admin, err := c.WriteKubeconfig("scenario", c.Config)
	if err != nil {
		return err
	}
	warnings, passed, err := passWarnings(os.Stderr)
	if err != nil {
		return err
	}
	defer func() { <-passed }()
	schedules, err := process.Start(process.Spec{Name: "scheduler", Path: scheduler[0], LogDir: c.LogDir(),
		Args: append(scheduler[1:], "--kubeconfig", rights), Stdout: os.Stdout, Stderr: warnings})
	warnings.Close()
	if err != nil {
		return err
	}
	plays, err := process.Start(process.Spec{Name: "scenario", Path: scenario, LogDir: c.LogDir(),
		Env: []string{"KUBECONFIG=" + admin}, Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil {
		schedules.Kill()
		return err
	}
	defer plays.Kill()
	select {
	case <-plays.Done():
	case <-ctx.Done():
	case <-schedules.Done():
		return errors.New("the scheduler has ended before the scenario")
	}
	stopped := schedules.Stop(grace)
	if err := plays.Wait(ctx); err != nil {
		return err
	}
	if stopped != nil {
		return fmt.Errorf("the scheduler, on SIGTERM: %v", stopped) // not %w: its exit code is not the scenario's
	}
	return nil
}

// passWarnings returns a file for the scheduler's log. Its lines go on to out, but for those of level info: what they
// say can be seen from what happens. The channel is closed after the last line.
func passWarnings(out io.Writer) (*os.File, <-chan struct{}, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	passed := make(chan struct{})
	go func() {
		defer close(passed)
		defer read.Close()
		for scanner := bufio.NewScanner(read); scanner.Scan(); {
			if line := scanner.Text(); !strings.Contains(line, "Z info ") {
				fmt.Fprintln(out, line)
			}
		}
	}()
	return write, passed, nil
}
