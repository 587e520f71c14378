package main

import (
	"context"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// rejectedSize is a cluster of which safe rejects one node in Every.
type rejectedSize struct{ Nodes, Every, Rounds, Calls int }

var (
	fullRejected  = rejectedSize{Nodes: 5000, Every: 3, Rounds: 10, Calls: 100}
	quickRejected = rejectedSize{Nodes: 100, Every: 3, Rounds: 2, Calls: 20}
)

// measureRejected asks safe's filter, names only, of nodes of which many are rejected, each with a
// reason of its own.
func measureRejected(ctx context.Context, o options, size rejectedSize) (*Rejected, error) {
	cluster := bodies.New(o.seed, size.Nodes)
	overloaded := cluster.Overload(size.Every)
	body, err := cluster.Encode(bodies.NamesOnly)
	if err != nil {
		return nil, err
	}
	server, err := startAgents(ctx, o.outrigger, "safe", "/safe", cluster)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	client, err := replay.Dial(server.host, "/safe/filter", body)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	first, err := client.Call()
	if err != nil {
		return nil, err
	}
	if err := replay.CheckRejected(first, cluster, overloaded); err != nil {
		return nil, err
	}
	x := &contender{name: "outrigger", server: server, calls: size.Calls, call: sameAnswer(client, len(first.Body))}
	if err := takeTurns(ctx, []*contender{x}, size.Rounds); err != nil {
		return nil, err
	}
	result := &Rejected{Nodes: size.Nodes, Rejected: len(overloaded), AnswerBytes: len(first.Body)}
	result.Filter, err = x.figures()
	return result, err
}
