// Command informers is what a follower of ours is compared with: client-go's shared informers for
// nodes and pods, as kube-scheduler has them (protobuf, managedFields dropped on arrival).
//
// It prints a line of JSON once it is synced, {"syncedMs", "cpuMs"}, counted from its start, and then
// answers commands on its standard input, a line each: `stats`; `seen`, which is of stats only what
// costs nothing, the events; and `quit`, which ends it.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// Stats answer the command stats.
type Stats struct {
	RSSBytes     int64   `json:"rssBytes"` // after a collection of garbage that gives all back
	PeakRSSBytes int64   `json:"peakRssBytes"`
	CPUMS        float64 `json:"cpuMs"`
	Events       int     `json:"events"` // those with a time at which they were sent
	LagP50MS     float64 `json:"lagP50Ms"`
	LagP99MS     float64 `json:"lagP99Ms"`
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "`file` that says which server, and as whom")
	flag.Parse()
	if err := run(*kubeconfig, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "informers:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, began time.Time) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	lags := &lags{}
	stop := make(chan struct{})
	defer close(stop)
	if err := follow(client, lags, stop); err != nil {
		return err
	}
	used, err := replay.CPUTime(os.Getpid())
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]float64{"syncedMs": milliseconds(time.Since(began)), "cpuMs": milliseconds(used)}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch command := lines.Text(); command {
		case "stats":
			stats, err := measure(lags)
			if err == nil {
				err = out.Encode(stats)
			}
			if err != nil {
				return err
			}
		case "seen":
			if err := out.Encode(Stats{Events: lags.count()}); err != nil {
				return err
			}
		case "quit":
			return nil
		default:
			return fmt.Errorf("command %q: want stats, seen or quit", command)
		}
	}
	return nil
}

func measure(lags *lags) (Stats, error) {
	used, err := replay.CPUTime(os.Getpid()) // before the collection, which is for the measurement only
	if err != nil {
		return Stats{}, err
	}
	peak, err := replay.PeakMemory(os.Getpid())
	if err != nil {
		return Stats{}, err
	}
	summary := lags.summary()
	runtime.GC()
	debug.FreeOSMemory()
	resident, err := replay.ResidentMemory(os.Getpid())
	return Stats{RSSBytes: resident, PeakRSSBytes: peak, CPUMS: milliseconds(used), Events: summary.Calls,
		LagP50MS: milliseconds(summary.Median), LagP99MS: milliseconds(summary.P99)}, err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
