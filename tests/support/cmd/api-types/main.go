// Command api-types writes src/apiserver/types/kubernetes.types: the types, defaults and resources of the API that
// `outrigger lab apiserver` serves, as upstream's Go types, OpenAPI documents and defaulting functions have them.
//
// Run in tests/: `go run ./support/cmd/api-types` rewrites the table. With -check it changes nothing and exits with
// status 1 where the table differs, or where -ours answers otherwise than upstream. With -conditional it prints the defaults that depend on something, which the
// table has not.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
)

func main() {
	path := flag.String("out", "../src/apiserver/types/kubernetes.types", "the table")
	check := flag.Bool("check", false, "compare with the table that is there, and write nothing")
	conditional := flag.Bool("conditional", false, "print the defaults that depend on something, and write nothing")
	ours := flag.String("ours", "", "outrigger_api_rows, whose answers to random bodies are compared with upstream's")
	count := flag.Int("count", 40, "how many bodies of each kind, in each form")
	seed := flag.Uint64("seed", 1, "of the bodies")
	flag.Parse()

	documents := openUpstream()
	resources := documents.resources()
	all := newTypes(documents)
	for _, kind := range kindsOf(resources) {
		all.add(goTypeOf(kind.Group, kind.Version, kind.Kind))
	}
	defaults := findDefaults(kindsOf(resources))
	if *conditional {
		for _, line := range defaults.conditional() {
			fmt.Println(line)
		}
		return
	}
	text := all.table(resources, defaults)
	if !*check {
		exitOn(os.WriteFile(*path, text, 0o644))
		return
	}
	there, err := os.ReadFile(*path)
	exitOn(err)
	if !bytes.Equal(there, text) {
		fmt.Fprintf(os.Stderr, "%s differs from the types of %s: run api-types\n", *path, moduleVersion(kubernetes))
		os.Exit(1)
	}
	if *ours != "" {
		differ := append(documents.compareDocuments(*ours), compare(*ours, kindsOf(resources), *seed, *count)...)
		for _, one := range differ[:min(len(differ), 10)] {
			fmt.Fprintln(os.Stderr, one)
		}
		if len(differ) > 0 {
			exitOn(fmt.Errorf("%d answers differ from upstream's", len(differ)))
		}
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
