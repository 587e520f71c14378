package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// plan says how long what takes. The first half runs without kills: there the same process has to
// show that it does not grow. In the second half servers are killed in turn.
type plan struct {
	half, warmUp, rotation, kill time.Duration
}

func planFor(total time.Duration) plan {
	half := total / 2
	return plan{
		half:     half,
		warmUp:   min(half/3, 2*time.Minute),
		rotation: min(max(total/12, 3*time.Second), 10*time.Second),
		kill:     min(max(half/6, 2*time.Second), 12*time.Second),
	}
}

// soak is one run.
type soak struct {
	options
	plan        plan
	counts      *tally
	questions   *questions
	targets     []*target
	secured     *target
	kills       int
	rotations   int
	gone        error           // a server that does not start again
	baseline    map[*target]int // descriptors before any traffic
	samples     map[*target]*samples
	echo        *process.Process
	echoAddress string
	echoTimes   []time.Duration
}

func newSoak(o options, dir string) (*soak, error) {
	s := &soak{options: o, plan: planFor(o.total), counts: newTally(), baseline: map[*target]int{}, samples: map[*target]*samples{}}
	var err error
	if s.questions, err = makeQuestions(o.sabotage == "answers"); err != nil {
		return nil, err
	}
	table := filepath.Join(dir, "nodes.json")
	if err := os.WriteFile(table, s.questions.nodeTable, 0o600); err != nil {
		return nil, err
	}
	certificates, err := newCertificates(dir, o.sabotage == "rotation")
	if err != nil {
		return nil, err
	}
	level := "debug"
	if o.total > 10*time.Minute { // some 100 MB an hour
		level = "info"
	}
	plain, err := startTarget(o.binary, dir, "plain", "info", nil, table)
	if err != nil {
		return nil, err
	}
	s.targets = append(s.targets, plain)
	if s.secured, err = startTarget(o.binary, dir, "tls", level, certificates, table); err != nil {
		return s, err
	}
	s.targets = append(s.targets, s.secured)
	s.echo, s.echoAddress, err = startEcho(dir)
	return s, err
}

func (s *soak) stop() {
	if s.echo != nil {
		s.echo.Kill()
	}
	for _, t := range s.targets {
		if s.gone == nil {
			t.server.Kill()
		}
	}
}

// run is the whole of it; what was wrong is in the tally.
func (s *soak) run(ctx context.Context) error {
	for _, t := range s.targets {
		if _, err := t.metrics(); err != nil { // opens what stays open
			return err
		}
		var err error
		if s.baseline[t], err = t.descriptors(); err != nil {
			return err
		}
	}
	for _, t := range s.targets {
		fillPools(t, s.counts, s.questions.large)
	}
	s.phase(ctx, func(ctx context.Context, group *sync.WaitGroup) {
		var mutex sync.Mutex
		for _, t := range s.targets {
			group.Go(func() {
				taken := sample(ctx, t, s.counts, s.plan.warmUp)
				mutex.Lock()
				defer mutex.Unlock()
				s.samples[t] = taken
			})
		}
	})
	for _, t := range s.targets {
		s.judgeGrowth(t)
		s.judgeRest(t)
		s.judgeMetrics(t, true)
	}
	s.phase(ctx, func(ctx context.Context, group *sync.WaitGroup) {
		group.Go(func() { s.killInTurn(ctx) })
	})
	if s.gone != nil {
		return s.gone
	}
	for _, t := range s.targets {
		s.judgeRest(t)
		s.judgeMetrics(t, false)
		if err := t.server.Stop(10 * time.Second); err != nil {
			s.counts.violation("%s: did not stop well: %v", t.name, err)
		}
		if s.sabotage == "log" {
			appendTo(t.server.LogPath(), "\x1b[31m"+forged+"\n")
		}
		if lines, err := checkLog(t.server.LogPath()); err != nil || lines == 0 {
			s.counts.violation("%s: log of %d lines: %v", t.name, lines, err)
		}
	}
	s.judgeTimes()
	return ctx.Err()
}

func appendTo(path, text string) {
	if file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
		_, _ = file.WriteString(text)
		file.Close()
	}
}

// phase runs all traffic, and more, for half of the time, and returns when every client has left.
func (s *soak) phase(parent context.Context, more func(context.Context, *sync.WaitGroup)) {
	ctx, cancel := context.WithTimeout(parent, s.plan.half)
	defer cancel()
	var group sync.WaitGroup
	for _, t := range s.targets {
		s.traffic(ctx, &group, t)
	}
	group.Go(func() { s.rotateNowAndThen(ctx) })
	group.Go(func() {
		times, err := measureEcho(ctx, s.echoAddress)
		if err != nil {
			s.counts.violation("echo: %v", err)
		}
		s.echoTimes = append(s.echoTimes, times...)
	})
	more(ctx, &group)
	group.Wait()
}

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
	client(func() { vanishing(ctx, t, n, q.medium) })
	client(func() { flood(ctx, t, n, s.sabotage != "descriptors") })
	for range 2 {
		client(func() { sendBadRequests(ctx, t, n, s.badRequests()) })
	}
	for range 3 {
		client(func() { drip(ctx, t, n, "drip: first line", "POST /", 5*time.Second) })
		client(func() { drip(ctx, t, n, "drip: head", start, 10*time.Second) })
		client(func() { drip(ctx, t, n, "drip: body", start+"Content-Length: 100000\r\n\r\n", 30*time.Second) })
	}
	if t.certificates != nil {
		client(func() { strangers(ctx, t, n) })
	}
	s.startSabotage(ctx, client, t)
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
