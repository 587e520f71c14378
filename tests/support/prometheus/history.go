package prometheus

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Sample is a value at a time.
type Sample struct {
	At    time.Time
	Value float64
}

// Series is one time series of a metric.
type Series struct {
	// Labels are those between the braces: `cpu="0",mode="idle"`.
	Labels  string
	Samples []Sample // in the order of time
}

// Metric is all series of a name.
type Metric struct {
	// Name is that of the series; that of a counter ends with _total.
	Name    string
	Counter bool
	Series  []Series
}

// MakeHistory makes a folder in dir with the blocks of a Prometheus that has scraped these (Options.History).
func MakeHistory(ctx context.Context, dir string, metrics ...Metric) (string, error) {
	promtool, err := Binary("promtool")
	if err != nil {
		return "", err
	}
	input, blocks := filepath.Join(dir, "history.txt"), filepath.Join(dir, "history")
	if err := writeOpenMetrics(input, metrics); err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, promtool, "tsdb", "create-blocks-from", "openmetrics", "--quiet",
		"--max-block-duration=24h", input, blocks)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("promtool: %w: %s", err, out)
	}
	return blocks, os.Remove(input)
}

func writeOpenMetrics(path string, metrics []Metric) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	for _, metric := range metrics {
		family, kind := metric.Name, "gauge"
		if metric.Counter {
			family, kind = metric.Name[:len(metric.Name)-len("_total")], "counter"
		}
		fmt.Fprintf(out, "# TYPE %s %s\n", family, kind)
		for _, series := range metric.Series {
			for _, sample := range series.Samples {
				fmt.Fprintf(out, "%s{%s} %s %.3f\n", metric.Name, series.Labels, number(sample.Value),
					float64(sample.At.UnixMilli())/1000)
			}
		}
	}
	fmt.Fprintln(out, "# EOF")
	return out.Flush()
}

func number(value float64) string {
	if math.IsNaN(value) {
		return "NaN"
	}
	return fmt.Sprintf("%.6f", value)
}
