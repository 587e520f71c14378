package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// sabotages are what --break can do.
var sabotages = map[string]string{
	"answers":     "expect one score that is wrong",
	"refusals":    "expect a bad request to be accepted",
	"binds":       "let the server answer a bind that waited with an error now and then",
	"memory":      "hold more and more unfinished bodies",
	"descriptors": "never close the silent connections",
	"latency":     "stop the server for 200 ms now and then",
	"death":       "kill a server in the first half, unannounced",
	"metrics":     "claim answers and refusals that never were",
	"log":         "write into the log as a client must not",
	"rotation":    "leave the files of certificates as they are",
	"strangers":   "send strangers with a good certificate",
	"drips":       "expect a first line to be refused within 1 s",
}

// startSabotage makes things go wrong that a run has to notice.
func (s *soak) startSabotage(ctx context.Context, client func(func()), t *target) {
	switch s.sabotage {
	case "memory":
		client(func() { hoard(ctx, t) })
	case "latency":
		client(func() {
			for pause(ctx, 200*time.Millisecond) {
				_ = syscall.Kill(t.server.Pid(), syscall.SIGSTOP)
				time.Sleep(200 * time.Millisecond)
				_ = syscall.Kill(t.server.Pid(), syscall.SIGCONT)
			}
		})
	case "death":
		client(func() {
			if pause(ctx, s.plan.half/2) {
				_ = syscall.Kill(t.server.Pid(), syscall.SIGKILL)
			}
		})
	}
}

// hoard sends bodies and never their last byte.
func hoard(ctx context.Context, t *target) {
	part := make([]byte, 1<<20)
	for pause(ctx, 100*time.Millisecond) {
		if c, err := t.dial(); err == nil {
			_ = c.send(fmt.Appendf(nil, "POST /safe/filter HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", len(part)+1), part)
			defer c.Close()
		}
	}
}
