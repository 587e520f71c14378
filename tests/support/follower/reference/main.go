package reference

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"outrigger.dev/outrigger/tests/support/follower"
)

// Main is the whole program: it follows, and answers the commands on in until quit or its end.
func Main(args []string, in io.Reader, out io.Writer) error {
	set := flag.NewFlagSet("kube-follow-reference", flag.ContinueOnError)
	kubeconfig := set.String("kubeconfig", "", "`file` that says which server, and as whom")
	silence := set.Int("silence-ms", 60_000, "how long a watch may be silent")
	staleness := set.Int("max-staleness-ms", 90_000, "how long the server may not be heard of")
	pause := set.Int("backoff-ms", 50, "the pause after a failure")
	asJSON := set.Bool("json", false, "read JSON instead of protobuf")
	if err := set.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f := newReference(*kubeconfig, limits{milliseconds(*silence), milliseconds(*staleness)})
	f.pause = milliseconds(*pause)
	if *asJSON {
		f.contentType = runtime.ContentTypeJSON
	}
	go f.follow(ctx, f.nodes)
	go f.follow(ctx, f.pods)
	return f.answer(in, json.NewEncoder(out))
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func (f *reference) answer(in io.Reader, out *json.Encoder) error {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var answer any
		switch command := lines.Text(); command {
		case "dump":
			answer = f.dump()
		case "ready":
			answer = f.ready()
		case "stats":
			answer = f.stats()
		case "quit":
			return nil
		default:
			return fmt.Errorf("command %q: want dump, ready, stats or quit", command)
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return nil
}

func (f *reference) stats() follower.Stats {
	debug.FreeOSMemory()
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return follower.Stats{RSSBytes: resident(), Events: f.events, Relists: max(0, f.lists-2), Watches: f.watching}
}

// resident is this process's memory, 0 where the kernel does not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
