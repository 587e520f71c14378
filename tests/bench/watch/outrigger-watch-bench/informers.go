package main

import (
	"context"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/talk"
)

// informers are client-go's, in the process of the program informers.
type informers struct {
	binary string
	child  *talk.Child
}

func (i *informers) Name() string { return "client-go" }

func (i *informers) Start(_ context.Context, kubeconfig, dir string) error {
	var err error
	i.child, err = talk.Start(process.Spec{Name: "informers", Path: i.binary, LogDir: dir,
		Args: []string{"--kubeconfig", kubeconfig}})
	if err != nil {
		return err
	}
	var synced struct{ SyncedMs float64 }
	return i.child.Hear("synced", 5*time.Minute, &synced)
}

func (i *informers) Pid() int { return i.child.Pid() }

// stats are what the program answers to the command of that name.
type stats struct {
	RSSBytes int64
	Events   int
	LagP50Ms float64
	LagP99Ms float64
}

func (i *informers) stats() (stats, error) {
	var s stats
	err := i.child.Ask("stats", &s)
	return s, err
}

func (i *informers) Resident() (int64, error) {
	s, err := i.stats()
	return s.RSSBytes, err
}

func (i *informers) Seen() (int, error) {
	var s stats
	err := i.child.Ask("seen", &s)
	return s.Events, err
}

func (i *informers) Lags() (Lags, error) {
	s, err := i.stats()
	return Lags{s.Events, s.LagP50Ms, s.LagP99Ms}, err
}

func (i *informers) Caller() (*checkedClient, []byte, error) { return nil, nil, nil }

func (i *informers) Stop() {
	if i.child != nil {
		_ = i.child.Quit()
	}
}
