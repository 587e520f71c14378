package main

import (
	"context"
	"fmt"
	"time"

	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/watch/crowd"
)

// changesPerSecond is the rate of the phase of changes.
const changesPerSecond = 1000

// measure takes one follower through all phases: start, quiet, changes, changes with calls.
func measure(ctx context.Context, f follower, o options, kubeconfig, dir string, changer *crowd.Changer) (*Figures, error) {
	figures := &Figures{}
	defer f.Stop()
	began := time.Now()
	if err := f.Start(ctx, kubeconfig, dir); err != nil {
		return nil, err
	}
	figures.ReadyMS = milliseconds(time.Since(began))
	used, err := replay.CPUTime(f.Pid())
	if err != nil {
		return nil, err
	}
	figures.ReadyCPUMS = milliseconds(used)
	if figures.QuietPercent, err = quiet(ctx, f, o.duration()); err != nil {
		return nil, err
	}
	resident, err := f.Resident()
	if err != nil {
		return nil, err
	}
	figures.ResidentMB = float64(resident) / 1e6
	if err := figures.follow(ctx, f, o.duration(), changer); err != nil {
		return nil, err
	}
	if err := figures.call(ctx, f, o.duration(), changer); err != nil {
		return nil, err
	}
	peak, err := replay.PeakMemory(f.Pid())
	figures.PeakMB = float64(peak) / 1e6
	return figures, err
}

// quiet is the processor time, in percent of a core, of a follower to whom nothing happens.
func quiet(ctx context.Context, f follower, duration time.Duration) (float64, error) {
	if err := replay.Settle(f.Pid(), 10*time.Second); err != nil {
		return 0, err
	}
	return share(f.Pid(), func() error {
		select {
		case <-time.After(duration):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// share is the processor time that a process uses while what runs, in percent of a core.
func share(pid int, what func() error) (float64, error) {
	before, err := replay.CPUTime(pid)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := what(); err != nil {
		return 0, err
	}
	took := time.Since(began)
	after, err := replay.CPUTime(pid)
	return 100 * float64(after-before) / float64(took), err
}

// follow measures a follower while pods change.
func (figures *Figures) follow(ctx context.Context, f follower, duration time.Duration, changer *crowd.Changer) error {
	before, err := replay.CPUTime(f.Pid())
	if err != nil {
		return err
	}
	changes, err := changeAndSettle(ctx, f, duration, changer, &figures.FollowPercent)
	if err != nil {
		return err
	}
	after, err := replay.CPUTime(f.Pid())
	if err != nil {
		return err
	}
	figures.FollowCPUMS = milliseconds(after - before)
	writes := replay.Summarize(changes.Writes)
	figures.ChangesPerSecond, figures.ChangesLate = changes.PerSec, changes.Late
	figures.WriteP50MS, figures.WriteP99MS = milliseconds(writes.Median), milliseconds(writes.P99)
	figures.Lags, err = f.Lags()
	return err
}

// changeAndSettle makes the changes and waits until the follower has seen them all.
func changeAndSettle(
	ctx context.Context, f follower, duration time.Duration, changer *crowd.Changer, percent *float64,
) (changes crowd.Changes, err error) {
	before, err := f.Seen()
	if err != nil {
		return changes, err
	}
	*percent, err = share(f.Pid(), func() error {
		changes, err = changer.Change(ctx, changesPerSecond, duration)
		return err
	})
	for deadline := time.Now().Add(time.Minute); err == nil; {
		var seen int
		if seen, err = f.Seen(); err != nil || seen-before >= changes.Sent {
			break
		}
		if time.Now().After(deadline) {
			return changes, fmt.Errorf("%s has seen %d of %d changes", f.Name(), seen-before, changes.Sent)
		}
		err = replay.Settle(f.Pid(), 100*time.Millisecond)
	}
	return changes, err
}

// call measures names-only filter calls, one after the other, while pods change; a follower that
// answers none is left alone.
func (figures *Figures) call(ctx context.Context, f follower, duration time.Duration, changer *crowd.Changer) error {
	caller, err := f.Caller()
	if err != nil || caller == nil {
		return err
	}
	defer caller.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan error, 1)
	go func() {
		_, err := changer.Change(ctx, changesPerSecond, duration)
		changed <- err
	}()
	var times []time.Duration
	for {
		took, err := caller.Call()
		if err != nil {
			cancel()
			<-changed
			return err
		}
		times = append(times, took)
		select {
		case err := <-changed:
			summary := replay.Summarize(times)
			figures.Calls = &Calls{summary.Calls, milliseconds(summary.Median), milliseconds(summary.P99)}
			return err
		case <-time.After(callPause):
		}
	}
}

// callPause is between two calls: a scheduler does other work, and calls without a pause would make
// the machine busier than any scheduler does.
const callPause = 5 * time.Millisecond
