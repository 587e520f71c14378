// Command dra-oracle answers with upstream's structured allocator
// (k8s.io/dynamic-resource-allocation) which nodes can satisfy the ResourceClaims of a pod and which
// devices each claim gets there. The cases are made by hand, or at random from a seed.
//
// Run in tests/: `go run ./support/cmd/dra-oracle -hand > golden/upstream_dra.json` rewrites the
// table of the cases made by hand. -check exits with status 1 where that table is not what upstream
// answers, or where the program -ours answers another way to any case. -dump prints random cases.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/klog/v2"
)

// batch is how many random cases are made at once.
const batch = 64

func main() {
	hand := flag.Bool("hand", false, "print the table of the cases made by hand")
	check := flag.Bool("check", false, "compare the table, and the answers of -ours, with upstream")
	ours := flag.String("ours", "", "program that reads a case a line and writes its answer a line")
	table := flag.String("table", "golden/upstream_dra.json", "the table that -check compares")
	count := flag.Int("count", 2000, "how many random cases")
	seed := flag.Uint64("seed", 1, "of the random cases")
	dump := flag.Int("dump", 0, "print so many random cases with their answers, one a line")
	different := flag.String("different", filepath.Join(os.TempDir(), "dra-oracle-differ.ndjson"),
		"file for the cases that -ours answers another way")
	flag.Parse()
	klog.SetOutput(io.Discard)
	klog.LogToStderr(false)

	u := newUpstream()
	switch {
	case *hand:
		_, err := os.Stdout.Write(encode(u.handMade()))
		must(err)
	case *dump > 0:
		for _, each := range u.random(*seed, *dump) {
			text, err := line(each)
			must(err)
			fmt.Printf("%s\n", text)
		}
	case *check:
		good := sameTable(u, *table)
		if *ours != "" {
			cases := append(u.handMade(), u.random(*seed, *count)...)
			good = compare(cases, *ours, *different) && good
		}
		if !good {
			os.Exit(1)
		}
	default:
		flag.Usage()
		os.Exit(2)
	}
}

// handMade returns the cases made by hand. It fails if upstream has no quick answer to one.
func (u *upstream) handMade() []*testCase {
	cases := handCases()
	for _, each := range cases {
		if err := u.answer(each); err != nil {
			must(fmt.Errorf("%s: %w", each.ID, err))
		}
	}
	return cases
}

// random returns so many random cases. A case depends on the seed and its own number only.
func (u *upstream) random(seed uint64, count int) []*testCase {
	var cases []*testCase
	for first := 0; len(cases) < count; first += batch {
		var group sync.WaitGroup
		var made [batch]*testCase
		for i := range made {
			group.Go(func() { made[i] = u.randomCase(seed, first+i) })
		}
		group.Wait()
		cases = append(cases, slices.DeleteFunc(made[:], func(c *testCase) bool { return c == nil })...)
	}
	return cases[:count]
}

// randomCase returns nil for a case that is left out.
func (u *upstream) randomCase(seed uint64, number int) *testCase {
	g := generator{Rand: rand.New(rand.NewPCG(seed, uint64(number)))}
	id := fmt.Sprintf("random-%d-%05d", seed, number)
	made := g.makeCase(id)
	if number%50 == 49 {
		made = g.makeLarge(id)
	}
	err := u.answer(made)
	if errors.Is(err, errLeftOut) {
		return nil
	}
	must(err)
	return made
}

func sameTable(u *upstream, path string) bool {
	there, err := os.ReadFile(path)
	must(err)
	if bytes.Equal(there, encode(u.handMade())) {
		return true
	}
	fmt.Fprintf(os.Stderr, "%s differs from what upstream answers: run dra-oracle -hand > %s\n", path, path)
	return false
}

// encode writes the table, one case a line.
func encode(cases []*testCase) []byte {
	var text bytes.Buffer
	text.WriteString("{\"source\": \"k8s.io/dynamic-resource-allocation/structured, default features\", \"cases\": [\n")
	for i, each := range cases {
		row, err := line(each)
		must(err)
		if i > 0 {
			text.WriteString(",\n")
		}
		text.Write(row)
	}
	text.WriteString("\n]}\n")
	return text.Bytes()
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "dra-oracle:", err)
		os.Exit(2)
	}
}
