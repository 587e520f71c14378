package prometheus_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/exporter"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/prometheus"
)

func TestPrometheusSeesTheLoadsOfTheExporters(t *testing.T) {
	nodes := exporter.ForTest(t, exporter.Spec{Name: "a", Cpus: 4, Load: exporter.Load{Busy: 1, Available: 100}},
		exporter.Spec{Name: "b", Cpus: 2, Load: exporter.Load{Busy: 2, Available: 200}})
	server := prometheus.ForTest(t, t.TempDir(), prometheus.Options{Targets: nodes.Targets(), Interval: 200 * time.Millisecond})
	until := func(query string, want ...float64) {
		t.Helper()
		if err := kube.Eventually(t.Context(), process.Patience, func(ctx context.Context) error {
			got, err := server.Query(ctx, query)
			if err != nil {
				return err
			}
			for i, target := range nodes.Targets() {
				value, err := strconv.ParseFloat(got[target], 64)
				if err != nil || math.Abs(value-want[i]) > 0.05 {
					return fmt.Errorf("%s of %s is %q, want %v", query, target, got[target], want[i])
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	const idle = `sum by (instance) (rate(node_cpu_seconds_total{mode="idle"}[2s]))`
	until(idle, 3, 0)
	until(`node_memory_MemAvailable_bytes`, 100, 200)
	nodes.Node("a").Set(exporter.Load{Busy: 3, Available: 50})
	until(idle, 1, 0)
	until(`node_memory_MemAvailable_bytes`, 50, 200)
}

func TestAWrongQueryIsAnErrorWithItsReason(t *testing.T) {
	server := prometheus.ForTest(t, t.TempDir(), prometheus.Options{})
	if _, err := server.Query(t.Context(), "sum("); err == nil {
		t.Error("no error")
	} else {
		t.Log(err)
	}
}

func TestHistoryIsWhatWasMade(t *testing.T) {
	now := time.Now()
	var samples []prometheus.Sample
	for at := now.Add(-25 * time.Hour); at.Before(now.Add(5 * time.Minute)); at = at.Add(15 * time.Second) {
		samples = append(samples, prometheus.Sample{At: at, Value: 0.25 * at.Sub(now.Add(-26*time.Hour)).Seconds()})
	}
	blocks, err := prometheus.MakeHistory(t.Context(), t.TempDir(), prometheus.Metric{
		Name: "node_cpu_seconds_total", Counter: true,
		Series: []prometheus.Series{{Labels: `instance="a"`, Samples: samples}}})
	if err != nil {
		t.Fatal(err)
	}
	server := prometheus.ForTest(t, t.TempDir(), prometheus.Options{History: blocks})
	got, err := server.Query(t.Context(), `avg_over_time(rate(node_cpu_seconds_total[2m])[1d:15s])`)
	if err != nil {
		t.Fatal(err)
	}
	if value, err := strconv.ParseFloat(got["a"], 64); err != nil || math.Abs(value-0.25) > 1e-6 {
		t.Errorf("the mean rate of a day is %q, want 0.25", got["a"])
	}
	server.Kill()
	if got, err := server.Query(t.Context(), "node_cpu_seconds_total"); err == nil {
		t.Errorf("a killed server says %v", got)
	}
	if err := server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := server.Query(t.Context(), "node_cpu_seconds_total"); err != nil || len(got) != 1 {
		t.Errorf("after its restart it says %v, %v", got, err)
	}
}

func TestWithoutTheProgramTheTestKnowsWhatToDo(t *testing.T) {
	t.Setenv("OUTRIGGER_CACHE", t.TempDir())
	if _, err := prometheus.Start(t.Context(), t.TempDir(), t.TempDir(), prometheus.Options{}); err == nil ||
		!strings.Contains(err.Error(), "scripts/setup --prometheus") {
		t.Errorf("%v", err)
	}
}
