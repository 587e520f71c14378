// Package schedclient calls an extender with the scheduler's own HTTP client, so that a call costs
// what it costs kube-scheduler: its JSON work on both sides is part of the time.
package schedclient

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// Client is one `extenders` entry of a scheduler. Not safe for concurrent use.
type Client struct {
	extender fwk.Extender
	cluster  *bodies.Cluster
	nodes    []fwk.NodeInfo
}

// New makes a client for the extender at prefix, a URL without the verb. The client shares the
// cluster's objects and never changes them.
func New(prefix string, form bodies.Form, cluster *bodies.Cluster) (*Client, error) {
	extender, err := scheduler.NewHTTPExtender(&schedulerapi.Extender{
		URLPrefix:        prefix,
		FilterVerb:       string(replay.Filter),
		PrioritizeVerb:   string(replay.Prioritize),
		Weight:           1,
		HTTPTimeout:      metav1.Duration{Duration: 2 * time.Minute},
		NodeCacheCapable: form == bodies.NamesOnly,
	})
	if err != nil {
		return nil, err
	}
	c := &Client{extender: extender, cluster: cluster, nodes: make([]fwk.NodeInfo, len(cluster.Nodes))}
	for i := range cluster.Nodes {
		info := framework.NewNodeInfo()
		info.SetNode(&cluster.Nodes[i])
		c.nodes[i] = info
	}
	return c, nil
}

// Call asks verb once and returns how long the scheduler would have waited. An answer that does not
// cover every node is an error.
func (c *Client) Call(verb replay.Verb) (time.Duration, error) {
	begin := time.Now()
	var answered int
	var err error
	if verb == replay.Filter {
		var kept []fwk.NodeInfo
		kept, _, _, err = c.extender.Filter(c.cluster.Pod, c.nodes)
		answered = len(kept)
	} else {
		scores, _, callError := c.extender.Prioritize(c.cluster.Pod, c.nodes)
		if err = callError; err == nil {
			answered = len(*scores)
		}
	}
	took := time.Since(begin)
	if err != nil {
		return 0, err
	}
	if answered != len(c.nodes) {
		return 0, fmt.Errorf("%s: the answer covers %d of %d nodes", verb, answered, len(c.nodes))
	}
	return took, nil
}
