// Package bodies makes realistic extender requests: a pod of about 3.4 KB and nodes of about
// 15.6 KB of JSON each, as the stock scheduler sends them for a busy cluster.
//
// Everything is a pure function of the seed and a node's index: node i of a cluster of 100 equals
// node i of a cluster of 5000, and two processes that share a seed agree without talking.
package bodies

import (
	"encoding/json"
	"fmt"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Form says how a request names its candidate nodes.
type Form string

const (
	// FullNodes carries whole Node objects (nodeCacheCapable: false).
	FullNodes Form = "full"
	// NamesOnly carries names (nodeCacheCapable: true).
	NamesOnly Form = "names"
)

// Cluster is one pending pod and the nodes that it may go to.
type Cluster struct {
	Pod   *v1.Pod
	Nodes []v1.Node
}

// New makes the cluster of n nodes that belongs to seed. Every node is one that a load-aware filter
// accepts, so that an answer to filter echoes all of them.
func New(seed uint64, n int) *Cluster {
	c := &Cluster{Pod: newPod(seed), Nodes: make([]v1.Node, n)}
	for i := range c.Nodes {
		c.Nodes[i] = newNode(seed, i)
	}
	return c
}

// Overload takes all but a little of the cpu of node 1 and of every so manieth node after it: a
// load-aware filter rejects them, each for its own figures. It returns their names.
func (c *Cluster) Overload(every int) map[string]bool {
	overloaded := map[string]bool{}
	for i := 1; i < len(c.Nodes); i += every {
		free := strconv.Itoa(i % 2500)
		c.Nodes[i].Annotations["mean-free-cpu"] = free
		c.Nodes[i].Annotations["forcasted-free-cpu"] = free
		overloaded[c.Nodes[i].Name] = true
	}
	return overloaded
}

// Args is the request of the given form. It shares the cluster's objects.
func (c *Cluster) Args(form Form) (*extenderv1.ExtenderArgs, error) {
	switch form {
	case FullNodes:
		return &extenderv1.ExtenderArgs{Pod: c.Pod, Nodes: &v1.NodeList{Items: c.Nodes}}, nil
	case NamesOnly:
		names := make([]string, len(c.Nodes))
		for i := range c.Nodes {
			names[i] = c.Nodes[i].Name
		}
		return &extenderv1.ExtenderArgs{Pod: c.Pod, NodeNames: &names}, nil
	}
	return nil, fmt.Errorf("unknown form %q: want %q or %q", form, FullNodes, NamesOnly)
}

// Encode is the body of the request, byte for byte as the scheduler's HTTP client sends it: explicit
// nulls, HTML characters escaped, no line end.
func (c *Cluster) Encode(form Form) ([]byte, error) {
	args, err := c.Args(form)
	if err != nil {
		return nil, err
	}
	return json.Marshal(args)
}

// NodeList is the cluster's nodes as `kubectl get nodes -o json` gives them, for an extender that has
// to know the nodes whose names it is sent.
func (c *Cluster) NodeList() ([]byte, error) {
	list := v1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}, Items: c.Nodes}
	return json.Marshal(&list)
}

// Header is the head of the HTTP/1.1 request that carries length bytes of body to path at host: the
// fields that the scheduler's client sends, in its order, and the empty line.
func Header(host, path string, length int) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: Go-http-client/1.1\r\n"+
		"Content-Length: %d\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n",
		path, host, length)
}

// Score is the score that an answer to prioritize gives to node i: see the function Score.
func (c *Cluster) Score(i int) int64 {
	factor, err := strconv.ParseInt(c.Nodes[i].Annotations["congestion-factor"], 10, 64)
	if err != nil {
		return Score(0)
	}
	return Score(factor)
}
