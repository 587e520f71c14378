package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// traffic starts all clients of one server.
func (s *soak) traffic(ctx context.Context, group *sync.WaitGroup, t *target) {
	q, n := s.questions, s.counts
	client := func(run func()) { group.Go(run) }
	client(func() { keepAsking(ctx, t, n, q.small, smallGap, 0) })
	client(func() { keepAsking(ctx, t, n, q.small, 2*smallGap, 0) })
	client(func() { keepAsking(ctx, t, n, q.medium, 60*time.Millisecond, 20) })
	client(func() { keepAsking(ctx, t, n, q.large, 400*time.Millisecond, 0) })
	client(func() { pipeline(ctx, t, n, q.small) })
	client(func() { askChunked(ctx, t, n, q.medium) })
	client(func() { askAsGo(ctx, t, n, q.small) })
	client(func() { slowReader(ctx, t, n, q.medium) })
	client(func() { waitingBinds(ctx, t, n) })
	client(func() { vanishing(ctx, t, n, q.medium) })
	client(func() { flood(ctx, t, n, s.sabotage != "descriptors") })
	for range 2 {
		client(func() { sendBadRequests(ctx, t, n, s.badRequests()) })
	}
	for range 3 {
		client(func() { drip(ctx, t, n, "drip: first line", "POST /", s.lineLimit()) })
		client(func() { drip(ctx, t, n, "drip: head", start, 10*time.Second) })
		client(func() { drip(ctx, t, n, "drip: body", start+"Content-Length: 100000\r\n\r\n", 30*time.Second) })
	}
	if t.certificates != nil {
		client(func() { strangers(ctx, t, n, s.sabotage == "strangers") })
	}
	s.startSabotage(ctx, client, t)
}

// lineLimit is how long the server waits for a first line.
func (s *soak) lineLimit() time.Duration {
	if s.sabotage == "drips" {
		return -2 * time.Second
	}
	return 5 * time.Second
}

func (s *soak) badRequests() []badRequest {
	if s.sabotage == "refusals" {
		return append([]badRequest{{"expected to be accepted", fixed("GET / HTTP/9.9\r\n\r\n"), []int{200}, true}}, badRequests...)
	}
	return badRequests
}

// killInTurn kills one server after the other and starts it again.
func (s *soak) killInTurn(ctx context.Context) {
	for turn := 0; pause(ctx, s.plan.kill); turn++ {
		t := s.targets[turn%len(s.targets)]
		s.judgeMetrics(t, false)
		if err := t.kill(); err != nil {
			s.gone = fmt.Errorf("%s does not start again: %w", t.name, err)
			return
		}
		s.kills++
	}
}

// rotateNowAndThen replaces the certificates and sees the server use them 3 s later at most.
func (s *soak) rotateNowAndThen(ctx context.Context) {
	certificates := s.secured.certificates
	for pause(ctx, s.plan.rotation-2*time.Second) {
		if err := certificates.rotate(); err != nil {
			s.counts.violation("rotation: %v", err)
			return
		}
		s.rotations++
		if !pause(ctx, 2*time.Second) {
			break
		}
		s.counts.count(s.secured, "TLS: the new certificate is served", 0, s.servesNewest())
		certificates.adopt()
	}
	certificates.adopt() // by the next phase the server knows
}

func (s *soak) servesNewest() error {
	c, err := s.secured.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	served, want := c.servedSerial(), s.secured.certificates.serverSerial()
	if served.Cmp(want) != 0 {
		return fmt.Errorf("certificate %v is served 2 s after %v was installed", served, want)
	}
	return nil
}
