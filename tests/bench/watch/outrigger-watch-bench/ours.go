package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// ours is `outrigger serve` with a kubeconfig. Its lag is the histogram outrigger_watch_lag_seconds.
type ours struct {
	binary  string
	cluster *bodies.Cluster
	server  *outrigger.Server
	before  histogram // when it was ready
}

// lagMetric is the histogram of lags, in seconds.
const lagMetric = "outrigger_watch_lag_seconds"

func (o *ours) Name() string { return "ours" }

func (o *ours) Start(ctx context.Context, kubeconfig, dir string) error {
	var err error
	o.server, err = outrigger.Start(o.binary, dir, "safe", "--kubeconfig", kubeconfig)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		if o.isReady(ctx) {
			tick.Stop()
			o.before, err = o.lags()
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("ours is not ready: %w; its log is %s", ctx.Err(), o.server.LogPath())
		case <-tick.C:
		}
	}
}

func (o *ours) isReady(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.server.AdminURL+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (o *ours) Pid() int { return o.server.Pid() }

func (o *ours) Resident() (int64, error) { return replay.ResidentMemory(o.Pid()) }

// lags reads the histogram.
func (o *ours) lags() (histogram, error) {
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get(o.server.AdminURL + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readHistogram(response.Body, lagMetric)
}

func (o *ours) Seen() (int, error) {
	now, err := o.lags()
	return int(now.minus(o.before).count()), err
}

func (o *ours) Lags() (Lags, error) {
	now, err := o.lags()
	since := now.minus(o.before)
	return Lags{int(since.count()), 1000 * since.quantile(0.5), 1000 * since.quantile(0.99)}, err
}

// Caller makes filter calls with the names of all nodes, each of which must come back.
func (o *ours) Caller() (caller, error) {
	body, err := o.cluster.Encode(bodies.NamesOnly)
	if err != nil {
		return nil, err
	}
	client, err := replay.Dial(strings.TrimPrefix(o.server.URL, "http://"), "/safe/filter", body)
	if err != nil {
		return nil, err
	}
	first, err := client.Call()
	if err == nil {
		err = replay.Check(first, replay.Filter, bodies.NamesOnly, o.cluster)
	}
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("names-only filter: %w", err)
	}
	return &checkedClient{client, len(first.Body)}, nil
}

// checkedClient expects every answer to be as long as the first one, which was right.
type checkedClient struct {
	client *replay.Client
	length int
}

func (c *checkedClient) Call() (time.Duration, error) {
	answer, err := c.client.Call()
	if err == nil && (answer.Status != http.StatusOK || len(answer.Body) != c.length) {
		err = fmt.Errorf("status %d with %d bytes, want %d: %.200s", answer.Status, len(answer.Body), c.length, answer.Body)
	}
	return answer.Took, err
}

func (c *checkedClient) Close() error { return c.client.Close() }

func (o *ours) Stop() {
	if o.server != nil {
		_ = o.server.Stop(10 * time.Second)
	}
}
