package main

import (
	"fmt"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/talk"
)

// changer is the program of that name: it changes pods in etcd.
type changer struct{ child *talk.Child }

// changes are what it did.
type changes struct {
	Sent       int
	PerSecond  float64
	Late       int
	WriteP50Ms float64
	WriteP99Ms float64
}

func startChanger(binary, etcdURL, logDir string) (*changer, error) {
	child, err := talk.Start(process.Spec{Name: "changer", Path: binary, LogDir: logDir, Args: []string{"--etcd", etcdURL}})
	if err != nil {
		return nil, err
	}
	var found struct{ Pods int }
	if err := child.Hear("pods", time.Minute, &found); err != nil {
		child.Kill()
		return nil, err
	}
	return &changer{child}, nil
}

// change changes pods for a time and returns when all have been taken.
func (c *changer) change(duration time.Duration) (changes, error) {
	var done changes
	command := fmt.Sprintf("change %d %s", changesPerSecond, duration)
	err := c.child.AskWithin(command, duration+time.Minute, &done)
	return done, err
}

// stop ends the program, whatever it is doing.
func (c *changer) stop() { c.child.Kill() }
