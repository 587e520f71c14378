// Command outrigger-bench measures an Outrigger server, a plain Go extender and a floor that no
// extender can be faster than, side by side, in one run and on one machine, prints tables with the
// ratios, and says which targets are met.
//
// Exit status: 0 when every target is met, 1 when one is missed (not with --quick or --against-self)
// or a server failed or answered wrongly, 2 for wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// options are what the command line says.
type options struct {
	outrigger   string
	goExtender  string
	floor       string
	holdServer  string
	out         string
	page        string
	sections    []string
	seed        uint64
	quick       bool
	only        string
	againstSelf bool
}

// errMissed ends a run whose figures are right but not good enough.
var errMissed = errors.New("a target was missed")

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "outrigger-bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "outrigger-bench:", err)
		stop()
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("outrigger-bench", flag.ContinueOnError)
	set.StringVar(&o.outrigger, "outrigger", os.Getenv("OUTRIGGER_BIN"), "the outrigger `binary` to measure (environment: OUTRIGGER_BIN)")
	set.StringVar(&o.goExtender, "go-extender", beside("goextender"), "the plain Go extender's `binary`")
	set.StringVar(&o.floor, "floor", "", "the floor's `binary`, outrigger_bench_floor")
	set.StringVar(&o.holdServer, "hold-server", "", "the `binary` whose binds wait, outrigger_bench_server; without it no call is measured beside waiting binds")
	set.StringVar(&o.out, "out", "", "`directory` to write bench.json to")
	set.StringVar(&o.page, "page", "", "`file` to write the tables to as a page; of a full run only")
	set.Func("section", "`file` that another benchmark wrote, watch.json or lab.json: its section goes onto the page, its targets count; may be repeated", func(file string) error {
		o.sections = append(o.sections, file)
		return nil
	})
	set.Uint64Var(&o.seed, "seed", 1, "seed of the cluster that is sent")
	set.BoolVar(&o.quick, "quick", false, "a few calls of the small cases only; targets do not decide")
	set.StringVar(&o.only, "only", "", "measure only cases whose name contains `text`, as in \"filter, 1000 nodes, full\"; targets do not decide")
	set.BoolVar(&o.againstSelf, "against-self", false, "measure the Go extender against itself: shows how far noise alone moves a ratio")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	switch {
	case set.NArg() != 0:
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case o.outrigger == "" && !o.againstSelf:
		return o, errors.New("which binary? give --outrigger or set OUTRIGGER_BIN")
	case o.floor == "":
		return o, errors.New("which floor? give --floor")
	case o.page != "" && o.partial():
		return o, errors.New("--page is for full runs: leave out --quick, --only and --against-self")
	}
	return o, nil
}

// partial says whether the run is one whose figures do not decide.
func (o options) partial() bool { return o.quick || o.againstSelf || o.only != "" }

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
	report.Machine.LoadAfter = sheet.Load()
	for _, file := range o.sections {
		if err := report.addSection(file); err != nil {
			return err
		}
	}
	report.Targets = judge(report)
	report.Print(os.Stdout)
	if o.out != "" {
		err = report.Write(filepath.Join(o.out, "bench.json"))
	}
	if err == nil && o.page != "" {
		err = report.WritePage(o.page)
	}
	if err == nil && !o.partial() && missed(report.Targets) {
		return errMissed
	}
	return err
}

// measureRun measures all that o asks for.
func measureRun(ctx context.Context, o options) (*Report, error) {
	report := &Report{Machine: machine(o), Partial: o.partial()}
	cases, held, rejected, idle, starts := fullCases, fullHeld, fullRejected, fullIdle, 9
	if o.quick {
		cases, held, rejected, idle, starts = quickCases, quickHeld, quickRejected, quickIdle, 3
	}
	progress := newProgress(len(cases) + 4)
	defer progress.done()
	var err error
	if report.Rows, err = measureAll(ctx, o, cases, progress); err != nil || o.againstSelf || o.only != "" {
		return report, err
	}
	if o.holdServer != "" {
		progress.next("calls while binds wait")
		if report.Held, err = measureHeld(ctx, o, held); err != nil {
			return nil, fmt.Errorf("calls while binds wait: %w", err)
		}
	}
	progress.next("nodes that are rejected")
	if report.Rejected, err = measureRejected(ctx, o, rejected); err != nil {
		return nil, fmt.Errorf("nodes that are rejected: %w", err)
	}
	progress.next("an idle server")
	if report.Idle, err = measureIdle(ctx, o, idle); err != nil {
		return nil, fmt.Errorf("an idle server: %w", err)
	}
	progress.next("from start to ready")
	if report.Startup, err = measureStartup(ctx, o, starts); err != nil {
		return nil, fmt.Errorf("from start to ready: %w", err)
	}
	return report, nil
}
