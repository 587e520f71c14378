// Command outrigger-watch-bench fills a real API server with nodes and pods, has client-go's informers
// and then an outrigger follow it, and says which targets are met.
//
// Exit status: 0 when every target is met or the run is partial, 1 when one is missed or something
// failed, 2 for wrong usage.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/bench/watch/crowd"
	"outrigger.dev/outrigger/tests/support/cluster"
)

// options are what the command line says.
type options struct {
	outrigger string
	informers string
	changer   string
	floor     string
	out       string
	size      crowd.Size
	seconds   int
	seed      uint64
	goOnly    bool
	oursOnly  bool
}

func (o options) duration() time.Duration { return time.Duration(o.seconds) * time.Second }

// full is the size at which targets decide.
var full = options{size: crowd.Size{Nodes: 5000, Pods: 50_000}, seconds: 20}

// partial says whether the run is one whose figures do not decide.
func (o options) partial() bool {
	return o.goOnly || o.oursOnly || o.size != full.size || o.seconds < full.seconds
}

// errMissed ends a run whose figures are right but not good enough.
var errMissed = errors.New("a target was missed")

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "outrigger-watch-bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "outrigger-watch-bench:", err)
		stop()
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("outrigger-watch-bench", flag.ContinueOnError)
	set.StringVar(&o.outrigger, "follower", os.Getenv("OUTRIGGER_KUBE_FOLLOW"), "the outrigger_kube_follow `binary` to measure (environment: OUTRIGGER_KUBE_FOLLOW)")
	set.StringVar(&o.informers, "informers", beside("informers"), "the `binary` with client-go's informers")
	set.StringVar(&o.changer, "changer", beside("changer"), "the `binary` that changes pods")
	set.StringVar(&o.floor, "floor", os.Getenv("OUTRIGGER_BENCH_FLOOR"), "the `binary` of the floor, outrigger_bench_floor (environment: OUTRIGGER_BENCH_FLOOR)")
	set.StringVar(&o.out, "out", "", "`directory` to write watch.json to")
	set.IntVar(&o.size.Nodes, "nodes", full.size.Nodes, "how many nodes; fewer than the default: targets do not decide")
	set.IntVar(&o.size.Pods, "pods", full.size.Pods, "how many pods; fewer than the default: targets do not decide")
	set.BoolVar(&o.size.Lean, "lean", false, "pods without managedFields; targets do not decide")
	set.IntVar(&o.seconds, "seconds", full.seconds, "how long each phase is; shorter than the default: targets do not decide")
	set.Uint64Var(&o.seed, "seed", 1, "seed of the nodes")
	set.BoolVar(&o.goOnly, "go-only", false, "measure client-go alone; targets do not decide")
	set.BoolVar(&o.oursOnly, "ours-only", false, "measure ours alone; targets do not decide")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	switch {
	case o.goOnly && o.oursOnly:
		return o, errors.New("--go-only and --ours-only exclude each other")
	case set.NArg() != 0:
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case o.outrigger == "" && !o.goOnly:
		return o, errors.New("which binary? give --follower or set OUTRIGGER_KUBE_FOLLOW, or --go-only")
	case o.floor == "" && !o.goOnly:
		return o, errors.New("which floor? give --floor or set OUTRIGGER_BENCH_FLOOR, or --go-only")
	case o.size.Nodes < 1 || o.size.Pods < 1 || o.seconds < 1:
		return o, errors.New("--nodes, --pods and --seconds must be at least 1")
	}
	return o, nil
}

// beside is the path of the program name in this program's own directory.
func beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}

func run(ctx context.Context, o options) error {
	report, err := measureRun(ctx, o)
	if err != nil {
		return err
	}
	report.Section = report.section()
	report.Print(os.Stdout)
	if o.out != "" {
		err = report.Write(filepath.Join(o.out, "watch.json"))
	}
	if err == nil && !o.partial() && sheet.Missed(report.Section.Targets) {
		return errMissed
	}
	return err
}

// measureRun fills a cluster of its own and measures the followers on it, one after the other. The
// folder stays if something fails.
func measureRun(ctx context.Context, o options) (*Report, error) {
	dir, err := os.MkdirTemp("", "outrigger-watch-bench-")
	if err != nil {
		return nil, err
	}
	report := &Report{Nodes: o.size.Nodes, Pods: o.size.Pods, Seconds: o.seconds, Load: sheet.Load(), Partial: o.partial()}
	if err := measureIn(ctx, o, dir, report); err != nil {
		return nil, fmt.Errorf("%w (logs are kept in %s)", err, dir)
	}
	return report, os.RemoveAll(dir)
}

func measureIn(ctx context.Context, o options, dir string, report *Report) error {
	c, err := cluster.Start(ctx, dir, cluster.Options{})
	if err != nil {
		return err
	}
	defer c.Stop()
	progress := newProgress(o.size.Nodes + o.size.Pods)
	filled, err := crowd.Fill(ctx, c.Config, c.EtcdURL(), o.seed, o.size, progress.step)
	progress.done()
	if err != nil {
		return err
	}
	report.FillS = filled.Took.Seconds()
	if err := report.weigh(ctx, c); err != nil {
		return err
	}
	kubeconfig, err := c.WriteKubeconfig("follower", c.Config)
	if err != nil {
		return err
	}
	changer, err := startChanger(o.changer, c.EtcdURL(), c.LogDir())
	if err != nil {
		return err
	}
	defer changer.stop()
	// Each finds a server that has nothing else to do: no garbage of the fill, no last follower.
	settle := func(next string) error {
		progress.say(next)
		return replay.Settle(c.ServerPid(), 20*time.Second)
	}
	if !o.oursOnly {
		if err := settle("client-go's informers"); err != nil {
			return err
		}
		report.Go, err = measure(ctx, &informers{binary: o.informers}, o, kubeconfig, c.LogDir(), changer)
	}
	if err == nil && !o.goOnly {
		if err := settle("ours"); err != nil {
			return err
		}
		report.Ours, err = measure(ctx, &ours{binary: o.outrigger, cluster: filled.Cluster}, o, kubeconfig, c.LogDir(), changer)
	}
	return err
}

// weigh notes how large the objects are, as the server has them.
func (r *Report) weigh(ctx context.Context, c *cluster.Cluster) error {
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	pods, err := c.Client.CoreV1().Pods(crowd.Namespace).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	node, nodeError := json.Marshal(nodes.Items[0])
	pod, podError := json.Marshal(pods.Items[0])
	r.NodeBytes, r.PodBytes = len(node), len(pod)
	return errors.Join(nodeError, podError)
}
