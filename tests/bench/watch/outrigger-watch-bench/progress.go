package main

import (
	"fmt"
	"os"
	"time"
)

// progress tells a person at a terminal how far the run is. In a pipe it says nothing.
type progress struct {
	terminal bool
	total    int
	began    time.Time
}

func newProgress(total int) *progress {
	info, err := os.Stderr.Stat()
	return &progress{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, total: total, began: time.Now()}
}

// step is told how many objects there are. Safe for concurrent use.
func (p *progress) step(done int) {
	if p.terminal && (done%250 == 0 || done == p.total) {
		fmt.Fprintf(os.Stderr, "\r\x1b[Kfilling: %d of %d objects, %.0f s", done, p.total, time.Since(p.began).Seconds())
	}
}

func (p *progress) say(what string) {
	if p.terminal {
		fmt.Fprintf(os.Stderr, "\r\x1b[Kmeasuring %s\n", what)
	}
}

// done leaves a clean line.
func (p *progress) done() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
