package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
	"outrigger.dev/outrigger/tests/bench/front/schedclient"
)

// measureAll runs the cases one after the other, with fresh processes for each, so that peak memory
// is that of the case.
func measureAll(ctx context.Context, o options, cases []benchCase, progress *progress) ([]Row, error) {
	var rows []Row
	var cluster *bodies.Cluster
	for _, c := range cases {
		name := fmt.Sprintf("%s, %d nodes, %s", c.Verb, c.Nodes, c.Form)
		if !strings.Contains(name, o.only) {
			continue
		}
		if cluster == nil || len(cluster.Nodes) != c.Nodes {
			cluster = bodies.New(o.seed, c.Nodes)
		}
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
	golang, err := startGo(ctx, o, c)
	if err != nil {
		return row, err
	}
	defer golang.stop()
	ours, err := startOurs(ctx, o, c, cluster)
	if err != nil {
		return row, err
	}
	defer ours.stop()

	contenders := []*contender{
		{name: "the Go extender", server: golang, calls: c.Raw.GoCalls},
		{name: "outrigger", server: ours, calls: c.Raw.Calls},
	}
	if err := measureServer(ctx, o, c, cluster, body, contenders, &row); err != nil {
		return row, err
	}
	return row, measureWhole(ctx, c, cluster, contenders, &row)
}

// measureServer asks Go and ours, which are contenders, and the floor with the raw client.
func measureServer(ctx context.Context, o options, c benchCase, cluster *bodies.Cluster, body []byte,
	contenders []*contender, row *Row) error {
	var answer []byte
	for _, x := range contenders {
		client, err := replay.Dial(x.server.host, x.server.prefix+"/"+string(c.Verb), body)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		defer client.Close()
		if x.call, answer, err = checkedCall(client, c, cluster); err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
	}
	row.AnswerBytes = len(answer) // ours, since it comes last
	floor, err := startFloor(ctx, o, answer)
	if err != nil {
		return err
	}
	defer floor.stop()
	parts, clients, err := floorOf(floor, c, body, len(answer))
	for _, client := range clients {
		defer client.Close()
	}
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	all := append(contenders[:2:2], parts...)
	if err := takeTurns(ctx, all, c.Raw.Rounds); err != nil {
		return err
	}
	row.Server, err = serverFigures(all)
	return err
}

// serverFigures are those of Go, ours, the floor and its two parts, in this order.
func serverFigures(all []*contender) (ServerFigures, error) {
	var figures [5]Figures
	for i, x := range all {
		var err error
		if figures[i], err = x.figures(); err != nil {
			return ServerFigures{}, err
		}
	}
	s := ServerFigures{Go: figures[0], Ours: figures[1], Floor: figures[2],
		ReceiveOnlyMS: figures[3].MedianMS, ParseOnlyMS: figures[4].MedianMS}
	s.compare()
	return s, nil
}

// measureWhole asks Go and ours with the scheduler's own client.
func measureWhole(ctx context.Context, c benchCase, cluster *bodies.Cluster, contenders []*contender, row *Row) error {
	asked := make([]*contender, len(contenders))
	for i, x := range contenders {
		client, err := schedclient.New("http://"+x.server.host+x.server.prefix, c.Form, cluster)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		asked[i] = &contender{name: x.name, server: x.server, calls: c.Caller.Calls,
			call: func() (time.Duration, error) { return client.Call(c.Verb) }}
		if _, err := asked[i].call(); err != nil { // opens the connection, grows the buffers
			return fmt.Errorf("%s: scheduler's client: %w", x.name, err)
		}
	}
	asked[0].calls = c.Caller.GoCalls
	if err := takeTurns(ctx, asked, c.Caller.Rounds); err != nil {
		return err
	}
	golang, goError := asked[0].figures()
	ours, ourError := asked[1].figures()
	row.Whole = WholeFigures{Go: golang, Ours: ours, GoByOurs: times(golang.MedianMS, ours.MedianMS)}
	return firstOf(goError, ourError)
}
