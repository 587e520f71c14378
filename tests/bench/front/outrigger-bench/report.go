package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// Report is a whole run, as bench.json has it.
type Report struct {
	Machine Machine   `json:"machine"`
	Quick   bool      `json:"quick"`
	Rows    []Row     `json:"rows"`
	Targets []Verdict `json:"targets"`
}

// Row is one case.
type Row struct {
	Nodes     int         `json:"nodes"`
	Form      bodies.Form `json:"form"`
	Verb      replay.Verb `json:"verb"`
	BodyBytes int         `json:"bodyBytes"`
	// Server is the raw client's view: first byte sent to last byte received.
	Server Comparison `json:"server"`
	// Whole is the scheduler's view: its whole call, its own JSON work included.
	Whole Comparison `json:"whole"`
}

// Comparison holds two servers side by side.
type Comparison struct {
	Go       Figures `json:"go"`
	Ours     Figures `json:"ours"`
	Ratio    float64 `json:"ratio"`    // Go's median by ours: above 1, ours is faster
	CPURatio float64 `json:"cpuRatio"` // Go's processor time by ours: steadier on a busy machine
}

// Figures are what one server showed in one case.
type Figures struct {
	Calls     int     `json:"calls"`
	MedianMS  float64 `json:"medianMs"`
	P99MS     float64 `json:"p99Ms"`
	MinMS     float64 `json:"minMs"`
	CPUCallMS float64 `json:"cpuPerCallMs"` // of the server process, user and system
	PeakMiB   float64 `json:"peakMiB"`      // resident, since the process began
}

// figuresOf sums up x, whose process had used used before the first call.
func figuresOf(x *contender, used time.Duration) (Figures, error) {
	now, err := replay.CPUTime(x.server.pid())
	if err != nil {
		return Figures{}, err
	}
	peak, err := replay.PeakMemory(x.server.pid())
	if err != nil {
		return Figures{}, err
	}
	s := replay.Summarize(x.times)
	return Figures{
		Calls: s.Calls, MedianMS: milliseconds(s.Median), P99MS: milliseconds(s.P99), MinMS: milliseconds(s.Min),
		CPUCallMS: milliseconds(now-used) / float64(s.Calls), PeakMiB: float64(peak) / (1 << 20),
	}, nil
}

func compare(golang, ours Figures) Comparison {
	return Comparison{Go: golang, Ours: ours,
		Ratio:    times(golang.MedianMS, ours.MedianMS),
		CPURatio: times(golang.CPUCallMS, ours.CPUCallMS)}
}

// times is how many times larger a is than b; 0 when nothing was measured.
func times(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Print writes the tables and the verdicts for people.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintln(out, r.Machine)
	fmt.Fprintln(out, "\nServer time, raw client: first byte sent to last byte received. Milliseconds; peak: MiB resident.")
	printTable(out, r.Rows, func(row Row) Comparison { return row.Server })
	fmt.Fprintln(out, "\nWhole call, the scheduler's own client: its JSON work on both sides included.")
	printTable(out, r.Rows, func(row Row) Comparison { return row.Whole })
	fmt.Fprintln(out, "\nTargets")
	for _, v := range r.Targets {
		fmt.Fprintln(out, " ", v)
	}
}

func printTable(out io.Writer, rows []Row, side func(Row) Comparison) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "nodes\tform\tverb\tGo median\tp99\tcpu/call\tpeak\tours median\tp99\tcpu/call\tpeak\tratio\tcpu ratio\tcalls\t")
	for _, row := range rows {
		c := side(row)
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t\n", row.Nodes, row.Form, row.Verb,
			cells(c.Go), cells(c.Ours), short(c.Ratio), short(c.CPURatio), c.Go.Calls)
	}
	_ = table.Flush()
}

func cells(f Figures) string {
	return strings.Join([]string{short(f.MedianMS), short(f.P99MS), short(f.CPUCallMS), short(f.PeakMiB)}, "\t")
}

// short has about three digits that mean something.
func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// String is the verdict as one line.
func (v Verdict) String() string {
	limit := fmt.Sprintf("at least %g", v.AtLeast)
	if v.AtMost != 0 {
		limit = fmt.Sprintf("at most %g", v.AtMost)
	}
	switch {
	case !v.Measured:
		return fmt.Sprintf("----  %s: not measured (%s)", v.Target, limit)
	case v.Passed:
		return fmt.Sprintf("PASS  %s: %s (%s)", v.Target, short(v.Figure), limit)
	}
	return fmt.Sprintf("MISS  %s: %s (%s)", v.Target, short(v.Figure), limit)
}

// Write makes file, and the folders it lies in, as JSON.
func (r *Report) Write(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
