package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/watch/crowd"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/talk"
)

// ours is outrigger_kube_follow: what `outrigger serve` is made of, with pods followed too, and with
// a look at each change as it is stored.
type ours struct {
	binary  string
	cluster *bodies.Cluster
	child   *talk.Child
}

// selfReport is what it says of itself.
type selfReport struct {
	LagCount int     `json:"lagCount"`
	LagP50MS float64 `json:"lagP50Ms"`
	LagP99MS float64 `json:"lagP99Ms"`
}

func (o *ours) Name() string { return "ours" }

func (o *ours) Start(ctx context.Context, kubeconfig, dir string) error {
	var err error
	o.child, err = talk.Start(process.Spec{Name: "ours", Path: o.binary, LogDir: dir, Args: []string{
		"--kubeconfig", kubeconfig, "--lag-annotation", crowd.SentAnnotation}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		var answer struct {
			Ready   bool     `json:"ready"`
			Reasons []string `json:"reasons"`
		}
		if err := o.child.Ask("ready", &answer); err != nil || answer.Ready {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("ours is not ready: %w: %v; its log is %s", ctx.Err(), answer.Reasons, o.child.LogPath)
		case <-tick.C:
		}
	}
}

func (o *ours) Pid() int { return o.child.Pid() }

func (o *ours) Resident() (int64, error) { return replay.ResidentMemory(o.Pid()) }

func (o *ours) Seen() (int, error) {
	var now selfReport
	err := o.child.Ask("stats", &now)
	return now.LagCount, err
}

func (o *ours) Lags() (Lags, error) {
	var now selfReport
	err := o.child.Ask("stats", &now)
	return Lags{now.LagCount, now.LagP50MS, now.LagP99MS}, err
}

// Caller makes filter calls with the names of all nodes, each of which must come back.
func (o *ours) Caller() (*checkedClient, []byte, error) {
	body, err := o.cluster.Encode(bodies.NamesOnly)
	if err != nil {
		return nil, nil, err
	}
	var ports struct {
		Port int `json:"port"`
	}
	if err := o.child.Ask("ports", &ports); err != nil {
		return nil, nil, err
	}
	client, err := replay.Dial(fmt.Sprintf("127.0.0.1:%d", ports.Port), "/safe/filter", body)
	if err != nil {
		return nil, nil, err
	}
	first, err := client.Call()
	if err == nil {
		err = replay.Check(first, replay.Filter, bodies.NamesOnly, o.cluster)
	}
	if err != nil {
		client.Close()
		return nil, nil, fmt.Errorf("names-only filter: %w", err)
	}
	return &checkedClient{client, slices.Clone(first.Body), len(first.Body)}, body, nil
}

// checkedClient expects every answer to be as long as the first one, which was right.
type checkedClient struct {
	client *replay.Client
	first  []byte
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
	if o.child != nil {
		_ = o.child.Quit()
	}
}
