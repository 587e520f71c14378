package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"outrigger.dev/outrigger/tests/bench/sheet"
)

// effort is what it took to bind all pods. Unlike the time it does not depend much on what else the
// machine does.
type effort struct {
	apiServer, scheduler, agent float64 // processor time, s
	filters, nominations        float64 // calls and writes
}

// effort is what was spent since the stage was made.
func (s *stage) effort() (e effort, err error) {
	if e.apiServer, err = cpuOf(s.cluster.ServerPid()); err != nil {
		return e, err
	}
	if s.scheduler != nil {
		if e.scheduler, err = cpuOf(s.scheduler.Pid()); err != nil {
			return e, err
		}
	}
	if s.passing != nil {
		e.filters = float64(s.passing.filters.Load())
	}
	if s.agent == nil {
		return e, nil
	}
	if e.agent, err = cpuOf(s.agent.Pid()); err != nil {
		return e, err
	}
	_, page := s.agent.Ask("/metrics")
	e.filters = sumOf(page, "outrigger_extender_requests_total", `verb="filter"`)
	e.nominations = sumOf(page, "outrigger_gang_nominations_total", `result="written"`)
	return e, nil
}

func (e effort) since(before effort) effort {
	e.apiServer -= before.apiServer
	e.scheduler -= before.scheduler
	e.agent -= before.agent
	e.filters -= before.filters
	e.nominations -= before.nominations
	return e
}

// sumOf is the sum of a metric's series with a label.
func sumOf(page, metric, label string) (sum float64) {
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, metric+"{") || !strings.Contains(line, label) {
			continue
		}
		if value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]), 64); err == nil {
			sum += value
		}
	}
	return sum
}

// cpuOf is the processor time that a process has used, in s.
func cpuOf(pid int) (float64, error) {
	const tick = 0.01
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// Behind the name, which may have blanks: utime and stime.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	sum := 0.0
	for _, field := range fields[11:13] {
		ticks, err := strconv.Atoi(field)
		if err != nil {
			return 0, fmt.Errorf("a line of /proc that is none: %w", err)
		}
		sum += float64(ticks) * tick
	}
	return sum, nil
}

// effortTable has a row for each way in which pods come, the median of each column.
func effortTable(pods int, ways []*crowdWay) sheet.Table {
	table := sheet.Table{
		Title:  "What it took: processor time in s, calls and writes a pod",
		Header: []string{"", "API server", "scheduler", "agent", "all, to the first", "filter calls", "nominations"},
	}
	all := func(e effort) float64 { return e.apiServer + e.scheduler + e.agent }
	first := 0.0
	for _, way := range ways {
		column := func(of func(effort) float64) float64 {
			var values []float64
			for _, e := range way.efforts {
				values = append(values, of(e))
			}
			return median(values)
		}
		if first == 0 {
			first = column(all)
		}
		table.Rows = append(table.Rows, append([]string{way.String()}, sheet.Shorts(
			column(func(e effort) float64 { return e.apiServer }),
			column(func(e effort) float64 { return e.scheduler }),
			column(func(e effort) float64 { return e.agent }),
			column(all)/first,
			column(func(e effort) float64 { return e.filters / float64(pods) }),
			column(func(e effort) float64 { return e.nominations / float64(pods) }))...))
	}
	return table
}
