package main

import (
	"fmt"
	"os"
	"strings"
)

// Page is docs/performance.md: the tables of this run with the machine named.
func (r *Report) Page() string {
	var page strings.Builder
	m := r.Machine
	fmt.Fprintf(&page, `# Performance

<!-- Written by scripts/bench --update-docs from the run it shows; do not edit. -->

How long a call of the scheduler occupies this server, beside a plain Go extender (encoding/json,
net/http) and beside the *floor*: a program on a bare socket that receives the same bytes into one
reused buffer, walks them with simdjson On-Demand (names, annotations, the bytes of each node) and
sends a prepared answer of the same size. What an extender does beyond that is ours to answer for.
All in one run, taking turns, over keep-alive connections on the loopback. A pod has 3.4 KB and a node
15.6 KB, with the managedFields, images and annotations of a real one. A filter call gets every node
back; answers are compared whole with what is right before anything is timed.

| | |
|---|---|
| processor | %s, %d cores |
| kernel | Linux %s |
| load | %s in the minute before the run, %s in its last (the run itself makes 1 to 2) |
| Go extender | %s |
| ours | %s |

Repeat it with `+"`scripts/bench`"+`; tests/bench/README.md says how it measures.

## Targets

| | target | asked | measured |
|---|---|---|---|
`, m.CPU, m.Cores, m.Kernel, m.Load, m.LoadAfter, m.Go, m.Outrigger)
	for _, v := range r.Targets {
		fmt.Fprintf(&page, "| %s | %s | %s | %s |\n", v.Word(), v.Target, v.Limit(), v.Shown())
	}
	page.WriteString(`
Peak memory is VmHWM of the process, code and libraries included; a body is the request's, MB are
10^6 bytes.

## Figures

`)
	for _, t := range r.tables() {
		t.Markdown(&page)
	}
	page.WriteString(strings.Join(r.rest(), "\n\n") + "\n")
	for _, section := range r.Sections {
		page.WriteString("\n")
		section.Markdown(&page)
	}
	return page.String()
}

// WritePage writes the page to file.
func (r *Report) WritePage(file string) error {
	return os.WriteFile(file, []byte(r.Page()), 0o644)
}
