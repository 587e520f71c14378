package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// sendBadRequests sends one after the other, each on a connection of its own.
func sendBadRequests(ctx context.Context, t *target, counts *tally, requests []badRequest) {
	for at := rand.IntN(len(requests)); pause(ctx, 15*time.Millisecond); at++ {
		r := requests[at%len(requests)]
		counts.count(t, "bad: "+r.kind, 0, sendBadRequest(t, r))
	}
}

func sendBadRequest(t *target, r badRequest) error {
	c, err := t.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.send(r.make(t.host())); err != nil {
		return err
	}
	answer, err := c.receive()
	if err != nil {
		return err
	}
	if !slices.Contains(r.status, answer.status) {
		return fmt.Errorf("status %d, want %v: %.200q", answer.status, r.status, answer.body)
	}
	for _, b := range answer.body {
		if b < 0x20 && b != '\n' || b == 0x7f {
			return fmt.Errorf("raw control characters in the answer: %.200q", answer.body)
		}
	}
	if r.early {
		t.saw(c.life, seen{refused: 1})
		if !answer.close {
			return errors.New("refused, but the connection stays open")
		}
	}
	return nil
}

// vanishing are clients that go away at the worst moment. What they leave behind is for the
// assertions on memory, descriptors and gauges.
func vanishing(ctx context.Context, t *target, counts *tally, from []*question) {
	for turn := 0; pause(ctx, 30*time.Millisecond); turn++ {
		q := from[rand.IntN(len(from))]
		head := bodies.Header(t.host(), q.path, len(q.body))
		c, err := t.dial()
		kind := "vanish in the head"
		if err == nil {
			switch turn % 4 {
			case 0:
				err = c.send(head[:rand.IntN(len(head))])
			case 1:
				kind = "vanish in the body"
				err = c.send(head, q.body[:rand.IntN(len(q.body))])
			case 2:
				kind = "vanish in the answer"
				if err = c.send(head, q.body); err == nil {
					_, _ = c.reader.ReadByte()
				}
			case 3:
				kind = "vanish before the answer"
				err = c.send(head, q.body)
			}
			if rand.IntN(2) == 0 {
				c.vanish()
			}
			c.Close()
		}
		counts.count(t, kind, 0, err)
	}
}

// slowReader takes an answer in small steps; it has to be right nevertheless.
func slowReader(ctx context.Context, t *target, counts *tally, from []*question) {
	for pause(ctx, 200*time.Millisecond) {
		q := from[rand.IntN(len(from))]
		c, err := t.dial()
		if err == nil {
			_ = c.raw.SetReadBuffer(64 << 10)
			begin := time.Now()
			if err = c.send(bodies.Header(t.host(), q.path, len(q.body)), q.body); err == nil {
				pause(ctx, time.Duration(rand.IntN(3000))*time.Millisecond)
				_, err = c.expect(q, begin)
			}
			c.Close()
		}
		counts.count(t, "slow reader", 0, err)
	}
}

// drip sends a byte now and then. The server has to end it by its wall clock, however regular the
// bytes are: a first line within 5 s, a head within 10 s and a body within 30 s.
func drip(ctx context.Context, t *target, counts *tally, kind, begin string, limit time.Duration) {
	for pause(ctx, 100*time.Millisecond) {
		c, err := t.dial()
		if err == nil {
			err = dripOn(ctx, c, strings.ReplaceAll(begin, "HOST", t.host()), limit)
			c.Close()
		}
		if ctx.Err() == nil || err != nil {
			counts.count(t, kind, 0, err)
		}
	}
}

func dripOn(ctx context.Context, c *conn, begin string, limit time.Duration) error {
	if err := c.send([]byte(begin)); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		answer, err := c.receive()
		if err == nil && answer.status != 408 {
			err = fmt.Errorf("status %d, want 408", answer.status)
		}
		ended <- err
	}()
	allowed := time.After(limit + 3*time.Second)
	for {
		select {
		case <-ctx.Done():
			c.Close()
			<-ended
			return nil
		case err := <-ended:
			if err == nil {
				c.target.saw(c.life, seen{refused: 1})
			}
			return err
		case <-allowed:
			c.Close()
			<-ended
			return c.target.judge(c.life, fmt.Errorf("not ended after %v", limit+3*time.Second))
		case <-time.After(200 * time.Millisecond):
			_, _ = c.Write([]byte("a"))
		}
	}
}

// flood opens many connections that say nothing, holds them for a while and leaves.
func flood(ctx context.Context, t *target, counts *tally, leave bool) {
	for pause(ctx, 500*time.Millisecond) {
		var open []*conn
		for range 150 {
			c, err := t.dialRaw()
			counts.count(t, "silent connections", 0, err)
			if err == nil {
				open = append(open, c)
			}
		}
		pause(ctx, 2*time.Second)
		if !leave {
			counts.keep(open)
			continue
		}
		for _, c := range open {
			c.Close()
		}
	}
}

// strangers are clients that TLS has to keep out.
func strangers(ctx context.Context, t *target, counts *tally, known bool) {
	for turn := 0; pause(ctx, 100*time.Millisecond); turn++ {
		kind, config := "TLS: without a certificate", t.certificates.config()
		switch turn % 4 {
		case 0:
			config.Certificates = nil
		case 1:
			kind = "TLS: of a retired authority"
			if config = t.certificates.retiredConfig(); config == nil {
				continue
			}
		case 2:
			kind = "TLS: 1.1"
			config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		case 3:
			kind, config = "TLS: not spoken", nil
		}
		if known {
			config = t.certificates.config()
		}
		counts.count(t, kind, 0, stranger(t, config))
	}
}

func stranger(t *target, config *tls.Config) error {
	begin := t.now()
	c, err := t.dialAs(config)
	if err != nil {
		if errors.Is(err, errLost) {
			return nil
		}
		if !strings.Contains(err.Error(), "TLS handshake") {
			return err
		}
		t.saw(begin, seen{strangers: 1})
		return nil
	}
	defer c.Close()
	// With TLS 1.3 a client learns only now that it is kept out.
	err = c.send([]byte("GET /version HTTP/1.1\r\nHost: a\r\n\r\n"))
	if err == nil {
		var answer reply
		if answer, err = c.receive(); err == nil {
			return fmt.Errorf("answered with status %d", answer.status)
		}
	}
	if !errors.Is(err, errLost) {
		t.saw(c.life, seen{strangers: 1})
	}
	return nil
}
