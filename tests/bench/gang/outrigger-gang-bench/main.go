// Command outrigger-gang-bench measures the agent gang beside a real kube-scheduler: many gangs at once
// against the same pods without groups, on the plain scheduler, beside an extender that does nothing and beside
// the agent, in turns, and gangs that wait. With --queue it measures single pods that gang and qos hold.
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

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// options are what the command line says.
type options struct {
	outrigger string
	out       string
	rounds    int
	// waitingOnly leaves the crowd out.
	waitingOnly bool
	crowd       crowd
	queue       queue
	// heldOnly measures the queue and nothing else.
	heldOnly bool
	held     held
	// labOnly measures the lab's scheduler and nothing else.
	labOnly bool
	lab     lab
	// onlyGroups measures the two ways in which the scheduler may ask the agent, and nothing else.
	onlyGroups bool
	// streamOnly leaves the crowd out of that.
	streamOnly bool
	stream     stream
	nominating nominating
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
	rounds: 5,
	crowd:  crowd{nodes: 500, gangs: 40, size: 50, clients: 20},
	queue:  queue{room: 40, gangs: 60, watch: 120 * time.Second},
	held: held{
		crowd:   crowd{nodes: 500, gangs: 40, size: 50, clients: 20},
		freeing: freeing{nodes: 25, waiting: 60},
	},
	lab: lab{nodes: 500, pods: 2000, clients: 20},
	stream: stream{nodes: 25, gangs: 10, size: 20, waiting: 20, lasts: time.Second,
		reserveAfter: time.Second},
	nominating: nominating{nodes: 250},
}

func (o options) partial() bool {
	if o.labOnly {
		return o.rounds < full.rounds || o.lab != full.lab
	}
	if o.heldOnly {
		return o.rounds < full.rounds || o.held != full.held
	}
	if o.onlyGroups {
		return o.streamOnly || o.rounds < full.rounds || o.crowd != full.crowd
	}
	return o.waitingOnly || o.rounds < full.rounds || o.crowd != full.crowd || o.queue != full.queue
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
	set := flag.NewFlagSet("outrigger-gang-bench", flag.ContinueOnError)
	set.StringVar(&o.outrigger, "outrigger", os.Getenv(outrigger.BinaryEnv), "the outrigger `binary` to measure (environment: "+outrigger.BinaryEnv+")")
	set.StringVar(&o.out, "out", "", "`directory` to write gang.json, queue.json, lab.json or only-groups.json to")
	set.IntVar(&o.rounds, "rounds", full.rounds, "how often each is measured")
	set.IntVar(&o.crowd.nodes, "nodes", full.crowd.nodes, "nodes, each with room for four pods")
	set.IntVar(&o.crowd.gangs, "gangs", full.crowd.gangs, "gangs that just fill the nodes")
	set.IntVar(&o.queue.room, "room", full.queue.room, "gangs of four that there is room for, where more wait")
	set.IntVar(&o.queue.gangs, "waiting", full.queue.gangs, "gangs of four in all, those that wait included")
	set.BoolVar(&o.waitingOnly, "waiting-only", false, "measure only what it costs that gangs wait")
	set.BoolVar(&o.heldOnly, "queue", false, "measure the queue of gang and qos alone: single pods that are held")
	set.IntVar(&o.held.freeing.waiting, "pending", full.held.freeing.waiting, "pods that wait on a full cluster, with --queue")
	set.BoolVar(&o.held.short, "short", false, "with --queue: arriving pods, and places that become free, next to the agents alone")
	set.BoolVar(&o.labOnly, "lab", false, "measure the lab's scheduler alone, next to kube-scheduler")
	set.BoolVar(&o.onlyGroups, "only-groups", false, "measure pods and gangs alone, asked about and not, next to no extender")
	set.BoolVar(&o.streamOnly, "stream", false, "with --only-groups: gangs beside a stream of single pods, and nominations, alone")
	set.IntVar(&o.lab.pods, "pods", full.lab.pods, "pods that arrive, with --lab")
	seconds := set.Int("seconds", int(full.queue.watch.Seconds()), "for how long those that wait are watched")
	if err := set.Parse(args); err != nil {
		return o, err
	}
	o.queue.watch = time.Duration(*seconds) * time.Second
	o.crowd.size = o.crowd.nodes * slots / o.crowd.gangs
	o.held.crowd, o.lab.nodes = o.crowd, o.crowd.nodes
	switch {
	case o.labOnly && o.heldOnly || o.onlyGroups && (o.labOnly || o.heldOnly):
		return o, errors.New("--queue, --lab and --only-groups exclude each other")
	case o.lab.pods < 1:
		return o, errors.New("pods is at least 1")
	case o.outrigger == "":
		return o, errors.New("--outrigger is not given")
	case o.held.freeing.waiting < 1 || o.held.freeing.waiting > full.held.freeing.nodes*slots:
		return o, fmt.Errorf("pending is 1 to %d", full.held.freeing.nodes*slots)
	case o.rounds < 1 || o.crowd.nodes < 1 || o.crowd.size < 1 || o.queue.room < 1 || o.queue.gangs <= o.queue.room:
		return o, errors.New("rounds, nodes and gangs are at least 1, gangs at most as many as there are places, and more gangs wait than there is room for")
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
	if o.onlyGroups {
		ways := onlyGroups{o.crowd, o.stream, o.nominating, o.streamOnly}
		report, err := ways.measure(ctx, o.outrigger, o.rounds)
		if err != nil {
			return sheet.Section{}, err
		}
		return ways.section(o.rounds, report), nil
	}
	report, err := measure(ctx, o)
	if err != nil {
		return sheet.Section{}, err
	}
	return report.section(o), nil
}

// file is what the figures are written to.
func (o options) file() string {
	if o.labOnly {
		return "lab.json"
	}
	if o.heldOnly {
		return "queue.json"
	}
	if o.onlyGroups {
		return "only-groups.json"
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
		var content any = section
		if o.labOnly { // as --section of outrigger-bench takes it
			content = map[string]any{"section": section}
		}
		text, err := json.MarshalIndent(content, "", "  ")
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
