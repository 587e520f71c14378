package kube

import (
	"context"
	"fmt"
	"time"
)

// Eventually asks condition again and again until it returns nil, or returns its last error when the
// time is over. It is for what no watch tells; what a watch tells is for Until.
func Eventually(ctx context.Context, limit time.Duration, condition func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := condition(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil { // what fails because the time is over says nothing
			last = err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %v still: %w", limit, last)
		case <-tick.C:
		}
	}
}
