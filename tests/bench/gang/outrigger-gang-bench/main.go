// Command outrigger-gang-bench measures the agent gang beside a real kube-scheduler: many gangs at once
// against the same pods without groups on the stock scheduler, in turns, and gangs that wait. With --queue it measures single pods that gang and qos hold.
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
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// options are what the command line says.
type options struct {
	outrigger string
	out       string
	rounds    int
	rows      chosen
	crowds    []crowd
	next      next
	beside    beside
	queue     queue
	// heldOnly measures the queue and nothing else.
	heldOnly bool
	held     held
	// labOnly measures the lab's scheduler and nothing else.
	labOnly bool
	lab     lab
	stream  stream
}

// crowd is many gangs that just fill a cluster.
type crowd struct{ nodes, gangs, size, clients int }

func (c crowd) pods() int { return c.gangs * c.size }

// queue is more gangs than there is room for, one gang a node.
type queue struct {
	room, gangs int
	watch       time.Duration // after they have settled
}

// full is the size at which targets decide.
var full = options{
	rows: rowNames,
	crowds: []crowd{
		{nodes: 500, gangs: 40, size: 50, clients: 20},
		{nodes: 5000, gangs: 40, size: 50, clients: 20},
	},
	next:   next{modes: gangModes, nodes: 500, size: 50, waiting: 20, ends: 5, pause: 2 * time.Second},
	beside: beside{modes: []*mode{membersOnlyGated, membersOnly}, nodes: 500, size: 4000, singles: 100, each: 50 * time.Millisecond},
	queue:  queue{room: 40, gangs: 60, watch: 120 * time.Second},
	held: held{
		crowd:   crowd{nodes: 500, gangs: 40, size: 50, clients: 20},
		freeing: freeing{nodes: 25, waiting: 60},
	},
	lab: lab{nodes: 500, pods: 2000, clients: 20},
	stream: stream{nodes: 25, gangs: 10, size: 20, waiting: 20, lasts: time.Second, giveUp: time.Minute,
		reserveAfter: time.Second},
}

// small is a size at which all rows take seconds, and nothing is judged.
var small = options{
	rounds: 1,
	rows:   rowNames,
	crowds: []crowd{{nodes: 20, gangs: 4, size: 20, clients: 20}},
	next:   next{modes: []*mode{alone, membersOnlyGated}, nodes: 20, size: 20, waiting: 3, ends: 1},
	beside: beside{modes: []*mode{membersOnly}, nodes: 20, size: 100, singles: 4},
	queue:  queue{room: 4, gangs: 6, watch: 3 * time.Second},
	stream: stream{nodes: 5, gangs: 2, size: 8, waiting: 4, lasts: time.Second, giveUp: time.Minute,
		reserveAfter: time.Second},
	held: held{
		crowd:   crowd{nodes: 10, gangs: 4, size: 10, clients: 20},
		freeing: freeing{nodes: 25, waiting: 8},
		short:   true,
	},
	lab: lab{nodes: 40, pods: 100, clients: 20},
}

// partial says whether less is measured than what targets are for; which rows does not count.
func (o options) partial() bool {
	whole := full
	whole.outrigger, whole.out, whole.rows, whole.rounds = o.outrigger, o.out, o.rows, o.rounds
	whole.heldOnly, whole.labOnly = o.heldOnly, o.labOnly
	return o.rounds < o.fullRounds() || !reflect.DeepEqual(o, whole)
}

// fullRounds are as many as medians need, and as there is time for: the rows of gangs take minutes each.
func (o options) fullRounds() int {
	if o.heldOnly || o.labOnly {
		return 5
	}
	return 3
}

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "outrigger-gang-bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "outrigger-gang-bench:", err)
		stop()
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	o := full
	if slices.Contains(args, "--quick") { // the defaults of all that follow
		o = small
	}
	set := flag.NewFlagSet("outrigger-gang-bench", flag.ContinueOnError)
	set.Bool("quick", false, "small sizes, one round: nothing is judged")
	set.StringVar(&o.outrigger, "outrigger", os.Getenv(outrigger.BinaryEnv), "the outrigger `binary` to measure (environment: "+outrigger.BinaryEnv+")")
	set.StringVar(&o.out, "out", "", "`directory` to write gang.json, queue.json or lab.json to")
	set.IntVar(&o.rounds, "rounds", o.rounds, "how often each is measured; 0: as often as targets want")
	set.Var(&o.rows, "rows", "what is measured, `NAMES` separated by commas: "+strings.Join(rowNames, ", ")+" (all)")
	set.BoolVar(&o.heldOnly, "queue", false, "measure the queue of gang and qos alone: single pods that are held")
	set.BoolVar(&o.labOnly, "lab", false, "measure the lab's scheduler alone, next to kube-scheduler")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	if o.rounds == 0 {
		o.rounds = o.fullRounds()
	}
	switch {
	case o.labOnly && o.heldOnly:
		return o, errors.New("--queue and --lab exclude each other")
	case o.outrigger == "":
		return o, errors.New("--outrigger is not given")
	case o.rounds < 1:
		return o, errors.New("rounds are at least 1")
	case set.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", set.Arg(0))
	}
	return o, nil
}

func (o options) measure(ctx context.Context) (sheet.Section, error) {
	if o.labOnly {
		report, err := o.lab.measure(ctx, o.outrigger, o.rounds)
		if err != nil {
			return sheet.Section{}, err
		}
		return o.lab.section(o.rounds, report), nil
	}
	if o.heldOnly {
		report, err := o.held.measure(ctx, o.outrigger, o.rounds)
		if err != nil {
			return sheet.Section{}, err
		}
		return o.held.section(o, report), nil
	}
	parts, before := o.parts(), sheet.Load()
	if err := measureParts(ctx, o.outrigger, parts); err != nil {
		return sheet.Section{}, err
	}
	return sectionOf(o, parts, before), nil
}

// file is what the figures are written to.
func (o options) file() string {
	if o.labOnly {
		return "lab.json"
	}
	if o.heldOnly {
		return "queue.json"
	}
	return "gang.json"
}

func run(ctx context.Context, o options) error {
	section, err := o.measure(ctx)
	if err != nil {
		return err
	}
	for _, table := range section.Tables {
		table.Print(os.Stdout)
	}
	fmt.Println()
	for _, verdict := range section.Targets {
		fmt.Println(verdict)
	}
	if o.out != "" {
		// As --section of outrigger-bench takes it.
		text, err := json.MarshalIndent(map[string]any{"section": section}, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(o.out, o.file()), append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if o.partial() {
		fmt.Println("A part of the full size: nothing is judged.")
		return nil
	}
	if sheet.Missed(section.Targets) {
		return errors.New("a target was missed")
	}
	return nil
}
