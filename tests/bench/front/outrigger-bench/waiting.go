package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// waitingBinds are bind calls, each with a connection of its own, that the agent hold does not
// answer until it is told to.
type waitingBinds struct {
	server  *server
	client  *http.Client // of the binds
	steers  *http.Client // of the calls by which the agent is steered
	answers chan error
	count   int
}

// startBinds makes count bind calls and returns when all wait.
func startBinds(server *server, count int) (*waitingBinds, error) {
	b := &waitingBinds{server: server, answers: make(chan error, count), count: count,
		client: &http.Client{Transport: &http.Transport{}, Timeout: bindTimeout},
		steers: &http.Client{Transport: &http.Transport{}, Timeout: 5 * time.Second}}
	for i := range count {
		go func() { b.answers <- b.bind(i) }()
	}
	var waiting int
	var err error
	for deadline := time.Now().Add(15 * time.Second); err == nil && time.Now().Before(deadline); {
		if waiting, err = b.waiting(); waiting == count {
			return b, err
		}
		select {
		case answer := <-b.answers:
			err = fmt.Errorf("a bind that should wait was answered: %v", answer)
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err == nil {
		err = fmt.Errorf("%d binds wait after 15 s, not %d", waiting, count)
	}
	return nil, errors.Join(err, b.tellRelease())
}

// bindTimeout is above what the agent hold waits at most.
const bindTimeout = 3 * time.Minute

func (b *waitingBinds) bind(i int) error {
	var result extenderv1.ExtenderBindingResult
	err := b.post(b.client, "/hold/bind", extenderv1.ExtenderBindingArgs{
		PodName: fmt.Sprintf("waits-%d", i), PodNamespace: "bench", PodUID: types.UID(fmt.Sprintf("uid-%d", i)), Node: "n"}, &result)
	if err == nil && result.Error != "" {
		err = errors.New(result.Error)
	}
	return err
}

// waiting asks the agent how many binds wait.
func (b *waitingBinds) waiting() (int, error) {
	result, err := b.tell("count")
	if err != nil {
		return 0, err
	}
	_, count, _ := strings.Cut(result.FailedNodes["n"], ": ")
	return strconv.Atoi(count)
}

func (b *waitingBinds) tellRelease() error {
	_, err := b.tell("release")
	return err
}

// tell makes the filter call by which the agent hold is steered.
func (b *waitingBinds) tell(what string) (extenderv1.ExtenderFilterResult, error) {
	var result extenderv1.ExtenderFilterResult
	body := fmt.Sprintf(`{"Pod":{"metadata":{"name":%q,"namespace":"bench","uid":"steers"}},`+
		`"Nodes":{"items":[{"metadata":{"name":"n"}}]},"NodeNames":null}`, what)
	err := b.post(b.steers, "/hold/filter", json.RawMessage(body), &result)
	if err == nil && result.Error != "" {
		err = errors.New(result.Error)
	}
	return result, err
}

func (b *waitingBinds) post(client *http.Client, path string, request, result any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	response, err := client.Post("http://"+b.server.host+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.200s", path, response.StatusCode, text)
	}
	return firstOf(err, json.Unmarshal(text, result))
}

// release lets all binds go. Every one of them must still wait, and must be answered.
func (b *waitingBinds) release() error {
	waiting, err := b.waiting()
	if err == nil && waiting != b.count {
		err = fmt.Errorf("at the end %d binds waited, not %d", waiting, b.count)
	}
	err = firstOf(err, b.tellRelease())
	for range b.count {
		if err != nil {
			return err
		}
		err = <-b.answers
	}
	b.client.CloseIdleConnections()
	b.steers.CloseIdleConnections()
	return err
}
