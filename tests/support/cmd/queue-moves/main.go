// Command queue-moves writes golden/lab_queue_moves.json: what is done to a scheduling queue step by step (pods come,
// are taken out, fail, change, go; events happen; time goes by), and in which part of the queue upstream's own
// (kubernetes/pkg/scheduler/backend/queue) has each pod after each step. The C++ tests of src/lab do the same to ours.
//
// Run in tests/: `go run ./support/cmd/queue-moves` rewrites the table; with -check it changes nothing and exits
// with status 1 where the table is not what upstream says. The same seed gives the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// The table has three sections: rows of moves, and changed nodes and pods with the events that they are.

// row is one queue from its beginning on.
type row struct {
	Name  string `json:"name"`
	Steps []step `json:"steps"`
}

// step is one deed and what it led to.
type step struct {
	Do       string   `json:"do"`                 // add, pop, fail, done, update, delete, bound, event, advance
	Pod      string   `json:"pod,omitempty"`      // by its UID: "a"; "a2" is another pod of the name "a"
	Plugins  []string `json:"plugins,omitempty"`  // fail: that rejected it; none: something broke
	Changes  []string `json:"changes,omitempty"`  // update: labels, tolerations, annotations
	Resource string   `json:"resource,omitempty"` // event
	Action   string   `json:"action,omitempty"`   // event
	Ms       int      `json:"ms,omitempty"`       // advance
	// Then is where each pod is afterwards: active, backoff, unschedulable, in flight. A pod that is missing is in
	// no part. The pod that pop took out is in Pod.
	Then map[string]string `json:"then"`
}

func main() {
	path := flag.String("out", "golden/lab_queue_moves.json", "the table")
	check := flag.Bool("check", false, "compare with the table that is there, and write nothing")
	seed := flag.Uint64("seed", 1, "seed of the random rows; the committed table has 1")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)
	metrics.Register()
	must(switchGatesOff())

	text := encode(rand.New(rand.NewPCG(*seed, 0)))
	if !*check {
		must(os.WriteFile(*path, text, 0o644))
		return
	}
	there, err := os.ReadFile(*path)
	must(err)
	if !bytes.Equal(there, text) {
		fmt.Fprintf(os.Stderr, "%s differs from what upstream answers: run queue-moves\n", *path)
		os.Exit(1)
	}
}

func encode(r *rand.Rand) []byte {
	var text bytes.Buffer
	text.WriteString("{\n\"registered\": ")
	text.Write(marshal(registered))
	rows := append(pickedRows(), crossedRows()...)
	for i := range rows {
		play(&rows[i])
	}
	section(&text, "rows", append(rows, walks(r)...))
	section(&text, "nodes", changedNodes())
	section(&text, "pods", changedPods())
	text.WriteString("}\n")
	return text.Bytes()
}

// section writes every row on a line of its own.
func section[T any](text *bytes.Buffer, name string, rows []T) {
	fmt.Fprintf(text, ",\n%q: [", name)
	for i, row := range rows {
		if i > 0 {
			text.WriteString(",")
		}
		text.WriteString("\n")
		text.Write(marshal(row))
	}
	text.WriteString("]")
}

func marshal(value any) []byte {
	text, err := json.Marshal(value)
	must(err)
	return text
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "queue-moves:", err)
		os.Exit(2)
	}
}
