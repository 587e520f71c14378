package main

import (
	"context"
	"fmt"
	"time"

	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// changesPerSecond is the rate of the phase of changes.
const changesPerSecond = 1000

// measure takes one follower through all phases: start, quiet, changes, changes with calls.
func measure(ctx context.Context, f follower, o options, kubeconfig, dir string, changer *changer) (*Figures, error) {
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
	if err := figures.call(ctx, f, o, dir, changer); err != nil {
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
func (figures *Figures) follow(ctx context.Context, f follower, duration time.Duration, changer *changer) error {
	before, err := replay.CPUTime(f.Pid())
	if err != nil {
		return err
	}
	done, err := changeAndSettle(ctx, f, duration, changer, &figures.FollowPercent)
	if err != nil {
		return err
	}
	after, err := replay.CPUTime(f.Pid())
	if err != nil {
		return err
	}
	figures.FollowCPUMS = milliseconds(after - before)
	figures.ChangesPerSecond, figures.ChangesLate = done.PerSecond, done.Late
	figures.WriteP50MS, figures.WriteP99MS = done.WriteP50Ms, done.WriteP99Ms
	figures.Lags, err = f.Lags()
	return err
}

// changeAndSettle makes the changes and waits until the follower has seen them all.
func changeAndSettle(
	ctx context.Context, f follower, duration time.Duration, changer *changer, percent *float64,
) (done changes, err error) {
	before, err := f.Seen()
	if err != nil {
		return done, err
	}
	*percent, err = share(f.Pid(), func() error {
		done, err = changer.change(duration)
		return err
	})
	for deadline := time.Now().Add(time.Minute); err == nil; {
		var seen int
		if seen, err = f.Seen(); err != nil || seen-before >= done.Sent {
			break
		}
		if time.Now().After(deadline) {
			return done, fmt.Errorf("%s has seen %d of %d changes", f.Name(), seen-before, done.Sent)
		}
		err = replay.Settle(f.Pid(), 100*time.Millisecond)
	}
	return done, err
}

// call measures names-only filter calls, of the follower and of the floor by turns, while pods change;
// a follower that answers none is left alone.
func (figures *Figures) call(ctx context.Context, f follower, o options, dir string, changer *changer) error {
	ours, body, err := f.Caller()
	if err != nil || ours == nil {
		return err
	}
	defer ours.Close()
	floor, err := startFloor(o.floor, dir, body, ours.first)
	if err != nil {
		return err
	}
	defer floor.stop()
	if err := hurry(); err != nil {
		return err
	}
	changed := make(chan error, 1)
	go func() {
		_, err := changer.change(o.duration())
		changed <- err
	}()
	times := [2][]time.Duration{}
	for i := 0; ; i = 1 - i {
		took, err := []*checkedClient{ours, floor.checkedClient}[i].Call()
		if err != nil {
			return err
		}
		times[i] = append(times[i], took)
		select {
		case err := <-changed:
			figures.Calls = &Calls{summarize(times[0]), summarize(times[1])}
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(callPause):
		}
	}
}

func summarize(times []time.Duration) CallTimes {
	summary := replay.Summarize(times)
	return CallTimes{summary.Calls, milliseconds(summary.Median), milliseconds(summary.P99)}
}

// callPause is between two calls: a scheduler does other work, and calls without a pause would make
// the machine busier than any scheduler does.
const callPause = 5 * time.Millisecond
