// Command outrigger-bench measures an Outrigger server and a plain Go extender side by side, in one
// run and on one machine, prints a table and the ratios, and says which targets are met.
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
)

// options are what the command line says.
type options struct {
	outrigger   string
	goExtender  string
	out         string
	seed        uint64
	quick       bool
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
	set.StringVar(&o.out, "out", "", "`directory` to write bench.json to")
	set.Uint64Var(&o.seed, "seed", 1, "seed of the cluster that is sent")
	set.BoolVar(&o.quick, "quick", false, "a few calls of the small cases only; targets do not decide")
	set.BoolVar(&o.againstSelf, "against-self", false, "measure the Go extender against itself: shows how far noise alone moves a ratio")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if set.NArg() != 0 {
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	}
	if o.outrigger == "" && !o.againstSelf {
		return o, errors.New("which binary? give --outrigger or set OUTRIGGER_BIN")
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
	report := Report{Machine: machine(o), Quick: o.quick}
	cases := fullCases
	if o.quick {
		cases = quickCases
	}
	var err error
	if report.Rows, err = measureAll(ctx, o, cases); err != nil {
		return err
	}
	report.Targets = judge(report.Rows)
	report.Print(os.Stdout)
	if o.out != "" {
		if err := report.Write(filepath.Join(o.out, "bench.json")); err != nil {
			return err
		}
	}
	if !o.quick && !o.againstSelf && missed(report.Targets) {
		return errMissed
	}
	return nil
}
