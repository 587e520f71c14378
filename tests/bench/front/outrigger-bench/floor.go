package main

import (
	"encoding/json"
	"fmt"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// floorOf is the program of the floor behind server, asked for all of its work, for receiving and
// sending alone and for parsing alone, with clients that the caller closes. answer has the length
// of what it sends.
func floorOf(server *server, c benchCase, body []byte, answer int) (contenders []*contender, clients []*replay.Client, err error) {
	for _, mode := range []string{"floor", "receive-only", "parse-only"} {
		client, err := replay.Dial(server.host, "/"+mode+"/"+string(c.Verb), body)
		if err != nil {
			return nil, clients, err
		}
		clients = append(clients, client)
		call := sameAnswer(client, answer)
		if mode == "parse-only" {
			call = parseTime(client, c, len(body))
		}
		if _, err := call(); err != nil { // grows what has to grow
			return nil, clients, fmt.Errorf("%s: %w", mode, err)
		}
		contenders = append(contenders, &contender{name: mode, server: server, call: call, calls: c.Raw.Calls})
	}
	return contenders, clients, nil
}

// parseTime is client's call to the floor's /parse-only, with the time that the floor says. It must
// have walked all that the request holds.
func parseTime(client *replay.Client, c benchCase, length int) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		answer, err := client.Call()
		if err != nil {
			return 0, err
		}
		return readParseTime(answer.Body, c, length)
	}
}

// readParseTime is what the answer of /parse-only to c, a request of length bytes, says.
func readParseTime(answer []byte, c benchCase, length int) (time.Duration, error) {
	var walk struct {
		Nodes       int
		EchoBytes   int
		Nanoseconds int64
	}
	if err := json.Unmarshal(answer, &walk); err != nil {
		return 0, fmt.Errorf("%w: %.200s", err, answer)
	}
	if walk.Nodes != c.Nodes {
		return 0, fmt.Errorf("walked %d nodes of %d", walk.Nodes, c.Nodes)
	}
	// What is not nodes is the pod and a comma for each.
	if c.Form == bodies.FullNodes && (walk.EchoBytes >= length || walk.EchoBytes < length-c.Nodes-8<<10) {
		return 0, fmt.Errorf("took %d bytes of %d for nodes", walk.EchoBytes, length)
	}
	return time.Duration(walk.Nanoseconds), nil
}
