package crowd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Changes is what Change did.
type Changes struct {
	Sent   int
	PerSec float64
	// Late is how many were sent more than 100 ms after their time: the machine did not keep up.
	Late int
	// Writes are the times that etcd took for each.
	Writes []time.Duration
}

// Change changes pods for a time, one after the other, at a rate per second: each change is one event
// for whoever watches. It returns when all have been taken.
func (c *Changer) Change(ctx context.Context, rate int, duration time.Duration) (Changes, error) {
	total := int(duration.Seconds() * float64(rate))
	began := time.Now()
	var mutex sync.Mutex
	var changes Changes
	var failures []error
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < total && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
				waitUntil(ctx, due)
				sent := time.Now()
				err := c.changeOne(ctx, i, sent)
				took := time.Since(sent)
				mutex.Lock()
				if err != nil && len(failures) < 3 {
					failures = append(failures, err)
				}
				changes.Writes = append(changes.Writes, took)
				if sent.Sub(due) > 100*time.Millisecond {
					changes.Late++
				}
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	changes.Sent = len(changes.Writes)
	changes.PerSec = float64(changes.Sent) / time.Since(began).Seconds()
	if len(failures) > 0 {
		return changes, fmt.Errorf("change pods: %w", errors.Join(failures...))
	}
	return changes, ctx.Err()
}

func waitUntil(ctx context.Context, when time.Time) {
	if left := time.Until(when); left > 0 {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}
