package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/prometheus"
)

const (
	day        = 24 * time.Hour   // of which the deviation is
	meanOver   = day / 3          // of which the mean is
	scrapes    = 15 * time.Second // between two scrapes, and between two points of what is measured
	rateOver   = 4 * scrapes      // what the annotator takes for a rate
	stale      = 5 * time.Minute  // how long Prometheus takes a sample for the present
	resolution = 0.002            // relative, of a day whose end is known to some seconds
)

// past is what a node did: its idle and its busy cpus, each a counter of seconds, and its available memory.
type past struct {
	name, address string
	idle, busy    [][]prometheus.Sample
	memory        []prometheus.Sample
}

// livePast makes up a node: its load changes every few minutes around a mean that goes with the hour. It is
// restarted once, which sets its counters to 0, and its exporter is silent for some hours.
func livePast(name, address string, now time.Time, random *rand.Rand, silentFrom, silentTo time.Duration) *past {
	p := &past{name: name, address: address, idle: make([][]prometheus.Sample, 2), busy: make([][]prometheus.Sample, 2)}
	seconds, busy := make([]float64, len(p.idle)), make([]float64, len(p.idle))
	share, available := make([]float64, len(p.idle)), 0.0
	// 7 s: never at a point of time at which a rate begins or ends.
	first := now.Add(-day - time.Hour).Truncate(scrapes).Add(7 * time.Second)
	for i := range int((day + time.Hour + 5*time.Minute) / scrapes) {
		at := first.Add(time.Duration(i) * scrapes)
		if i%20 == 0 {
			for cpu := range share {
				share[cpu] = math.Min(1, math.Max(0, 0.5+0.3*math.Sin(2*math.Pi*at.Sub(first).Hours()/24)+0.4*(random.Float64()-0.5)))
			}
			available = 4e9 + 8e9*random.Float64()
		}
		before := now.Sub(at)
		restarts := before <= 4*time.Hour && before+scrapes > 4*time.Hour
		for cpu := range seconds {
			seconds[cpu] += share[cpu] * scrapes.Seconds()
			busy[cpu] += (1 - share[cpu]) * scrapes.Seconds()
			if restarts {
				seconds[cpu], busy[cpu] = share[cpu], 1-share[cpu]
			}
		}
		if before < silentFrom && before > silentTo {
			continue
		}
		for cpu := range seconds {
			p.idle[cpu] = append(p.idle[cpu], prometheus.Sample{At: at, Value: seconds[cpu]})
			p.busy[cpu] = append(p.busy[cpu], prometheus.Sample{At: at, Value: busy[cpu]})
		}
		p.memory = append(p.memory, prometheus.Sample{At: at, Value: math.Round(available)})
	}
	return p
}

// moments are the mean and the deviation over that time before end of what value says of each point of time.
func moments(end time.Time, over time.Duration, value func(at time.Time) (float64, bool)) (mean, deviation float64) {
	var n, sum, squares float64
	for at := end.Add(-over).Truncate(scrapes).Add(scrapes); !at.After(end); at = at.Add(scrapes) {
		if v, ok := value(at); ok {
			n, sum, squares = n+1, sum+v, squares+v*v
		}
	}
	mean = sum / n
	return mean, math.Sqrt(math.Max(0, squares/n-mean*mean))
}

// idleAt is the millicores that were idle in the minute before a point of time.
func (p *past) idleAt(at time.Time) (millicores float64, known bool) {
	for _, cpu := range p.idle {
		window := between(cpu, at.Add(-rateOver), at)
		if len(window) < 2 {
			continue
		}
		known = true
		millicores += 1000 * increaseOf(window) / window[len(window)-1].At.Sub(window[0].At).Seconds()
	}
	return millicores, known
}

// meanIdle is the millicores that were idle in the window before end, the time when the exporter was silent included.
func (p *past) meanIdle(end time.Time) float64 {
	idle, all := 0.0, 0.0
	for cpu := range p.idle {
		of := increaseOf(between(p.idle[cpu], end.Add(-meanOver), end))
		idle, all = idle+of, all+of+increaseOf(between(p.busy[cpu], end.Add(-meanOver), end))
	}
	return 1000 * float64(len(p.idle)) * idle / all
}

// increaseOf is how much a counter counted from the first sample to the last.
func increaseOf(samples []prometheus.Sample) float64 {
	increase := 0.0
	for i, sample := range samples[1:] {
		if step := sample.Value - samples[i].Value; step >= 0 {
			increase += step
		} else {
			increase += sample.Value // the counter began again at 0
		}
	}
	return increase
}

func (p *past) memoryAt(at time.Time) (float64, bool) {
	window := between(p.memory, at.Add(-stale), at)
	if len(window) == 0 {
		return 0, false
	}
	return window[len(window)-1].Value, true
}

