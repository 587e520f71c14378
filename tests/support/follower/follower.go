// Package follower drives a program that follows the nodes and pods of a cluster and tells, when
// asked, what it knows: the program under test (outrigger_kube_follow) or the reference.
//
// The program is started with --kubeconfig FILE [--silence-ms N] [--max-staleness-ms N] [--backoff-ms N]
// [--json], reads commands from its standard input, one a line, and answers each with one line of
// JSON: dump, ready, stats; quit ends it.
package follower

import (
	"errors"
	"os"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/talk"
)

// BinaryEnv names the environment variable with the path of the program under test, ArgsEnv the one
// with arguments that it is given besides, separated by spaces.
const (
	BinaryEnv = "OUTRIGGER_KUBE_FOLLOW"
	ArgsEnv   = "OUTRIGGER_KUBE_FOLLOW_ARGS"
)

// Dump is all that a follower knows.
type Dump struct {
	Nodes []Node `json:"nodes"`
	Pods  []Pod  `json:"pods"`
	// Requested is, by node, what the pods ask for in all that are bound there and have not finished,
	// and "pods", their number. A node without such pods may be missing, an amount of 0 too.
	Requested map[string]map[string]string `json:"requested"`
}

// Node is what a follower knows of a node.
type Node struct {
	Name            string            `json:"name"`
	ResourceVersion string            `json:"resourceVersion"`
	Labels          map[string]string `json:"labels"`
	Unschedulable   bool              `json:"unschedulable"`
	Taints          []Taint           `json:"taints"`
	Allocatable     map[string]string `json:"allocatable"`
	Addresses       []Address         `json:"addresses"`
	Ready           string            `json:"ready"`
}

// Taint is a taint of a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// Pod is what a follower knows of a pod.
type Pod struct {
	Namespace       string            `json:"namespace"`
	Name            string            `json:"name"`
	UID             string            `json:"uid"`
	ResourceVersion string            `json:"resourceVersion"`
	NodeName        string            `json:"nodeName"`
	Phase           string            `json:"phase"`
	Priority        int32             `json:"priority"`
	Labels          map[string]string `json:"labels"`
	Life
}

// Readiness is whether what the follower knows may be trusted, and if not, why.
type Readiness struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons"`
}

// Stats are a follower's own counts.
type Stats struct {
	RSSBytes int64 `json:"rssBytes"`
	Events   int64 `json:"events"`
	Relists  int64 `json:"relists"` // lists, however they were asked for, after the first ones
	Watches  int64 `json:"watches"` // watches that were opened
}

// Follower is a running follower. Its methods are safe for concurrent use.
type Follower struct{ child *talk.Child }

// Binary returns the path of the program under test; without one the test fails.
func Binary(t testing.TB) string {
	t.Helper()
	path := os.Getenv(BinaryEnv)
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		t.Fatalf("%s=%q is no program: it must name outrigger_kube_follow: %v", BinaryEnv, path, err)
	}
	return path
}

// Start starts a follower that lives as long as the test, which fails if it ends on its own before.
func Start(t testing.TB, spec process.Spec, kubeconfig string, args ...string) *Follower {
	t.Helper()
	if spec.Name == "" {
		spec.Name = "follower"
	}
	spec.Args = append([]string{"--kubeconfig", kubeconfig}, args...)
	spec.Args = append(spec.Args, strings.Fields(os.Getenv(ArgsEnv))...)
	child, err := talk.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := child.ExitError(); err != nil {
			t.Errorf("the follower did not live to the end of the test: %v", err)
			return
		}
		if err := child.Quit(); err != nil {
			t.Errorf("the follower did not end well: %v", err)
		}
	})
	return &Follower{child}
}

// Dump returns all that the follower knows.
func (f *Follower) Dump() (Dump, error) {
	var dump Dump
	return dump, f.child.Ask("dump", &dump)
}

// Ready returns whether the follower says that it may be trusted. To be not ready without a reason
// is an error.
func (f *Follower) Ready() (Readiness, error) {
	var readiness Readiness
	err := f.child.Ask("ready", &readiness)
	if err == nil && !readiness.Ready && len(readiness.Reasons) == 0 {
		err = errors.New("not ready, without a reason")
	}
	return readiness, err
}

// Stats returns the follower's own counts.
func (f *Follower) Stats() (Stats, error) {
	var stats Stats
	return stats, f.child.Ask("stats", &stats)
}

// LogTail returns the end of its log.
func (f *Follower) LogTail() string { return f.child.LogTail(30) }
