// Package learn runs what the pages of docs/learn show, and judges the program as it is.
//
//	scripts/update-docs --learn    writes what the program prints into the pages
package learn

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/learn"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/world"
)

var update = flag.Bool("update", false, "write what the program prints into the pages")

// module is the folder of the Go module; pages the folder of the pages. Both from this folder.
const module, pages = "../..", "../../../docs/learn"

// page is a page with what it shows.
type page struct {
	path, text string
	outputs    []learn.Output
	first      int // number of its first scenario
}

// Each block of output is what the run prints, but for the moments at which scenario and scheduler print.
func TestPagesShowWhatRunsPrint(t *testing.T) {
	all, functions := readPages(t)
	if len(functions) < 7 {
		t.Fatalf("only %d blocks of output in %s", len(functions), pages)
	}
	program, err := learn.BuildScenarios(t.Context(), module, t.TempDir(), functions)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(filepath.Base(p.path), func(t *testing.T) {
			t.Parallel()
			p.compare(t, program)
		})
	}
}

func readPages(t *testing.T) (all []page, functions []string) {
	t.Helper()
	paths, err := filepath.Glob(pages + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		outputs, err := learn.Outputs(string(text))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if len(outputs) == 0 {
			continue
		}
		all = append(all, page{path, string(text), outputs, len(functions)})
		for _, output := range outputs {
			functions = append(functions, output.Scenario)
		}
	}
	return all, functions
}

func (p page) compare(t *testing.T, program string) {
	var texts []string
	for i, output := range p.outputs {
		// A run begins with an empty cluster, as make start does.
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			w := world.New(t, 10*time.Minute)
			text, err := learn.Play(w.Ctx, w.Cluster, outrigger.Binary(t), program, p.first+i, output)
			w.Must(err)
			texts = append(texts, text)
			if !*update && !learn.Same(text, output.Text) {
				t.Errorf("%s: the page shows another output of `%s`; scripts/update-docs --learn writes it. Now it is\n%s",
					p.path, output.Command, text)
			}
		})
	}
	if *update && !t.Failed() {
		write(t, p.path, learn.Rewrite(p.text, p.outputs, texts))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}
