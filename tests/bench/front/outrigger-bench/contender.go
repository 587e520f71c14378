package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// contender is one server, asked in one way, and what it showed.
type contender struct {
	name   string
	server *server
	call   func() (time.Duration, error)
	calls  int // a turn
	times  []time.Duration
	used   time.Duration // processor time of the server in the turns of this contender
}

// takeTurns asks the contenders in turn.
func takeTurns(ctx context.Context, contenders []*contender, rounds int) error {
	debug.FreeOSMemory() // what an earlier phase left in this process shall not cost this one
	for range rounds {
		for _, x := range contenders {
			if err := x.turn(ctx); err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
		}
	}
	return nil
}

// turn makes x's calls of one round and waits until its server has gone quiet.
func (x *contender) turn(ctx context.Context) error {
	before, err := replay.CPUTime(x.server.pid())
	for range x.calls {
		if err = firstOf(ctx.Err(), err); err != nil {
			return err
		}
		var took time.Duration
		took, err = x.call()
		x.times = append(x.times, took)
	}
	if err = firstOf(err, replay.Settle(x.server.pid(), 300*time.Millisecond)); err != nil {
		return err
	}
	after, err := replay.CPUTime(x.server.pid())
	x.used += after - before
	return err
}

// figures sums up x's turns.
func (x *contender) figures() (Figures, error) {
	peak, err := replay.PeakMemory(x.server.pid())
	if err != nil {
		return Figures{}, err
	}
	s := replay.Summarize(x.times)
	return Figures{
		Calls: s.Calls, MedianMS: milliseconds(s.Median), P99MS: milliseconds(s.P99), MinMS: milliseconds(s.Min),
		CPUCallMS: milliseconds(x.used) / float64(max(s.Calls, 1)), PeakMiB: float64(peak) / (1 << 20),
	}, nil
}

// checkedCall is client's call once a first answer, which also warms the server up, was found right
// in every detail. Later answers must have the same status and length. The first answer's body, a
// copy, comes with it.
func checkedCall(client *replay.Client, c benchCase, cluster *bodies.Cluster) (func() (time.Duration, error), []byte, error) {
	first, err := client.Call()
	if err != nil {
		return nil, nil, err
	}
	if err := replay.Check(first, c.Verb, c.Form, cluster); err != nil {
		return nil, nil, err
	}
	return sameAnswer(client, len(first.Body)), append([]byte(nil), first.Body...), nil
}

// sameAnswer is client's call, whose answer must be a 200 with length bytes.
func sameAnswer(client *replay.Client, length int) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		answer, err := client.Call()
		if err == nil && (answer.Status != 200 || len(answer.Body) != length) {
			err = fmt.Errorf("status %d with %d bytes, the checked answer had %d: %.200s",
				answer.Status, len(answer.Body), length, answer.Body)
		}
		return answer.Took, err
	}
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
