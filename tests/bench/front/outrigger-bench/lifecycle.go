package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// idleSize is how long a server is watched that nobody calls, with how many open connections.
type idleSize struct {
	Connections int
	Watch       time.Duration
}

var (
	fullIdle  = idleSize{Connections: 32, Watch: 10 * time.Second}
	quickIdle = idleSize{Connections: 8, Watch: time.Second}
)

// measureIdle is the processor time, in percent of a core, of a server that has answered and is
// left alone.
func measureIdle(ctx context.Context, o options, size idleSize) (*Idle, error) {
	server, err := startAgents(ctx, o.outrigger, "safe", "/safe", nil)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	connections, err := openIdle(server, size.Connections)
	if err != nil {
		return nil, err
	}
	defer connections.close()
	if err := replay.Settle(server.pid(), time.Second); err != nil {
		return nil, err
	}
	before, err := replay.CPUTime(server.pid())
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(size.Watch):
	}
	after, err := replay.CPUTime(server.pid())
	watched := time.Since(begin)
	return &Idle{Connections: size.Connections, Seconds: watched.Seconds(), CPUMS: milliseconds(after - before),
		CPUPercent: 100 * float64(after-before) / float64(watched)}, firstOf(err, connections.use())
}

// measureStartup is the time from the start of a process to a 200 of its /readyz.
func measureStartup(ctx context.Context, o options, starts int) (*Startup, error) {
	var all []time.Duration
	for range starts {
		begin := time.Now()
		server, err := startAgents(ctx, o.outrigger, "safe", "/safe", nil)
		if err != nil {
			return nil, err
		}
		err = askReady(server)
		all = append(all, time.Since(begin))
		server.stop()
		if err != nil {
			return nil, err
		}
	}
	s := replay.Summarize(all)
	return &Startup{Starts: s.Calls, MedianMS: milliseconds(s.Median), SlowestMS: milliseconds(all[len(all)-1])}, nil
}

func askReady(server *server) error {
	response, err := http.Get("http://" + server.admin + "/readyz")
	if err != nil {
		return err
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz: status %d once the port file was there", response.StatusCode)
	}
	return nil
}
