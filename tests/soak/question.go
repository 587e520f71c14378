package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// verb is what is asked, by one of its paths.
type verb struct {
	path  string
	right func(q *question, answer []byte) error
}

var verbs = []verb{
	{"/safe/filter", (*question).checkFilter},
	{"/safe/prioritize", (*question).checkScores},
	{"/scheduler/priorities/safe-balance", (*question).checkBalance},
}

// question is a call and all that its answer has to say. Safe for concurrent use.
type question struct {
	kind  string // row of the table
	path  string
	body  []byte
	nodes []v1.Node
	want  []expected
	names bool

	right    func(q *question, answer []byte) error
	verified atomic.Pointer[[]byte] // an answer that was found right in all
}

// check compares all of an answer with what is right. Decoding costs more than the call, so answers
// are compared byte by byte with one that was decoded and found right, and decoded if they differ.
func (q *question) check(answer []byte) error {
	if known := q.verified.Load(); known != nil && bytes.Equal(*known, answer) {
		return nil
	}
	if err := q.right(q, answer); err != nil {
		return fmt.Errorf("%s %s: %w", q.kind, q.path, err)
	}
	kept := bytes.Clone(answer)
	q.verified.Store(&kept)
	return nil
}

func (q *question) checkFilter(answer []byte) error {
	var result extenderv1.ExtenderFilterResult
	if err := json.Unmarshal(answer, &result); err != nil {
		return err
	}
	failed := extenderv1.FailedNodesMap{}
	var fit []string
	for i, want := range q.want {
		if want.rejected != "" {
			failed[q.nodes[i].Name] = want.rejected
		} else {
			fit = append(fit, q.nodes[i].Name)
		}
	}
	if result.Error != "" || len(result.FailedAndUnresolvableNodes) != 0 {
		return fmt.Errorf("Error %q, %d unresolvable", result.Error, len(result.FailedAndUnresolvableNodes))
	}
	if !maps.Equal(failed, result.FailedNodes) {
		return differ(failed, result.FailedNodes)
	}
	if q.names {
		if result.NodeNames == nil || result.Nodes != nil || !slices.Equal(*result.NodeNames, fit) {
			return fmt.Errorf("wrong names: %v", result.NodeNames)
		}
		return nil
	}
	return q.checkEcho(&result, len(fit))
}

func differ(want, got extenderv1.FailedNodesMap) error {
	for name := range want {
		if got[name] != want[name] {
			return fmt.Errorf("node %s: %q, want %q", name, got[name], want[name])
		}
	}
	return fmt.Errorf("%d nodes failed, want %d", len(got), len(want))
}

func (q *question) checkEcho(result *extenderv1.ExtenderFilterResult, fit int) error {
	if result.Nodes == nil || result.NodeNames != nil || len(result.Nodes.Items) != fit {
		return fmt.Errorf("not the %d nodes that fit", fit)
	}
	at := 0
	for i := range q.nodes {
		if q.want[i].rejected != "" {
			continue
		}
		want, _ := json.Marshal(&q.nodes[i])
		if got, _ := json.Marshal(&result.Nodes.Items[at]); !bytes.Equal(want, got) {
			return fmt.Errorf("node %s came back changed", q.nodes[i].Name)
		}
		at++
	}
	return nil
}

func (q *question) checkScores(answer []byte) error {
	return q.checkList(answer, func(e expected) int64 { return e.score })
}

func (q *question) checkBalance(answer []byte) error {
	return q.checkList(answer, func(e expected) int64 { return e.balance })
}

func (q *question) checkList(answer []byte, score func(expected) int64) error {
	var list extenderv1.HostPriorityList
	if err := json.Unmarshal(answer, &list); err != nil {
		return err
	}
	if len(list) != len(q.want) {
		return fmt.Errorf("%d scores, want %d", len(list), len(q.want))
	}
	for i, got := range list {
		if want := (extenderv1.HostPriority{Host: q.nodes[i].Name, Score: score(q.want[i])}); got != want {
			return fmt.Errorf("score %+v, want %+v", got, want)
		}
	}
	return nil
}

// questions are all calls that are asked, by size.
type questions struct {
	small, medium, large []*question
	nodeTable            []byte // what the server has to know for calls with names only
}

const seed = 20

// makeQuestions makes nodes, pods and calls. With wrong, one expectation of each is false: every
// run has to notice that.
func makeQuestions(wrong bool) (*questions, error) {
	cluster := bodies.New(seed, 1000)
	var pods []*v1.Pod
	for _, request := range [][2]string{{"250m", "512Mi"}, {"2", "6Gi"}, {"6", "24Gi"}} {
		pod := cluster.Pod.DeepCopy()
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(request[0]), v1.ResourceMemory: resource.MustParse(request[1])}
		pods = append(pods, pod)
	}
	load(cluster, seed, pods)
	all := &questions{}
	var err error
	if all.nodeTable, err = cluster.NodeList(); err != nil {
		return nil, err
	}
	for i, pod := range pods {
		add := func(to *[]*question, kind string, names bool, nodes []v1.Node) {
			if err == nil {
				err = addVerbs(to, kind, names, pod, nodes, wrong)
			}
		}
		add(&all.small, "names, 50", true, cluster.Nodes[100*i:100*i+50])
		add(&all.small, "names, 1000", true, cluster.Nodes)
		add(&all.medium, "full, 50", false, cluster.Nodes[50*i:50*i+50])
		add(&all.medium, "full, 200", false, cluster.Nodes[300*i:300*i+200])
		if i == 0 {
			add(&all.large, "full, 1000", false, cluster.Nodes)
		}
	}
	return all, err
}

func addVerbs(to *[]*question, kind string, names bool, pod *v1.Pod, nodes []v1.Node, wrong bool) error {
	body, err := (&bodies.Cluster{Pod: pod, Nodes: nodes}).Encode(formOf(names))
	if err != nil {
		return err
	}
	want := make([]expected, len(nodes))
	for i := range nodes {
		want[i], _ = judge(pod, &nodes[i])
	}
	if wrong {
		want[len(want)/2].score++
	}
	for _, v := range verbs {
		*to = append(*to, &question{kind: kind, path: v.path, body: body, nodes: nodes, want: want, names: names, right: v.right})
	}
	return nil
}

func formOf(names bool) bodies.Form {
	if names {
		return bodies.NamesOnly
	}
	return bodies.FullNodes
}
