package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/front/schedclient"
)

// contender is one server and, round by round, what it showed.
type contender struct {
	name   string
	server *server
	call   func() (time.Duration, error)
	times  []time.Duration
}

// measureAll runs the cases one after the other, with fresh processes for each, so that peak memory
// is that of the case.
func measureAll(ctx context.Context, o options, cases []benchCase) ([]Row, error) {
	var rows []Row
	var cluster *bodies.Cluster
	progress := newProgress(len(cases))
	defer progress.done()
	for _, c := range cases {
		if cluster == nil || len(cluster.Nodes) != c.Nodes {
			cluster = bodies.New(o.seed, c.Nodes)
		}
		name := fmt.Sprintf("%s, %d nodes, %s", c.Verb, c.Nodes, c.Form)
		progress.next(name)
		row, err := measure(ctx, o, c, cluster)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func measure(ctx context.Context, o options, c benchCase, cluster *bodies.Cluster) (Row, error) {
	row := Row{Nodes: c.Nodes, Form: c.Form, Verb: c.Verb}
	body, err := cluster.Encode(c.Form)
	if err != nil {
		return row, err
	}
	row.BodyBytes = len(body)
	contenders, err := startAll(ctx, o, c, cluster)
	if err != nil {
		return row, err
	}
	for _, x := range contenders {
		defer x.server.stop()
	}

	for _, x := range contenders {
		client, err := replay.Dial(x.server.host, x.server.prefix+"/"+string(c.Verb), body)
		if err != nil {
			return row, fmt.Errorf("%s: %w", x.name, err)
		}
		defer client.Close()
		if x.call, err = checkedCall(client, c, cluster); err != nil {
			return row, fmt.Errorf("%s: %w", x.name, err)
		}
	}
	if row.Server, err = takeTurns(ctx, contenders, c.Raw); err != nil {
		return row, err
	}

	for _, x := range contenders {
		client, err := schedclient.New("http://"+x.server.host+x.server.prefix, c.Form, cluster)
		if err != nil {
			return row, fmt.Errorf("%s: %w", x.name, err)
		}
		x.call = func() (time.Duration, error) { return client.Call(c.Verb) }
		if _, err := x.call(); err != nil { // opens the connection, grows the buffers
			return row, fmt.Errorf("%s: scheduler's client: %w", x.name, err)
		}
	}
	row.Whole, err = takeTurns(ctx, contenders, c.Caller)
	return row, err
}

// startAll starts Go first, then ours.
func startAll(ctx context.Context, o options, c benchCase, cluster *bodies.Cluster) ([]*contender, error) {
	golang, err := startGo(ctx, o, c)
	if err != nil {
		return nil, err
	}
	ours, err := startOurs(ctx, o, c, cluster)
	if err != nil {
		golang.stop()
		return nil, err
	}
	return []*contender{{name: "the Go extender", server: golang}, {name: "outrigger", server: ours}}, nil
}

// checkedCall is client's call once a first answer, which also warms the server up, was found right
// in every detail. Later answers must have the same status and length.
func checkedCall(client *replay.Client, c benchCase, cluster *bodies.Cluster) (func() (time.Duration, error), error) {
	first, err := client.Call()
	if err != nil {
		return nil, err
	}
	if err := replay.Check(first, c.Verb, c.Form, cluster); err != nil {
		return nil, err
	}
	length := len(first.Body)
	return func() (time.Duration, error) {
		answer, err := client.Call()
		if err == nil && (answer.Status != 200 || len(answer.Body) != length) {
			err = fmt.Errorf("status %d with %d bytes, the checked answer had %d: %.200s",
				answer.Status, len(answer.Body), length, answer.Body)
		}
		return answer.Took, err
	}, nil
}

// takeTurns asks the contenders in turn and compares them.
func takeTurns(ctx context.Context, contenders []*contender, e effort) (Comparison, error) {
	debug.FreeOSMemory() // what an earlier phase left in this process shall not cost this one
	used := make([]time.Duration, len(contenders))
	for i, x := range contenders {
		x.times = x.times[:0]
		var err error
		if used[i], err = replay.CPUTime(x.server.pid()); err != nil {
			return Comparison{}, err
		}
	}
	for range e.Rounds {
		for _, x := range contenders {
			for range e.Calls {
				took, err := x.call()
				if err = firstOf(ctx.Err(), err); err != nil {
					return Comparison{}, fmt.Errorf("%s: %w", x.name, err)
				}
				x.times = append(x.times, took)
			}
			if err := replay.Settle(x.server.pid(), 300*time.Millisecond); err != nil {
				return Comparison{}, fmt.Errorf("%s: %w", x.name, err)
			}
		}
	}
	golang, goError := figuresOf(contenders[0], used[0])
	ours, ourError := figuresOf(contenders[1], used[1])
	return compare(golang, ours), firstOf(goError, ourError)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
