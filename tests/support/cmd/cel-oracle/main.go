// Command cel-oracle compares the compiler of src/cel with upstream's own
// (k8s.io/dynamic-resource-allocation/cel) on generated expressions: whether they compile, and what
// each says of each device of golden/cel.json.
//
// Run in tests/: `go run ./support/cmd/cel-oracle` writes golden/upstream_cel.json, a tenth of the
// rows, for the C++ tests. With -check it writes nothing and exits with status 1 where that table is
// not what upstream says, or where the program -ours (outrigger_cel_rows) answers otherwise to any
// row. -count and -seed make other rows; the committed table has the defaults.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
)

const keptOneOf = 10

func main() {
	check := flag.Bool("check", false, "compare, and write nothing")
	devices := flag.String("devices", "golden/cel.json", "table with the devices")
	table := flag.String("table", "golden/upstream_cel.json", "the table that is written or compared")
	ours := flag.String("ours", "", "outrigger_cel_rows, which answers the same expressions")
	count := flag.Int("count", 2000, "how many expressions")
	seed := flag.Uint64("seed", 1, "of the generator")
	flag.Parse()

	upstream, err := newUpstream(*devices)
	if err != nil {
		fail(err)
	}
	rows := generatedRows(upstream, *seed, *count)
	differ := false
	if *ours != "" {
		differ = !agree(rows, *ours, *devices)
	}
	text := encode(rows)
	switch {
	case !*check:
		err = os.WriteFile(*table, text, 0o644)
	case *seed == 1 && *count == 2000:
		var there []byte
		there, err = os.ReadFile(*table)
		if err == nil && !bytes.Equal(there, text) {
			fmt.Fprintf(os.Stderr, "%s differs from what upstream answers: run cel-oracle\n", *table)
			differ = true
		}
	}
	if err != nil {
		fail(err)
	}
	if differ {
		os.Exit(1)
	}
}

// generatedRows are upstream's answers to different expressions, but for those on which it panics.
func generatedRows(u *upstream, seed uint64, count int) []row {
	g := generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	var rows []row
	seen := map[string]bool{}
	for len(rows) < count {
		text := g.expression()
		if len(text) > 600 || seen[text] {
			continue
		}
		seen[text] = true
		if made, ok := u.row(text); ok {
			rows = append(rows, made)
		}
	}
	return rows
}

// encode writes the rows that are kept, one a line.
func encode(rows []row) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\"source\": \"k8s.io/dynamic-resource-allocation/cel; devices: cel.json\", \"rows\": [\n")
	for i := 0; i < len(rows); i += keptOneOf {
		line, err := marshal(rows[i])
		if err != nil {
			fail(err)
		}
		if i > 0 {
			text.WriteString(",\n")
		}
		text.Write(line)
	}
	text.WriteString("\n]}\n")
	return text.Bytes()
}

func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}

// agree says on standard error which rows the C++ program answers otherwise.
func agree(rows []row, program, devices string) bool {
	var input bytes.Buffer
	for _, each := range rows {
		line, err := marshal(each.Expr)
		if err != nil {
			fail(err)
		}
		input.Write(append(line, '\n'))
	}
	command := exec.Command(program, devices)
	command.Stdin, command.Stderr = &input, os.Stderr
	output, err := command.Output()
	if err != nil {
		fail(fmt.Errorf("%s: %w", program, err))
	}
	lines := bytes.Split(bytes.TrimSpace(output), []byte("\n"))
	if len(lines) != len(rows) {
		fail(fmt.Errorf("%s answered %d of %d rows", program, len(lines), len(rows)))
	}
	good := 0
	for i, line := range lines {
		var answer row
		if err := json.Unmarshal(line, &answer); err != nil {
			fail(err)
		}
		if why := rows[i].differs(answer); why != "" {
			fmt.Fprintf(os.Stderr, "%s\n  %s\n", rows[i].Expr, why)
		} else {
			good++
		}
	}
	fmt.Printf("cel-oracle: %d of %d expressions agree\n", good, len(rows))
	return good == len(rows)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cel-oracle:", err)
	os.Exit(1)
}
