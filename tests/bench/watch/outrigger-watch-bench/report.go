package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// Report is a whole run, as watch.json has it.
type Report struct {
	Nodes     int           `json:"nodes"`
	Pods      int           `json:"pods"`
	NodeBytes int           `json:"nodeBytes"` // of JSON
	PodBytes  int           `json:"podBytes"`
	Seconds   int           `json:"seconds"` // of each phase
	FillS     float64       `json:"fillSeconds"`
	Load      string        `json:"load"`
	Partial   bool          `json:"partial"` // a run whose figures decide nothing
	Go        *Figures      `json:"go,omitempty"`
	Ours      *Figures      `json:"ours,omitempty"`
	Section   sheet.Section `json:"section"`
}

// Figures are what one follower showed.
type Figures struct {
	ReadyMS          float64 `json:"readyMs"`
	ReadyCPUMS       float64 `json:"readyCpuMs"`
	ResidentMB       float64 `json:"residentMb"` // 10^6 bytes; after a collection of garbage, where there is a collector
	PeakMB           float64 `json:"peakMb"`
	QuietPercent     float64 `json:"quietPercent"` // of a core
	FollowPercent    float64 `json:"followPercent"`
	FollowCPUMS      float64 `json:"followCpuMs"`
	ChangesPerSecond float64 `json:"changesPerSecond"`
	ChangesLate      int     `json:"changesLate"`
	WriteP50MS       float64 `json:"writeP50Ms"` // of etcd, for one change
	WriteP99MS       float64 `json:"writeP99Ms"`
	Lags             Lags    `json:"lags"`
	Calls            *Calls  `json:"calls,omitempty"`
}

// Calls are names-only filter calls while pods change, of ours and of the floor by turns.
type Calls struct {
	Ours  CallTimes `json:"ours"`
	Floor CallTimes `json:"floor"`
}

// CallTimes sum up calls of one server.
type CallTimes struct {
	Count    int     `json:"count"`
	MedianMS float64 `json:"medianMs"`
	P99MS    float64 `json:"p99Ms"`
}

// section makes what goes onto the page.
func (r *Report) section() sheet.Section {
	s := sheet.Section{
		Heading: "Following a cluster",
		Text: fmt.Sprintf("One real kube-apiserver and etcd with %d nodes (%.1f KB of JSON each) and %d running pods (%.1f KB), "+
			"followed by client-go's shared informers for nodes and pods (protobuf, managedFields dropped, as kube-scheduler "+
			"has them) and then by ours. Resident memory of client-go is that after a collection of garbage. Quiet and "+
			"following were watched for %d s each; following is at %d changes of pods per second, written to etcd past the "+
			"API server, since the machine would have no time for anything else. A lag is counted from when a change is "+
			"sent to etcd to when the follower has it: the write and the API server's part are in it.",
			r.Nodes, float64(r.NodeBytes)/1000, r.Pods, float64(r.PodBytes)/1000, r.Seconds, changesPerSecond),
		Tables:  []sheet.Table{r.table(), r.lagTable()},
		Targets: sheet.Judge(targets(), r),
	}
	s.Lines = append(s.Lines, fmt.Sprintf("Filling the API server took %.0f s; load %s in the minute before the run.", r.FillS, r.Load))
	if r.Ours != nil && r.Ours.Calls != nil {
		c := r.Ours.Calls
		s.Lines = append(s.Lines, fmt.Sprintf("Names-only filter calls of ours for %d nodes while pods change: median %s ms, p99 %s ms, %d calls. "+
			"The floor, called by turns: median %s ms, p99 %s ms, which is what this machine takes while etcd, the API server and "+
			"who makes the changes are at work on it.",
			r.Nodes, sheet.Short(c.Ours.MedianMS), sheet.Short(c.Ours.P99MS), c.Ours.Count,
			sheet.Short(c.Floor.MedianMS), sheet.Short(c.Floor.P99MS)))
	}
	return s
}

func (r *Report) table() sheet.Table {
	t := sheet.Table{
		Title: "Time and processor time in ms, memory in MB (10^6 bytes), shares in percent of a core.",
		Header: []string{"follower", "ready", "cpu until ready", "resident", "peak", "quiet", "following",
			"cpu following"},
	}
	r.each(func(name string, f *Figures) {
		t.Rows = append(t.Rows, append([]string{name}, sheet.Shorts(f.ReadyMS, f.ReadyCPUMS, f.ResidentMB, f.PeakMB,
			f.QuietPercent, f.FollowPercent, f.FollowCPUMS)...))
	})
	return t
}

func (r *Report) lagTable() sheet.Table {
	t := sheet.Table{
		Title:  "While pods change: lag and etcd's time for a write, in ms.",
		Header: []string{"follower", "changes/s", "late", "seen", "lag", "p99", "write", "p99"},
	}
	r.each(func(name string, f *Figures) {
		row := []string{name, sheet.Short(f.ChangesPerSecond), strconv.Itoa(f.ChangesLate), strconv.Itoa(f.Lags.Events)}
		t.Rows = append(t.Rows, append(row, sheet.Shorts(f.Lags.P50MS, f.Lags.P99MS, f.WriteP50MS, f.WriteP99MS)...))
	})
	return t
}

func (r *Report) each(what func(name string, f *Figures)) {
	if r.Go != nil {
		what("client-go", r.Go)
	}
	if r.Ours != nil {
		what("ours", r.Ours)
	}
}

// Print writes tables and verdicts for people at a terminal.
func (r *Report) Print(out io.Writer) {
	fmt.Fprintf(out, "%d nodes of %d bytes, %d pods of %d bytes, filled in %.1f s, load %s\n",
		r.Nodes, r.NodeBytes, r.Pods, r.PodBytes, r.FillS, r.Load)
	for _, t := range r.Section.Tables {
		t.Print(out)
	}
	heading := "Targets"
	if r.Partial {
		heading += ", for information: a partial run decides nothing"
	}
	fmt.Fprintf(out, "\n%s\n", heading)
	for _, v := range r.Section.Targets {
		fmt.Fprintln(out, " ", v)
	}
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
