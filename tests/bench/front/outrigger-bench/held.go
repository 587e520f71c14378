package main

import (
	"context"
	"fmt"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// heldSize is how much of what keeps a server busy.
type heldSize struct{ Nodes, Binds, Idle, Rounds, Calls int }

var (
	fullHeld  = heldSize{Nodes: 5000, Binds: 500, Idle: 32, Rounds: 10, Calls: 100}
	quickHeld = heldSize{Nodes: 100, Binds: 50, Idle: 8, Rounds: 2, Calls: 20}
)

// measureHeld asks names-only calls of a server first in peace, then while binds wait and idle
// connections are open, all of which must live to the end.
func measureHeld(ctx context.Context, o options, size heldSize) (*Held, error) {
	cluster := bodies.New(o.seed, size.Nodes)
	server, err := startAgents(ctx, o.holdServer, "hold,safe,congestion", "", cluster)
	if err != nil {
		return nil, err
	}
	defer server.stop()
	result := &Held{Nodes: size.Nodes, Binds: size.Binds, Idle: size.Idle}
	if result.Quiet, err = measureNames(ctx, server, cluster, size); err != nil {
		return nil, fmt.Errorf("before any bind: %w", err)
	}

	idle, err := openIdle(server, size.Idle)
	if err != nil {
		return nil, err
	}
	defer idle.close()
	binds, err := startBinds(server, size.Binds)
	if err != nil {
		return nil, err
	}
	result.Busy, err = measureNames(ctx, server, cluster, size)
	return result, firstOf(err, binds.release(), idle.use())
}

// measureNames asks both verbs in turn.
func measureNames(ctx context.Context, server *server, cluster *bodies.Cluster, size heldSize) (verbs HeldFigures, err error) {
	body, err := cluster.Encode(bodies.NamesOnly)
	if err != nil {
		return verbs, err
	}
	var contenders []*contender
	for _, verb := range []replay.Verb{replay.Filter, replay.Prioritize} {
		client, err := replay.Dial(server.host, "/"+agentOf(verb)+"/"+string(verb), body)
		if err != nil {
			return verbs, err
		}
		defer client.Close()
		x := &contender{name: string(verb), server: server, calls: size.Calls}
		if x.call, _, err = checkedCall(client, benchCase{Nodes: size.Nodes, Form: bodies.NamesOnly, Verb: verb}, cluster); err != nil {
			return verbs, err
		}
		contenders = append(contenders, x)
	}
	if err := takeTurns(ctx, contenders, size.Rounds); err != nil {
		return verbs, err
	}
	var errs [2]error
	verbs.Filter, errs[0] = contenders[0].figures()
	verbs.Prioritize, errs[1] = contenders[1].figures()
	return verbs, firstOf(errs[:]...)
}
