package main

import (
	"context"
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
	if err = s.startServers(dir); err == nil {
		s.echo, s.echoAddress, err = startEcho(dir)
	}
	return s, err
}

func (s *soak) startServers(dir string) error {
	table := filepath.Join(dir, "nodes.json")
	if err := os.WriteFile(table, s.questions.nodeTable, 0o600); err != nil {
		return err
	}
	certificates, err := newCertificates(dir, s.sabotage == "rotation")
	if err != nil {
		return err
	}
	level := "debug" // most of what clients send is there
	if s.total > 10*time.Minute {
		level = "info" // some 100 MB an hour less
	}
	arguments := []string{"--node-table", table}
	if s.sabotage == "binds" {
		arguments = append(arguments, "--hold.fail-every", "100")
	}
	plain, err := startTarget(s.binary, dir, "plain", "info", nil, arguments...)
	if err != nil {
		return err
	}
	s.targets = append(s.targets, plain)
	if s.secured, err = startTarget(s.binary, dir, "tls", level, certificates, arguments...); err != nil {
		return err
	}
	s.targets = append(s.targets, s.secured)
	return nil
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
	if err := s.prepare(); err != nil {
		return err
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
		s.judgeLosses(t)
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
		s.judgeLosses(t)
		s.judgeMetrics(t, false)
		s.judgeEnd(t)
	}
	s.judgeTimes()
	return ctx.Err()
}

// prepare looks at the servers before any traffic and warms them up.
func (s *soak) prepare() error {
	for _, t := range s.targets {
		if _, err := t.metrics(); err != nil { // opens what stays open
			return err
		}
		var err error
		if s.baseline[t], err = t.descriptors(); err != nil {
			return err
		}
		fillPools(t, s.counts, s.questions.large)
	}
	return nil
}

// judgeEnd stops a server as a kubelet does and reads its log.
func (s *soak) judgeEnd(t *target) {
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
