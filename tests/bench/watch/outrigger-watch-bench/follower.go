package main

import (
	"context"
	"time"
)

// follower is a process that watches nodes and pods, as the benchmark sees it.
type follower interface {
	// Name is what tables call it.
	Name() string
	// Start starts the process and returns once it knows everything.
	Start(ctx context.Context, kubeconfig, dir string) error
	// Pid is the process id.
	Pid() int
	// Resident is its memory in bytes; a garbage collector may run before.
	Resident() (int64, error)
	// Seen is how many changes of pods it has seen since it was ready. Asking costs it next to nothing.
	Seen() (int, error)
	// Lags sums up the lags of those.
	Lags() (Lags, error)
	// Caller makes names-only filter calls, with body; nil if it answers none.
	Caller() (client *checkedClient, body []byte, err error)
	// Stop ends the process.
	Stop()
}

// Lags are the times from when a change was sent to when it was seen.
type Lags struct {
	Events int     `json:"events"`
	P50MS  float64 `json:"p50Ms"`
	P99MS  float64 `json:"p99Ms"`
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
