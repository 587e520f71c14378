// Command oracle-tables writes what Kubernetes' own libraries answer for seeded random and
// hand-picked inputs, so that the C++ tests of include/outrigger/k8s and src/codec/protobuf compare against upstream and not
// against our reading of it:
//
//	upstream_quantity.json      apimachinery/pkg/api/resource
//	upstream_pod_requests.json  component-helpers/resource, with kube-scheduler's options; it counts
//	                            resizes otherwise since 1.37, so one more table is judged by 1.36
//	upstream_selectors.json     apimachinery/pkg/labels, component-helpers/scheduling/corev1
//	upstream_protobuf.json      apimachinery/pkg/runtime/serializer/protobuf: objects in both forms
//	upstream_qos.json           kubernetes/pkg/apis/core/v1/helper/qos
//	upstream_patches.json       evanphx/json-patch, apimachinery/pkg/util/strategicpatch
//	upstream_columns.json       kubernetes/pkg/printers/internalversion
//	upstream_definitions.json   apiextensions-apiserver: definitions, and objects by their schemas
//
// Run in tests/: `go run ./support/cmd/oracle-tables` rewrites tests/golden; with -check it changes
// nothing and exits with status 1 where a table is not what the required version of Kubernetes says.
// `go run -modfile=go.k8s-1.36.mod -tags without_lab ./support/cmd/oracle-tables -of 1.36` does so for 1.36's table.
// The same seed gives the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// section is one named list of a table; every row is written on a line of its own.
type section struct {
	name string
	rows []any
}

type table struct {
	file  string
	build func(r *rand.Rand) []section
}

var tables = map[string][]table{
	"newest": {
		{"upstream_quantity.json", quantityTable},
		{"upstream_pod_requests.json", podRequestsTable},
		{"upstream_selectors.json", selectorTable},
		{"upstream_protobuf.json", protobufTable},
		{"upstream_qos.json", qosTable},
	},
	"1.36": {{"upstream_pod_requests_1.36.json", resizedTable}},
}

func main() {
	folder := flag.String("out", "golden", "folder of the tables")
	check := flag.Bool("check", false, "compare with the tables that are there, and write nothing")
	seed := flag.Uint64("seed", 1, "seed of the random rows; the committed tables have 1")
	of := flag.String("of", "newest", "whose tables: those of the newest Kubernetes, or of 1.36")
	flag.Parse()
	if tables[*of] == nil {
		fail(fmt.Errorf("-of %s: wants newest or 1.36", *of))
	}

	differ := false
	for i, table := range tables[*of] {
		path := filepath.Join(*folder, table.file)
		text := encode(table.build(rand.New(rand.NewPCG(*seed, uint64(i)))))
		if !*check {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				fail(err)
			}
			continue
		}
		there, err := os.ReadFile(path)
		if err != nil {
			fail(err)
		}
		if !bytes.Equal(there, text) {
			fmt.Fprintf(os.Stderr, "%s differs from what upstream answers: run oracle-tables\n", path)
			differ = true
		}
	}
	if differ {
		os.Exit(1)
	}
}

func encode(sections []section) []byte {
	var out bytes.Buffer
	out.WriteString("{")
	for i, s := range sections {
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n%q: [", s.name)
		for j, row := range s.rows {
			if j > 0 {
				out.WriteString(",")
			}
			out.WriteString("\n")
			encoder := json.NewEncoder(&out)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(row); err != nil {
				fail(err)
			}
			out.Truncate(out.Len() - 1) // the encoder's own newline
		}
		out.WriteString("]")
	}
	out.WriteString("}\n")
	return out.Bytes()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "oracle-tables:", err)
	os.Exit(2)
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }
