package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// Verb is what is asked of the extender.
type Verb string

const (
	// Filter expects every node back, unchanged.
	Filter Verb = "filter"
	// Prioritize expects the congestion score of every node.
	Prioritize Verb = "prioritize"
)

// Check decodes the answer as the scheduler does and compares all of it with what is right for
// cluster, so that a fast wrong server loses. It takes longer than the call: check once, then
// compare later answers with the checked one by their length.
func Check(answer Answer, verb Verb, form bodies.Form, cluster *bodies.Cluster) error {
	if answer.Status != 200 {
		return fmt.Errorf("%s: status %d: %.200s", verb, answer.Status, answer.Body)
	}
	body := answer.Body
	if answer.Header.Get("Content-Encoding") == "gzip" {
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return err
		}
		if body, err = io.ReadAll(reader); err != nil {
			return err
		}
	}
	var err error
	if verb == Prioritize {
		err = checkScores(body, cluster)
	} else {
		err = checkFilter(body, form, cluster)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return nil
}

// CheckRejected decodes the answer to a names-only filter call and compares it with what is right
// where safe rejects these nodes: all others come back in their order, and each of these has a reason.
func CheckRejected(answer Answer, cluster *bodies.Cluster, rejected map[string]bool) error {
	var result extenderv1.ExtenderFilterResult
	if err := json.Unmarshal(answer.Body, &result); answer.Status != 200 || err != nil {
		return fmt.Errorf("filter: status %d: %.200s (%v)", answer.Status, answer.Body, err)
	}
	fit := &bodies.Cluster{}
	for _, node := range cluster.Nodes {
		if !rejected[node.Name] {
			fit.Nodes = append(fit.Nodes, node)
			continue
		}
		if reason := result.FailedNodes[node.Name]; !strings.HasPrefix(reason, "safe: cpu: risk ") {
			return fmt.Errorf("filter: node %s failed for %q, want a risk of its cpu", node.Name, reason)
		}
	}
	if len(result.FailedNodes) != len(rejected) || len(result.FailedAndUnresolvableNodes) != 0 {
		return fmt.Errorf("filter: %d and %d nodes failed, want %d and none", len(result.FailedNodes),
			len(result.FailedAndUnresolvableNodes), len(rejected))
	}
	return checkNames(result.NodeNames, fit)
}

func checkScores(body []byte, cluster *bodies.Cluster) error {
	var list extenderv1.HostPriorityList
	if err := json.Unmarshal(body, &list); err != nil {
		return err
	}
	if len(list) != len(cluster.Nodes) {
		return fmt.Errorf("%d hosts, want %d", len(list), len(cluster.Nodes))
	}
	scores := make(map[string]int64, len(list))
	for _, host := range list {
		scores[host.Host] = host.Score
	}
	for i := range cluster.Nodes {
		name := cluster.Nodes[i].Name
		score, found := scores[name]
		if want := cluster.Score(i); !found || score != want {
			return fmt.Errorf("host %s: score %d (present: %t), want %d", name, score, found, want)
		}
	}
	return nil
}

func checkFilter(body []byte, form bodies.Form, cluster *bodies.Cluster) error {
	var result extenderv1.ExtenderFilterResult
	if err := json.Unmarshal(body, &result); err != nil {
		return err
	}
	if result.Error != "" {
		return fmt.Errorf("Error: %s", result.Error)
	}
	if failed := len(result.FailedNodes) + len(result.FailedAndUnresolvableNodes); failed != 0 {
		return fmt.Errorf("%d nodes failed, want none", failed)
	}
	if form == bodies.NamesOnly {
		return checkNames(result.NodeNames, cluster)
	}
	if result.Nodes == nil || len(result.Nodes.Items) != len(cluster.Nodes) {
		return errors.New("not every node came back in Nodes")
	}
	for i := range cluster.Nodes {
		want, wantError := json.Marshal(&cluster.Nodes[i])
		got, gotError := json.Marshal(&result.Nodes.Items[i])
		if err := errors.Join(wantError, gotError); err != nil {
			return err
		}
		if !bytes.Equal(want, got) {
			return fmt.Errorf("node %d, %s, came back changed", i, cluster.Nodes[i].Name)
		}
	}
	return nil
}

func checkNames(got *[]string, cluster *bodies.Cluster) error {
	if got == nil {
		return errors.New("no NodeNames in the answer to names")
	}
	want := make([]string, len(cluster.Nodes))
	for i := range cluster.Nodes {
		want[i] = cluster.Nodes[i].Name
	}
	if !slices.Equal(*got, want) {
		return fmt.Errorf("%d names came back, want the %d that were sent, in order", len(*got), len(want))
	}
	return nil
}
