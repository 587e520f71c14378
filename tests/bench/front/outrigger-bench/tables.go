package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// table is figures with what they mean, for a terminal or a page.
type table struct {
	title  string
	header []string
	rows   [][]string
}

// tables are all tables of the run; the targets are not among them.
func (r *Report) tables() []table {
	all := []table{r.timeTable(), r.costTable(), r.wholeTable()}
	if r.Held != nil {
		all = append(all, r.Held.table())
	}
	return all
}

func (r *Report) timeTable() table {
	t := table{
		title: "Server time in ms, raw client: first byte sent to last byte received.",
		header: []string{"nodes", "form", "verb", "Go", "p99", "ours", "p99", "floor", "p99", "receive-only",
			"parse-only", "floor/sum", "ours/floor", "Go/ours"},
	}
	for _, row := range r.Rows {
		s := row.Server
		t.rows = append(t.rows, append(labels(row), shorts(s.Go.MedianMS, s.Go.P99MS, s.Ours.MedianMS, s.Ours.P99MS,
			s.Floor.MedianMS, s.Floor.P99MS, s.ReceiveOnlyMS, s.ParseOnlyMS, s.FloorBySum, s.OursByFloor, s.GoByOurs)...))
	}
	return t
}

func (r *Report) costTable() table {
	t := table{
		title: "Processor time per call in ms; bodies and peak memory in MiB.",
		header: []string{"nodes", "form", "verb", "request", "answer", "Go cpu", "ours", "floor", "ours/floor", "Go/ours",
			"Go peak", "ours", "floor", "Go calls", "ours"},
	}
	mebibytes := func(bytes int) float64 { return float64(bytes) / (1 << 20) }
	for _, row := range r.Rows {
		s := row.Server
		cells := append(labels(row), shorts(mebibytes(row.BodyBytes), mebibytes(row.AnswerBytes), s.Go.CPUCallMS,
			s.Ours.CPUCallMS, s.Floor.CPUCallMS, s.OursByFloorCPU, s.GoByOursCPU,
			s.Go.PeakMiB, s.Ours.PeakMiB, s.Floor.PeakMiB)...)
		t.rows = append(t.rows, append(cells, strconv.Itoa(s.Go.Calls), strconv.Itoa(s.Ours.Calls)))
	}
	return t
}

func (r *Report) wholeTable() table {
	t := table{
		title:  "Whole call in ms, the scheduler's own client: its JSON work on both sides included.",
		header: []string{"nodes", "form", "verb", "Go", "p99", "ours", "p99", "Go/ours"},
	}
	for _, row := range r.Rows {
		w := row.Whole
		t.rows = append(t.rows, append(labels(row), shorts(w.Go.MedianMS, w.Go.P99MS, w.Ours.MedianMS, w.Ours.P99MS, w.GoByOurs)...))
	}
	return t
}

func (h *Held) table() table {
	row := func(verb string, quiet, busy Figures) []string {
		return append(append([]string{verb}, shorts(quiet.MedianMS, quiet.P99MS, busy.MedianMS, busy.P99MS, busy.PeakMiB)...),
			strconv.Itoa(busy.Calls))
	}
	return table{
		title: fmt.Sprintf("Names only, %d nodes, ours: server time in ms in peace, and while %d binds wait and %d idle "+
			"connections are open.", h.Nodes, h.Binds, h.Idle),
		header: []string{"verb", "quiet", "p99", "held", "p99", "peak MiB", "calls"},
		rows:   [][]string{row("filter", h.Quiet.Filter, h.Busy.Filter), row("prioritize", h.Quiet.Prioritize, h.Busy.Prioritize)},
	}
}

// rest is what is no table, a line each.
func (r *Report) rest() (lines []string) {
	if i := r.Idle; i != nil {
		lines = append(lines, fmt.Sprintf("Idle for %.0f s with %d open connections: %.2f ms of processor time, %.4f percent of a core.",
			i.Seconds, i.Connections, i.CPUMS, i.CPUPercent))
	}
	if s := r.Startup; s != nil {
		lines = append(lines, fmt.Sprintf("Start to ready, %d starts: median %.1f ms, slowest %.1f ms.", s.Starts, s.MedianMS, s.SlowestMS))
	}
	return lines
}

// labels are a row's first three cells.
func labels(row Row) []string {
	form := "full"
	if row.Form == bodies.NamesOnly {
		form = "names"
	}
	return []string{strconv.Itoa(row.Nodes), form, string(row.Verb)}
}

// Print writes the tables and the verdicts for people at a terminal.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintln(out, r.Machine)
	for _, t := range r.tables() {
		fmt.Fprintf(out, "\n%s\n", t.title)
		writer := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, cells := range append([][]string{t.header}, t.rows...) {
			fmt.Fprintln(writer, strings.Join(cells, "\t")+"\t")
		}
		_ = writer.Flush()
	}
	fmt.Fprintln(out)
	for _, line := range r.rest() {
		fmt.Fprintln(out, line)
	}
	heading := "Targets"
	if r.Partial {
		heading += ", for information: a partial run decides nothing"
	}
	fmt.Fprintf(out, "\n%s\n", heading)
	for _, v := range r.Targets {
		fmt.Fprintln(out, " ", v)
	}
}

func shorts(values ...float64) (cells []string) {
	for _, v := range values {
		cells = append(cells, short(v))
	}
	return cells
}

// short has about three digits that mean something.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1 || v == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}
