package main

import (
	"fmt"
	"io"
	"time"
)

const (
	// residentSlack is for the pools of buffers: how many large ones they keep follows how many large
	// calls happened to run at once in the last half minute.
	residentSlack   = 64 << 20
	descriptorSlack = 40
	// p99Limit is ten times the target of a names-only call on a quiet machine (3 ms), above twice
	// what a bare echo took at the same time: this run shares its cores with its own clients, and a
	// call passes two threads of the server (poller, worker) where an echo passes one.
	p99Limit = 30 * time.Millisecond
	// smallGap is the pause between small calls of one client.
	smallGap = 6 * time.Millisecond
	// restWithin is how long after the last client's leave the server may hold anything of it.
	restWithin = 5 * time.Second
)

// judgeGrowth wants memory and descriptors of one life to stay as they were after warm-up.
func (s *soak) judgeGrowth(t *target) {
	taken := s.samples[t]
	for _, series := range []struct {
		name   string
		values []int64
		slack  int64
	}{{"resident bytes", taken.resident, residentSlack}, {"descriptors", taken.descriptors, descriptorSlack}} {
		first, last, err := growth(series.values)
		if err != nil {
			s.counts.violation("%s: %s: %v", t.name, series.name, err)
		} else if !flat(first, last, series.slack) {
			s.counts.violation("%s: %s grew from %d to %d (medians of the first and last third)", t.name, series.name, first, last)
		}
	}
}

// judgeRest wants nothing left of clients that have gone.
func (s *soak) judgeRest(t *target) {
	var why error
	for deadline := time.Now().Add(restWithin); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if why = s.atRest(t); why == nil {
			return
		}
	}
	s.counts.violation("%s: %v after all clients left: %v", t.name, restWithin, why)
}

func (s *soak) atRest(t *target) error {
	m, err := t.metrics()
	if err != nil {
		return err
	}
	for _, gauge := range []string{"connections", "requests_in_flight", "blocking_calls", "body_bytes"} {
		if value := m.extender(gauge); value != 0 {
			return fmt.Errorf("outrigger_http_%s is %v", gauge, value)
		}
	}
	open, err := t.descriptors()
	if err == nil && open > s.baseline[t]+2 {
		err = fmt.Errorf("%d descriptors, %d before any traffic", open, s.baseline[t])
	}
	return err
}

// judgeMetrics compares what the server counts with what its clients saw in this life.
func (s *soak) judgeMetrics(t *target, traffic bool) {
	saw := t.seenUntilNow() // before what the server counts
	answered, refused := float64(saw.answered), float64(saw.refused)
	if s.sabotage == "metrics" {
		answered, refused = answered+1e6, refused+1e6
	}
	m, err := t.metrics()
	if err != nil {
		s.counts.violation("%s: %v", t.name, err)
		return
	}
	for _, kind := range []string{"internal", "agent"} {
		if n := m.sum("outrigger_extender_errors_total", `kind="`+kind+`"`); n != 0 {
			s.counts.violation("%s: %v errors of kind %s", t.name, n, kind)
		}
	}
	if got := m.sum("outrigger_extender_requests_total", ""); got < answered {
		s.counts.violation("%s: the server counts %v calls, we saw %v answered", t.name, got, answered)
	}
	if got := m.extender("requests_refused_total"); got < refused || traffic && got == 0 {
		s.counts.violation("%s: the server counts %v refused requests, we saw %v", t.name, got, refused)
	}
	if got := m.extender("connections_refused_total") + m.extender("connections_evicted_total"); got != 0 {
		s.counts.violation("%s: %v connections refused or evicted, far below the limit", t.name, got)
	}
}

// judgeLosses compares what the server counts of clients that it lost or kept out with how many those
// were. At rest, since it counts them a moment after they see it.
func (s *soak) judgeLosses(t *target) {
	saw := t.seenUntilNow()
	abandoned, strangers := float64(saw.abandoned), float64(saw.strangers)
	if s.sabotage == "metrics" {
		abandoned, strangers = abandoned+1e6, strangers+1e6
	}
	m, err := t.metrics()
	if err != nil {
		s.counts.violation("%s: %v", t.name, err)
		return
	}
	if got := m.extender("calls_abandoned_total"); got < abandoned {
		s.counts.violation("%s: the server counts %v abandoned calls, we left %v binds", t.name, got, abandoned)
	}
	if got := m.extender("tls_handshakes_failed_total"); got < strangers {
		s.counts.violation("%s: the server counts %v failed handshakes, we saw %v", t.name, got, strangers)
	}
}

// smallKinds are the calls whose time is judged.
var smallKinds = []string{"names, 50", "names, 1000"}

func (s *soak) judgeTimes() {
	times := s.counts.timesOf(smallKinds...)
	limit := p99Limit + 2*quantile(s.echoTimes, 99)
	if p99 := quantile(times, 99); len(times) < 100 || len(s.echoTimes) < 100 {
		s.counts.violation("only %d small calls and %d echoes were answered", len(times), len(s.echoTimes))
	} else if p99 > limit {
		s.counts.violation("p99 of small calls is %s ms, at most %s is accepted", milliseconds(p99), milliseconds(limit))
	}
}

func (s *soak) print(out io.Writer) {
	s.counts.print(out)
	times := s.counts.timesOf(smallKinds...)
	fmt.Fprintf(out, "\nsmall calls: %d, p50 %s ms, p99 %s ms (accepted: %s more than twice that of an echo, %s)\n", len(times),
		milliseconds(quantile(times, 50)), milliseconds(quantile(times, 99)),
		milliseconds(p99Limit), milliseconds(quantile(s.echoTimes, 99)))
	for _, t := range s.targets {
		taken := s.samples[t]
		if taken == nil {
			continue
		}
		before, after, _ := growth(taken.resident)
		fmt.Fprintf(out, "%-5s memory %d -> %d MiB, ", t.name, before>>20, after>>20)
		before, after, _ = growth(taken.descriptors)
		fmt.Fprintf(out, "descriptors %d -> %d (at rest %d), slowest restart %d ms\n", before, after, s.baseline[t], t.restart.Milliseconds())
	}
	fmt.Fprintf(out, "%d kills, %d rotations of certificates\n", s.kills, s.rotations)
	for _, text := range s.counts.first {
		fmt.Fprintf(out, "VIOLATION (%d x): %s\n", s.counts.violations[text], text)
	}
}
