// Command changer changes the pods of a crowd at a steady rate, as a process of its own, so that what
// it costs delays nobody who measures.
//
// It prints a line of JSON once it has found the pods, {"pods"}, and then answers commands on its
// standard input, a line each: `change RATE DURATION`, with what was done, once it is; and `quit`, which
// ends it.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/watch/crowd"
)

// Done answers the command change.
type Done struct {
	Sent       int     `json:"sent"`
	PerSecond  float64 `json:"perSecond"`
	Late       int     `json:"late"`
	WriteP50MS float64 `json:"writeP50Ms"` // of etcd, for one change
	WriteP99MS float64 `json:"writeP99Ms"`
}

func main() {
	etcd := flag.String("etcd", "", "`URL` of the etcd that has the crowd")
	flag.Parse()
	if err := run(context.Background(), *etcd); err != nil {
		fmt.Fprintln(os.Stderr, "changer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, etcd string) error {
	changer, err := crowd.NewChanger(ctx, etcd)
	if err != nil {
		return err
	}
	defer changer.Close()
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]int{"pods": changer.Pods()}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "quit" {
			return nil
		}
		done, err := change(ctx, changer, lines.Text())
		if err == nil {
			err = out.Encode(done)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func change(ctx context.Context, changer *crowd.Changer, command string) (Done, error) {
	var rate int
	var duration string
	if _, err := fmt.Sscanf(command, "change %d %s", &rate, &duration); err != nil {
		return Done{}, fmt.Errorf("command %q: want change RATE DURATION, or quit: %w", command, err)
	}
	parsed, err := time.ParseDuration(duration)
	if err != nil {
		return Done{}, fmt.Errorf("command %q: %w", command, err)
	}
	changes, err := changer.Change(ctx, rate, parsed)
	writes := replay.Summarize(changes.Writes)
	return Done{changes.Sent, changes.PerSec, changes.Late, milliseconds(writes.Median), milliseconds(writes.P99)}, err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
