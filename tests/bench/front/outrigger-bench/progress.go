package main

import (
	"fmt"
	"os"
)

// progress tells a person at a terminal what is being measured. In a pipe it says nothing.
type progress struct {
	terminal    bool
	step, steps int
}

func newProgress(steps int) *progress {
	info, err := os.Stderr.Stat()
	return &progress{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0, steps: steps}
}

func (p *progress) next(what string) {
	p.step++
	if p.terminal {
		fmt.Fprintf(os.Stderr, "\r\x1b[K[%d/%d] %s", p.step, p.steps, what)
	}
}

// done leaves a clean line.
func (p *progress) done() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
}
