// Command start runs a scenario under the lab's scheduler: it starts an API server and
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
	"sync"
	"syscall"
	"time"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/learn"
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
	progress("starting the API server")
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
	admin, err := c.WriteKubeconfig("scenario", c.Config)
	if err != nil {
		return err
	}
	schedules, passed, err := startScheduler(c, scheduler)
	if err != nil {
		return err
	}
	defer func() {
		schedules.Kill()
		<-passed.all
	}()
	select {
	case <-passed.ready:
	case <-ctx.Done():
		return ctx.Err()
	case <-schedules.Done():
		return errors.New("the scheduler has ended before the scenario")
	}
	plays, err := process.Start(process.Spec{Name: "scenario", Path: scenario, LogDir: c.LogDir(),
		Env: []string{"KUBECONFIG=" + admin}, Stdout: os.Stdout, Stderr: os.Stderr})
	if err != nil {
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

// startScheduler starts the scheduler; the command lacks the kubeconfig.
func startScheduler(c *cluster.Cluster, command []string) (*process.Process, passed, error) {
	rights, err := c.WriteKubeconfig("scheduler", c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, passed{}, err
	}
	warnings, passed, err := passWarnings(os.Stderr)
	if err != nil {
		return nil, passed, err
	}
	defer warnings.Close()
	schedules, err := process.Start(process.Spec{Name: "scheduler", Path: command[0], LogDir: c.LogDir(),
		Args: append(command[1:], "--kubeconfig", rights), Stdout: os.Stdout, Stderr: warnings})
	return schedules, passed, err
}

// passed is how far the scheduler's log has been read.
type passed struct {
	ready chan struct{} // closed when the scheduler is ready
	all   chan struct{} // closed after the last line
}

// passWarnings returns a file for the scheduler's log. Its lines go on to out, but for those of level info: what they
// say can be seen from what happens.
func passWarnings(out io.Writer) (*os.File, passed, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, passed{}, err
	}
	far := passed{make(chan struct{}), make(chan struct{})}
	go func() {
		defer close(far.all)
		defer read.Close()
		isReady := sync.OnceFunc(func() { close(far.ready) })
		for lines := bufio.NewReader(read); ; {
			line, err := lines.ReadString('\n') // of any length
			if !strings.Contains(line, "Z info ") {
				fmt.Fprint(out, line)
			} else if strings.Contains(line, learn.ReadyLine) {
				isReady()
			}
			if err != nil {
				return
			}
		}
	}()
	return write, far, nil
}
