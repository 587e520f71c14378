// Package actor drives outrigger_kube_actor, the program that stands for election and records events
// as agents do, and puts candidates of client-go beside it.
package actor

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/talk"
)

// BinaryEnv names the environment variable with the path of the program under test.
const BinaryEnv = "OUTRIGGER_KUBE_ACTOR"

// Election is what an actor says of its election.
type Election struct {
	Leading bool   `json:"leading"`
	Leader  string `json:"leader"`
	Terms   int    `json:"terms"`
	// Overlaps are terms that began while another candidate was on the stage.
	Overlaps int      `json:"overlaps"`
	Warnings []string `json:"warnings"`
}

// Event is an event to record, Count times (at least once).
type Event struct {
	Count      int    `json:"count,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	UID        string `json:"uid,omitempty"`
	Warning    bool   `json:"warning,omitempty"`
	Reason     string `json:"reason,omitempty"`
	Action     string `json:"action,omitempty"`
	Note       string `json:"note,omitempty"`
}

// Stats count an actor's events since its start.
type Stats struct {
	Written int    `json:"written"`
	Dropped int    `json:"dropped"`
	Error   string `json:"error"`
}

// Actor is a running actor. Its methods are safe for concurrent use.
type Actor struct{ *talk.Child }

// Binary returns the path of the program under test; without one the test fails.
func Binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv(BinaryEnv)
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		t.Fatalf("%s=%q is no program: it must name outrigger_kube_actor: %v", BinaryEnv, path, err)
	}
	return path
}

// Start starts an actor, which is killed at the end of the test if it has not ended before.
func Start(t testing.TB, spec process.Spec, kubeconfig string, args ...string) *Actor {
	t.Helper()
	spec.Args = append([]string{"--kubeconfig", kubeconfig}, args...)
	child, err := talk.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(child.Kill)
	return &Actor{child}
}

// Election returns how the actor's election stands.
func (a *Actor) Election() (Election, error) {
	var election Election
	return election, a.Ask("election", &election)
}

// Record records an event, waits until it was written or dropped, and returns the counts.
func (a *Actor) Record(event Event) (Stats, error) {
	text, err := json.Marshal(event)
	if err != nil {
		return Stats{}, err
	}
	var stats Stats
	if err := a.Ask("record "+string(text), &stats); err != nil {
		return stats, err
	}
	if stats.Error != "" {
		return stats, errors.New(stats.Error)
	}
	return stats, nil
}

// Deed is something that an agent does through its way to the cluster; see deeds.h of the actor.
type Deed struct {
	Verb      string         `json:"verb"`
	Namespace string         `json:"namespace,omitempty"`
	Name      string         `json:"name,omitempty"`
	UID       string         `json:"uid,omitempty"`
	Node      string         `json:"node,omitempty"`
	Version   string         `json:"version,omitempty"`
	Dialect   int            `json:"dialect,omitempty"`
	Status    map[string]any `json:"status,omitempty"`
	// Of annotations and events.
	Key        string `json:"key,omitempty"`
	Text       string `json:"text,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Note       string `json:"note,omitempty"`
}

// Outcome is what came of a deed: a code of absl::Status, and what was read.
type Outcome struct {
	Code  string          `json:"code"`
	Text  string          `json:"text"`
	Value json.RawMessage `json:"value"`
}

// Do does it.
func (a *Actor) Do(deed Deed) (Outcome, error) { return a.DoAny(deed) }

// DoAny does what anything says that is a deed in JSON.
func (a *Actor) DoAny(deed any) (Outcome, error) {
	var outcome Outcome
	text, err := json.Marshal(deed)
	if err != nil {
		return outcome, err
	}
	return outcome, a.Ask("do "+string(text), &outcome)
}