// between are the samples after from and not after to.
func between(samples []prometheus.Sample, from, to time.Time) []prometheus.Sample {
	first := search(samples, from)
	return samples[first:search(samples, to)]
}

func search(samples []prometheus.Sample, at time.Time) int {
	low, high := 0, len(samples)
	for low < high {
		if middle := (low + high) / 2; samples[middle].At.After(at) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// history is the pasts as Prometheus scraped them.
func history(pasts []*past) []prometheus.Metric {
	cpu := prometheus.Metric{Name: "node_cpu_seconds_total", Counter: true}
	memory := prometheus.Metric{Name: "node_memory_MemAvailable_bytes"}
	for _, p := range pasts {
		labels := fmt.Sprintf(`instance="%s:9100",job="node"`, p.address)
		for i := range p.idle {
			for mode, samples := range map[string][]prometheus.Sample{"idle": p.idle[i], "user": p.busy[i]} {
				cpu.Series = append(cpu.Series, prometheus.Series{
					Labels: fmt.Sprintf(`cpu="%d",mode=%q,%s`, i, mode, labels), Samples: samples})
			}
		}
		memory.Series = append(memory.Series, prometheus.Series{Labels: labels, Samples: p.memory})
	}
	return []prometheus.Metric{cpu, memory}
}

func TestADayOfHistoryIsMeasuredAsCalculated(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	now, random := time.Now(), rand.New(rand.NewPCG(1, 2))
	pasts := []*past{livePast("a", "10.0.0.1", now, random, 0, 0), livePast("b", "10.0.0.2", now, random, 9*time.Hour, 6*time.Hour)}
	blocks, err := prometheus.MakeHistory(t.Context(), t.TempDir(), history(pasts)...)
	if err != nil {
		t.Fatal(err)
	}
	server := prometheus.ForTest(t, t.TempDir(), prometheus.Options{History: blocks})
	w := newWorld(t)
	for _, p := range pasts {
		w.Nodes(kube.MakeNode(p.name).InternalIP(p.address))
	}
	w.Nodes(kube.MakeNode("unmeasured").InternalIP("10.0.0.3"))
	table := outrigger.Run(t, "annotate", "usage", "--once", "--dry-run", "--kubeconfig", w.rightsOf("usage"),
		"--source", "prometheus", "--prometheus-url", server.URL, "--window", fmt.Sprint(int(meanOver.Seconds())), "--forecast")
	t.Logf("%s", table)
	end, rows := time.Now(), tableRows(string(table))
	for _, p := range pasts {
		row := rows[p.name]
		if !strings.Contains(row["SERIES"], p.address) {
			t.Errorf("node %s: the series is %q", p.name, row["SERIES"])
		}
		_, cpuDeviation := moments(end, day, p.idleAt)
		cpu := p.meanIdle(end)
		memory, _ := moments(end, meanOver, p.memoryAt)
		_, memoryDeviation := moments(end, day, p.memoryAt)
		for column, want := range map[string]float64{"MEAN-FREE-CPU": cpu, "STD-FREE-CPU": cpuDeviation,
			"MEAN-FREE-MEMORY": memory, "STD-FREE-MEMORY": memoryDeviation} {
			if got, err := strconv.ParseFloat(row[column], 64); err != nil || math.Abs(got-want) > resolution*want {
				t.Errorf("node %s: %s is %q, want %.1f", p.name, column, row[column], want)
			}
		}
		// What is to come is near what was.
		for column, mean := range map[string]float64{"FORECASTED-FREE-CPU": cpu, "FORECASTED-FREE-MEMORY": memory} {
			if got, err := strconv.ParseFloat(row[column], 64); err != nil || got < 0.2*mean || got > 2*mean {
				t.Errorf("node %s: %s is %q, the mean %.1f", p.name, column, row[column], mean)
			}
		}
	}
	if row := rows["unmeasured"]; row["MEAN-FREE-CPU"] != "-" || !strings.Contains(row["MISSING"], "no-series") {
		t.Errorf("a node without series: %v", row)
	}
}

var columnGap = regexp.MustCompile(` {2,}`)

// tableRows reads a table by the words of its head and the names in its first column.
func tableRows(table string) map[string]map[string]string {
	rows := map[string]map[string]string{}
	var head []string
	for line := range strings.Lines(table) {
		cells := columnGap.Split(strings.TrimSpace(line), -1)
		switch {
		case cells[0] == "NODE":
			head = cells
		case len(cells) == len(head):
			rows[cells[0]] = map[string]string{}
			for i, cell := range cells {
				rows[cells[0]][head[i]] = cell
			}
		}
	}
	return rows
}
