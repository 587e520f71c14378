package main

import (
	"fmt"
	"io"
	"strconv"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/sheet"
)

// table is figures with what they mean, for a terminal or a page.
type table = sheet.Table

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
		Title: "Server time in ms, raw client: first byte sent to last byte received.",
		Header: []string{"nodes", "form", "verb", "Go", "p99", "ours", "p99", "floor", "p99", "receive-only",
			"parse-only", "floor/sum", "ours/floor", "Go/ours"},
	}
	for _, row := range r.Rows {
		s := row.Server
		t.Rows = append(t.Rows, append(labels(row), sheet.Shorts(s.Go.MedianMS, s.Go.P99MS, s.Ours.MedianMS, s.Ours.P99MS,
			s.Floor.MedianMS, s.Floor.P99MS, s.ReceiveOnlyMS, s.ParseOnlyMS, s.FloorBySum, s.OursByFloor, s.GoByOurs)...))
	}
	return t
}

func (r *Report) costTable() table {
	t := table{
		Title: "Processor time per call in ms; bodies and peak memory in MiB.",
		Header: []string{"nodes", "form", "verb", "request", "answer", "Go cpu", "ours", "floor", "ours/floor", "Go/ours",
			"Go peak", "ours", "floor", "Go calls", "ours"},
	}
	mebibytes := func(bytes int) float64 { return float64(bytes) / (1 << 20) }
	for _, row := range r.Rows {
		s := row.Server
		cells := append(labels(row), sheet.Shorts(mebibytes(row.BodyBytes), mebibytes(row.AnswerBytes), s.Go.CPUCallMS,
			s.Ours.CPUCallMS, s.Floor.CPUCallMS, s.OursByFloorCPU, s.GoByOursCPU,
			s.Go.PeakMiB, s.Ours.PeakMiB, s.Floor.PeakMiB)...)
		t.Rows = append(t.Rows, append(cells, strconv.Itoa(s.Go.Calls), strconv.Itoa(s.Ours.Calls)))
	}
	return t
}

func (r *Report) wholeTable() table {
	t := table{
		Title:  "Whole call in ms, the scheduler's own client: its JSON work on both sides included.",
		Header: []string{"nodes", "form", "verb", "Go", "p99", "ours", "p99", "Go/ours"},
	}
	for _, row := range r.Rows {
		w := row.Whole
		t.Rows = append(t.Rows, append(labels(row), sheet.Shorts(w.Go.MedianMS, w.Go.P99MS, w.Ours.MedianMS, w.Ours.P99MS, w.GoByOurs)...))
	}
	return t
}

func (h *Held) table() table {
	row := func(verb string, quiet, busy Figures) []string {
		return append(append([]string{verb}, sheet.Shorts(quiet.MedianMS, quiet.P99MS, busy.MedianMS, busy.P99MS, busy.PeakMiB)...),
			strconv.Itoa(busy.Calls))
	}
	return table{
		Title: fmt.Sprintf("Names only, %d nodes, ours: server time in ms in peace, and while %d binds wait and %d idle "+
			"connections are open.", h.Nodes, h.Binds, h.Idle),
		Header: []string{"verb", "quiet", "p99", "held", "p99", "peak MiB", "calls"},
		Rows:   [][]string{row("filter", h.Quiet.Filter, h.Busy.Filter), row("prioritize", h.Quiet.Prioritize, h.Busy.Prioritize)},
	}
}

// rest is what is no table, a line each.
func (r *Report) rest() (lines []string) {
	if x := r.Rejected; x != nil {
		lines = append(lines, fmt.Sprintf("Names only, %d nodes of which the filter rejects %d, each with its reason (%d bytes): "+
			"server time median %.2f ms, p99 %.2f ms.", x.Nodes, x.Rejected, x.AnswerBytes, x.Filter.MedianMS, x.Filter.P99MS))
	}
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
		t.Print(out)
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
