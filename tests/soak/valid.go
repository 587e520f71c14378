package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// pause waits, less long at the end of the phase; false when that has come.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// keepAsking asks questions on a connection that is kept as long as it lives, or for calls calls.
func keepAsking(ctx context.Context, t *target, counts *tally, from []*question, gap time.Duration, calls int) {
	var c *conn
	defer func() {
		if c != nil {
			c.Close()
		}
	}()
	for asked := 0; pause(ctx, gap); {
		q := from[rand.IntN(len(from))]
		var took time.Duration
		var err error
		if c == nil {
			c, err = t.dial()
			asked = 0
		}
		if err == nil {
			took, err = c.ask(q)
			asked++
		}
		counts.count(t, q.kind, took, err)
		if c != nil && (err != nil || calls > 0 && asked >= calls) {
			c.Close()
			c = nil
		}
	}
}

// pipeline sends several calls at once, and one in chunks among them, and reads all answers.
func pipeline(ctx context.Context, t *target, counts *tally, from []*question) {
	for pause(ctx, 100*time.Millisecond) {
		c, err := t.dial()
		var asked []*question
		var sent bytes.Buffer
		for i := range 6 {
			q := from[rand.IntN(len(from))]
			asked = append(asked, q)
			if i%3 == 1 {
				sent.Write(chunked(t.host(), q.path, q.body, 1+rand.IntN(4000)))
			} else {
				sent.Write(bodies.Header(t.host(), q.path, len(q.body)))
				sent.Write(q.body)
			}
		}
		if err == nil {
			// All at once would deadlock if neither side read.
			failed := make(chan error, 1)
			go func() { failed <- c.send(sent.Bytes()) }()
			for _, q := range asked {
				if _, err = c.expect(q, time.Now()); err != nil {
					break
				}
			}
			if err != nil {
				c.vanish()
			}
			if sendError := <-failed; err == nil {
				err = sendError
			}
			c.Close()
		}
		counts.count(t, "six calls at once, two in chunks", 0, err)
	}
}

// chunked is a request whose body comes in chunks of the given size, with an extension and a trailer.
func chunked(host, path string, body []byte, size int) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST %s HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n", path, host)
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&out, "%x;soak=1\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	out.WriteString("0\r\nX-Trailer: yes\r\n\r\n")
	return out.Bytes()
}

// askChunked sends full nodes in chunks.
func askChunked(ctx context.Context, t *target, counts *tally, from []*question) {
	for pause(ctx, 150*time.Millisecond) {
		q := from[rand.IntN(len(from))]
		c, err := t.dial()
		var took time.Duration
		if err == nil {
			begin := time.Now()
			if err = c.send(chunked(t.host(), q.path, q.body, 1000+rand.IntN(100_000))); err == nil {
				took, err = c.expect(q, begin)
			}
			c.Close()
		}
		counts.count(t, "in chunks", took, err)
	}
}

// askAsGo calls with Go's own client, as kube-scheduler does.
func askAsGo(ctx context.Context, t *target, counts *tally, from []*question) {
	transport := &http.Transport{ForceAttemptHTTP2: true}
	scheme := "http"
	if t.certificates != nil {
		scheme = "https"
		transport.TLSClientConfig = t.certificates.config()
	}
	client := http.Client{Transport: transport, Timeout: patience}
	defer func() { transport.CloseIdleConnections() }()
	renewed := time.Now()
	for pause(ctx, 30*time.Millisecond) {
		if t.certificates != nil && time.Since(renewed) > 2*time.Second {
			transport.CloseIdleConnections()
			transport = &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: t.certificates.config()}
			client.Transport = transport
			renewed = time.Now()
		}
		q := from[rand.IntN(len(from))]
		begin := t.now()
		started := time.Now()
		err := askWith(&client, scheme+"://"+t.host()+q.path, q)
		took := time.Since(started)
		if wrong := (*wrongAnswer)(nil); err != nil && !errors.As(err, &wrong) {
			// An idle connection of a life before this one ends at its next use.
			if begin.number > 0 && isConnectionEnd(err) && t.justBorn() {
				err = errLost
			} else {
				err = t.judge(begin, err)
			}
			transport.CloseIdleConnections()
		}
		counts.count(t, "Go's own client", took, err)
	}
}

func isConnectionEnd(err error) bool {
	return errors.Is(err, io.EOF) || strings.Contains(err.Error(), "reset") || strings.Contains(err.Error(), "broken pipe")
}

// wrongAnswer is one that no kill excuses.
type wrongAnswer struct{ error }

func askWith(client *http.Client, url string, q *question) error {
	response, err := client.Post(url, "application/json", bytes.NewReader(q.body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return &wrongAnswer{fmt.Errorf("status %d: %.200s", response.StatusCode, answer)}
	}
	if err := q.check(answer); err != nil {
		return &wrongAnswer{fmt.Errorf("wrong answer: %w", err)}
	}
	return nil
}

// fillPools asks large questions at once, more than the server keeps buffers for, so that its pools of
// buffers are as large as they get before anybody watches its memory.
func fillPools(t *target, counts *tally, from []*question) {
	const clients = 12
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			c, err := t.dial()
			for range 2 {
				if err == nil {
					_, err = c.ask(from[0])
				}
			}
			if c != nil {
				c.Close()
			}
			counts.count(t, "large ones at once, to warm up", 0, err)
		})
	}
	group.Wait()
}
