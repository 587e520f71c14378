package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

const (
	// bindsAtOnce wait together, on a connection each; the client of every third leaves.
	bindsAtOnce = 24
	// heardWithin is how long the agent may take to hear of a bind, or that nobody waits for one.
	heardWithin = 5 * time.Second
)

// waitingBinds lets binds wait together at the agent hold, round after round.
func waitingBinds(ctx context.Context, t *target, counts *tally) {
	for pause(ctx, 300*time.Millisecond) {
		round := &binds{target: t, counts: counts, life: t.now()}
		if err := round.run(ctx); err != nil {
			counts.count(t, "binds: a round", 0, err)
		}
		round.leave(round.waiting)
	}
}

// binds is one round. All of it is in one life of the server, or else lost.
type binds struct {
	target  *target
	counts  *tally
	life    life
	waiting []*conn
}

// run lets binds wait, abandons some, and lets the others go: none of them may be answered before
// that, and each must be then. A round that has begun is ended, whatever ctx says.
func (b *binds) run(ctx context.Context) error {
	if err := b.ask(); err != nil {
		return err
	}
	if err := b.await(); err != nil {
		return err
	}
	left := b.abandonSome()
	if err := b.await(); err != nil {
		return err
	}
	answers := make(chan bindAnswer, len(b.waiting))
	for _, c := range b.waiting {
		go func() { answers <- bindAnswerOf(c) }()
	}
	pause(ctx, time.Duration(rand.IntN(1000))*time.Millisecond)
	begin := time.Now()
	_, err := b.tell("release")
	if err != nil {
		b.leave(b.waiting) // nobody lets them go any more
	}
	for range b.waiting {
		b.judge(<-answers, begin)
	}
	if err == nil {
		b.target.saw(b.life, seen{abandoned: left})
	}
	return err
}

// ask makes all bind calls.
func (b *binds) ask() error {
	for i := range bindsAtOnce {
		c, err := b.target.dial()
		if err != nil {
			return err
		}
		b.waiting = append(b.waiting, c)
		if err := c.send(request(b.target, "/hold/bind", extenderv1.ExtenderBindingArgs{
			PodName: fmt.Sprintf("waits-%d", i), PodNamespace: "soak", PodUID: "uid", Node: "n"})); err != nil {
			return err
		}
	}
	return nil
}

// await returns when the agent says that exactly those wait whose clients are there.
func (b *binds) await() error {
	var waiting int
	for deadline := time.Now().Add(heardWithin); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		reasons, err := b.tell("count")
		if err != nil {
			return err
		}
		_, count, _ := strings.Cut(reasons["n"], ": ")
		if waiting, err = strconv.Atoi(count); err != nil {
			return fmt.Errorf("the agent counts %q", reasons["n"])
		}
		if waiting == len(b.waiting) {
			return nil
		}
	}
	return b.target.judge(b.life, fmt.Errorf("%d binds wait, want %d", waiting, len(b.waiting)))
}

// abandonSome ends every third call in mid-wait, by a reset or in good order, and says how many.
func (b *binds) abandonSome() int {
	var stay []*conn
	for i, c := range b.waiting {
		switch i % 6 {
		case 1:
			c.vanish()
			b.counts.count(b.target, "binds: reset in mid-wait", 0, nil)
		case 4:
			c.Close()
			b.counts.count(b.target, "binds: closed in mid-wait", 0, nil)
		default:
			stay = append(stay, c)
		}
	}
	left := len(b.waiting) - len(stay)
	b.waiting = stay
	return left
}

func (b *binds) leave(all []*conn) {
	for _, c := range all {
		c.Close()
	}
}

// tell makes the filter call by which the agent is steered; it returns why nodes were rejected.
func (b *binds) tell(what string) (extenderv1.FailedNodesMap, error) {
	c, err := b.target.dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if c.life != b.life {
		return nil, errLost
	}
	body := json.RawMessage(fmt.Sprintf(`{"Pod":{"metadata":{"name":%q,"namespace":"soak","uid":"steers"}},`+
		`"Nodes":{"items":[{"metadata":{"name":"n"}}]}}`, what))
	if err := c.send(request(b.target, "/hold/filter", body)); err != nil {
		return nil, err
	}
	answer, err := c.receive()
	if err != nil {
		return nil, err
	}
	var result extenderv1.ExtenderFilterResult
	if err := json.Unmarshal(answer.body, &result); err != nil || answer.status != http.StatusOK || result.Error != "" {
		return nil, fmt.Errorf("hold, %s: status %d: %.200s", what, answer.status, answer.body)
	}
	b.target.saw(c.life, seen{answered: 1})
	return result.FailedNodes, nil
}

// request is a whole call.
func request(t *target, path string, args any) []byte {
	body, err := json.Marshal(args)
	if err != nil {
		panic(err) // values of our own
	}
	return append(bodies.Header(t.host(), path, len(body)), body...)
}

// bindAnswer is how a bind that waited ended, and when.
type bindAnswer struct {
	at  time.Time
	err error
}

func bindAnswerOf(c *conn) bindAnswer {
	answer, err := c.receive()
	at := time.Now()
	if err == nil {
		c.target.saw(c.life, seen{answered: 1})
		err = checkBind(answer)
	}
	return bindAnswer{at, err}
}

// checkBind wants success and nothing else.
func checkBind(answer reply) error {
	var result map[string]any
	if err := json.Unmarshal(answer.body, &result); err != nil {
		return fmt.Errorf("wrong answer: %w: %.200q", err, answer.body)
	}
	if answer.status != http.StatusOK || len(result) != 1 || result["Error"] != "" {
		return fmt.Errorf("wrong answer: status %d: %.200s", answer.status, answer.body)
	}
	return nil
}

// judge counts an answer to a bind that was let go at begin.
func (b *binds) judge(a bindAnswer, begin time.Time) {
	if a.err == nil && a.at.Before(begin) {
		a.err = fmt.Errorf("answered %v before it was let go", begin.Sub(a.at).Round(time.Millisecond))
	}
	b.counts.count(b.target, "binds: answered when let go", a.at.Sub(begin), a.err)
}
