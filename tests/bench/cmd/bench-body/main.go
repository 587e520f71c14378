// Command bench-body writes one extender request body to stdout, as the scheduler sends it: for the
// benchmarks of parts, and for trying an extender by hand.
package main

import (
	"flag"
	"fmt"
	"os"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

func main() {
	nodes := flag.Int("nodes", 1000, "how many nodes")
	form := flag.String("form", string(bodies.FullNodes), "full or names")
	seed := flag.Uint64("seed", 1, "seed of the cluster")
	flag.Parse()
	body, err := bodies.New(*seed, *nodes).Encode(bodies.Form(*form))
	if err == nil {
		_, err = os.Stdout.Write(body)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-body:", err)
		os.Exit(1)
	}
}
