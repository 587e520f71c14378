package main

import (
	"context"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/bench/watch/crowd"
)

// goCommand is the go command of this run.
func goCommand() string {
	if path := os.Getenv("OUTRIGGER_GO"); path != "" {
		return path
	}
	return "go"
}

func TestASmallRunWithInformersAloneMeasuresThem(t *testing.T) {
	dir := t.TempDir() + "/"
	if out, err := exec.CommandContext(t.Context(), goCommand(), "build", "-o", dir, "../informers", "../changer").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	r, err := measureRun(ctx, options{informers: dir + "informers", changer: dir + "changer",
		goOnly: true, seed: 1, seconds: 3, size: crowd.Size{Nodes: 50, Pods: 500}})
	if err != nil {
		t.Fatal(err)
	}
	r.Section = r.section()
	var printed strings.Builder
	r.Print(&printed)
	t.Log(printed.String())
	f := r.Go
	if !r.Partial || r.Ours != nil || f.ReadyMS <= 0 || f.ReadyCPUMS <= 0 || f.ResidentMB < 10 || f.PeakMB < f.ResidentMB ||
		f.FollowCPUMS <= 0 || f.Lags.Events < 2700 || f.Lags.P50MS <= 0 || f.Lags.P99MS < f.Lags.P50MS || r.PodBytes < 3400 {
		t.Errorf("%+v", *f)
	}
	for _, verdict := range r.Section.Targets {
		if verdict.Measured {
			t.Errorf("without ours: %s", verdict)
		}
	}
}

// reaching is a full run that reaches every target by a little.
func reaching() *Report {
	return &Report{Nodes: full.size.Nodes, Pods: full.size.Pods, Seconds: full.seconds,
		Go: &Figures{ReadyMS: 5001, ReadyCPUMS: 6000, ResidentMB: 441, FollowCPUMS: 3001},
		Ours: &Figures{ReadyMS: 5000, ReadyCPUMS: 2000, ResidentMB: 110, QuietPercent: 0.49, FollowPercent: 29.9,
			FollowCPUMS: 1000, ChangesPerSecond: 951, Lags: Lags{P99MS: 49.9}, Calls: &Calls{Ours: CallTimes{MedianMS: 0.99, P99MS: 2.99}}}}
}

func TestARunThatReachesEverythingPasses(t *testing.T) {
	for _, v := range reaching().section().Targets {
		if !v.Passed {
			t.Error(v)
		}
	}
}

func TestOneFigureBeyondItsLimitIsOneMiss(t *testing.T) {
	for name, row := range map[string]struct {
		spoil  func(*Report)
		target string
	}{
		"memory":      {func(r *Report) { r.Go.ResidentMB = 439 }, "times smaller"},
		"cpu":         {func(r *Report) { r.Ours.FollowCPUMS = 1002 }, "times cheaper"},
		"slow start":  {func(r *Report) { r.Ours.ReadyMS = 5002 }, "time from start to ready"},
		"allowance":   {func(r *Report) { r.Ours.ResidentMB, r.Go.ResidentMB = 110.1, 900 }, "resident memory by"},
		"not quiet":   {func(r *Report) { r.Ours.QuietPercent = 0.51 }, "following a quiet cluster"},
		"busy":        {func(r *Report) { r.Ours.FollowPercent = 30.1 }, "1000 changes per second, percent"},
		"few changes": {func(r *Report) { r.Ours.ChangesPerSecond = 900 }, "how many there were"},
		"lag":         {func(r *Report) { r.Ours.Lags.P99MS = 50.1 }, "lag, p99"},
		"endless lag": {func(r *Report) { r.Ours.Lags.P99MS = math.Inf(1) }, "lag, p99"},
		"filter":      {func(r *Report) { r.Ours.Calls.Ours.MedianMS = 1.01 }, "second: median"},
		"filter p99":  {func(r *Report) { r.Ours.Calls.Ours.P99MS = 3.01 }, "second: p99"},
	} {
		t.Run(name, func(t *testing.T) {
			r := reaching()
			row.spoil(r)
			for _, v := range r.section().Targets {
				if hit := strings.Contains(v.Target, row.target); hit == v.Passed {
					t.Error(v)
				}
			}
		})
	}
}
