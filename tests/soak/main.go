// Command soak loads real Outrigger servers, one in clear and one with TLS, with good and hostile
// traffic at once, kills them, rotates certificates, and fails unless all answers were right and
// nothing grew. See README.md.
//
// Exit status: 0 when all was well, 1 when something was not, 2 for wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are what the command line says.
type options struct {
	binary   string
	total    time.Duration
	sabotage string
}

const shortest = 15 * time.Second

func main() {
	if len(os.Args) == 3 && os.Args[1] == echoArgument {
		serveEcho(os.Args[2])
	}
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		cancel()
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	set := flag.NewFlagSet("soak", flag.ContinueOnError)
	set.StringVar(&o.binary, "outrigger", os.Getenv("OUTRIGGER_BIN"), "the outrigger `binary` (environment: OUTRIGGER_BIN)")
	minutes := set.Float64("minutes", 2, "how long")
	seconds := set.Int("seconds", 0, "how long, instead of --minutes; 15 or more")
	set.StringVar(&o.sabotage, "break", "", "show that the run can fail, by one of: "+
		strings.Join(slices.Sorted(maps.Keys(sabotages)), ", "))
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.total = time.Duration(*minutes * float64(time.Minute))
	if *seconds > 0 {
		o.total = time.Duration(*seconds) * time.Second
	}
	switch {
	case set.NArg() != 0:
		return o, fmt.Errorf("unexpected argument %q", set.Arg(0))
	case o.binary == "":
		return o, errors.New("which binary? give --outrigger or set OUTRIGGER_BIN")
	case o.total < shortest:
		return o, fmt.Errorf("%v is too short: %v or more", o.total, shortest)
	case o.sabotage != "" && sabotages[o.sabotage] == "":
		return o, fmt.Errorf("--break %s: unknown", o.sabotage)
	}
	return o, nil
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "outrigger-soak-")
	if err != nil {
		return err
	}
	s, err := newSoak(o, dir)
	if s != nil {
		defer s.stop()
	}
	if err == nil {
		err = s.run(ctx)
	}
	if err != nil {
		return fmt.Errorf("%w (logs: %s)", err, dir)
	}
	s.print(os.Stdout)
	if n := len(s.counts.first); n > 0 {
		return fmt.Errorf("%d kinds of violation; logs: %s", n, filepath.Join(dir, "*.log"))
	}
	return os.RemoveAll(dir)
}
