package main

import (
	"math/rand/v2"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// What the selectors are tried on: row i of a section answers for nodes[k] with character k of its
// last element, '1' for a match.
var nodes = []struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels"`
}{
	{"n0", map[string]string{}},
	{"n1", map[string]string{"zone": "a"}},
	{"n2", map[string]string{"zone": "b", "gpu": "1"}},
	{"n3", map[string]string{"zone": "", "gpu": "8"}},
	{"n4", map[string]string{"zone": "in", "gpu": "-3"}},
	{"n5", map[string]string{"zone": "c", "gpu": "eight", "example.com/rack": "r1"}},
	{"n6", map[string]string{"gpu": "09", "example.com/rack": "r2", "in": "x"}},
	{"n7", map[string]string{"zone": "a", "gpu": "9223372036854775808", "notin": "a"}},
	{"n8", map[string]string{"zone": "a.b-c_d", "gpu": "10", "example.com/rack": ""}},
}

var (
	keys   = []string{"zone", "zone", "gpu", "gpu", "example.com/rack", "in", "notin", "none"}
	values = []string{"a", "b", "c", "", "in", "1", "8", "9", "x", "r1", "a.b-c_d"}
	// Keys and values that a label cannot have.
	badKeys   = []string{"", "-zone", "zone_", "a/b/c", "/zone", "Example.com/rack", "a..b/c", "zo ne", "é", strings.Repeat("k", 64)}
	badValues = []string{"-a", "a.", "a b", "a/b", strings.Repeat("v", 64), "-3"}

	pickedSelectors = []string{"", " ", "a", "!a", "! a", "zone", "!zone", "zone=a", "zone==a",
		"zone = a", "zone!=a", "zone in (a)", "zone in (a,b)", "zone notin (a, b)", "zone in ()",
		"zone in (,)", "zone in (a,)", "zone in (,a)", "zone in (a,,b)", "zone in (,,)", "zone=", "zone!=",
		"zone==,gpu", "gpu>1", "gpu<9", "gpu>1,gpu<9", "gpu>x", "gpu>", "gpu>-5", "in", "!in", "in in (x)",
		"in=x", "notin notin (a)", "zone=in", "zone in (in, notin)", "zone,", ",zone", "zone,,gpu",
		"zone in a", "zone in (a", "zone in a)", "zone (a)", "zone in (a b)", "zone a", "zone=a b",
		"zone===a", "zone=!a", "zone!a", "!zone=a", "!!zone", "zone in (!a)", "zone in (a=b)", "=a", "(a)",
		"zone!==a", "zone>=1", "zone=a,zone=b", "zone in (a,a)", "\tzone\n=\ra ", "zone=a,!gpu,in",
		"example.com/rack=r1", "Example.com/rack=r1", "a/b/c", "zone=a/b", "zone=-a", "/zone", "a./b",
		"é=1", "zone in (a,(b))", "zone in (a),", "zone notin", "zone in", "notin", "zone > 1", "gpu<09"}
)

func selectorTable(r *rand.Rand) []section {
	var nodeRows []any
	for _, node := range nodes {
		nodeRows = append(nodeRows, node)
	}
	return []section{
		{"nodes", nodeRows},
		{"texts", textRows(r)},
		{"label_selectors", labelSelectorRows(r)},
		{"node_selectors", nodeSelectorRows(r)},
		{"taints", taintRows(r)},
	}
}

func bits(matches func(k int) bool) string {
	var out strings.Builder
	for k := range nodes {
		if matches(k) {
			out.WriteByte('1')
		} else {
			out.WriteByte('0')
		}
	}
	return out.String()
}

// textRows are [text, bits], or [text] where labels.Parse refuses it.
func textRows(r *rand.Rand) []any {
	texts := append([]string{}, pickedSelectors...)
	for len(texts) < 900 {
		texts = append(texts, randomText(r))
	}
	rows := []any{}
	for _, text := range texts {
		selector, err := labels.Parse(text)
		if err != nil {
			rows = append(rows, []any{text})
			continue
		}
		rows = append(rows, []any{text, bits(func(k int) bool {
			return selector.Matches(labels.Set(nodes[k].Labels))
		})})
	}
	return rows
}

// randomText strings words of the language together, so that about half of the texts are valid.
func randomText(r *rand.Rand) string {
	var parts []string
	for range 1 + r.IntN(3) {
		key := pick(r, keys...)
		switch r.IntN(6) {
		case 0:
			parts = append(parts, pick(r, "", "!")+key)
		case 1:
			parts = append(parts, key+pick(r, "=", "==", "!=", " = ")+pick(r, values...))
		case 2:
			parts = append(parts, key+pick(r, ">", "<", " > ")+pick(r, "1", "8", "09", "x", "-3"))
		default:
			var set []string
			for range r.IntN(4) {
				set = append(set, pick(r, values...))
			}
			parts = append(parts, key+pick(r, " in (", " notin (", " in(")+strings.Join(set, ",")+")")
		}
	}
	text := strings.Join(parts, pick(r, ",", ",", " , "))
	if chance(r, 35) && len(text) > 0 {
		at := r.IntN(len(text))
		text = text[:at] + pick(r, ",", "(", ")", "!", "=", " ", "in", "") + text[at+r.IntN(2):]
	}
	return text
}

// requirement is [key, operator, values], the form in which rows hold one.
type requirement struct {
	key, operator string
	values        []string
}

func (q requirement) row() []any { return []any{q.key, q.operator, q.values} }

func randomRequirement(r *rand.Rand, operators ...string) requirement {
	q := requirement{key: pick(r, keys...), operator: pick(r, operators...), values: []string{}}
	count := 0
	switch q.operator {
	case "In", "NotIn":
		count = 1 + r.IntN(3)
	case "Gt", "Lt":
		count = 1
	}
	if chance(r, 6) {
		count = r.IntN(3)
	}
	for range count {
		if q.operator == "Gt" || q.operator == "Lt" {
			q.values = append(q.values, pick(r, "0", "1", "8", "09", "x", "", "9223372036854775808", "9223372036854775807"))
		} else if chance(r, 3) {
			q.values = append(q.values, pick(r, badValues...))
		} else {
			q.values = append(q.values, pick(r, values...))
		}
	}
	if chance(r, 3) {
		q.key = pick(r, badKeys...)
	}
	return q
}

// labelSelectorRows are [matchLabels, requirements, bits]; an invalid selector matches nothing.
func labelSelectorRows(r *rand.Rand) []any {
	rows := []any{}
	for len(rows) < 500 {
		selector := metav1.LabelSelector{MatchLabels: map[string]string{}}
		requirements := []any{}
		if chance(r, 40) {
			selector.MatchLabels[pick(r, keys...)] = pick(r, values...)
		}
		for range r.IntN(3) {
			q := randomRequirement(r, "In", "NotIn", "Exists", "DoesNotExist")
			requirements = append(requirements, q.row())
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
				Key: q.key, Operator: metav1.LabelSelectorOperator(q.operator), Values: q.values})
		}
		parsed, err := metav1.LabelSelectorAsSelector(&selector)
		rows = append(rows, []any{selector.MatchLabels, requirements, bits(func(k int) bool {
			return err == nil && parsed.Matches(labels.Set(nodes[k].Labels))
		})})
	}
	return rows
}

// nodeSelectorRows are [nodeSelector, terms, bits], a term being [matchExpressions, matchFields] and
// terms null without required node affinity.
func nodeSelectorRows(r *rand.Rand) []any {
	rows := []any{}
	for len(rows) < 900 {
		pod := &v1.Pod{}
		pod.Spec.NodeSelector = map[string]string{}
		if chance(r, 15) {
			pod.Spec.NodeSelector[pick(r, keys...)] = pick(r, values...)
		}
		var terms []any
		if chance(r, 95) {
			required := &v1.NodeSelector{}
			terms = []any{}
			for range r.IntN(3) {
				term, row := randomTerm(r)
				required.NodeSelectorTerms = append(required.NodeSelectorTerms, term)
				terms = append(terms, row)
			}
			pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: required}}
		}
		affinity := nodeaffinity.GetRequiredNodeAffinity(pod)
		rows = append(rows, []any{pod.Spec.NodeSelector, terms, bits(func(k int) bool {
			node := &v1.Node{}
			node.Name, node.Labels = nodes[k].Name, nodes[k].Labels
			match, _ := affinity.Match(node) // as the NodeAffinity plugin: errors are no match
			return match
		})})
	}
	return rows
}

func randomTerm(r *rand.Rand) (v1.NodeSelectorTerm, any) {
	term := v1.NodeSelectorTerm{}
	expressions, fields := []any{}, []any{}
	for range r.IntN(3) {
		q := randomRequirement(r, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
		expressions = append(expressions, q.row())
		term.MatchExpressions = append(term.MatchExpressions, nodeRequirement(q))
	}
	if chance(r, 25) {
		q := requirement{pick(r, "metadata.name", "metadata.name", "metadata.name", "spec.x"),
			pick(r, "In", "In", "NotIn", "Exists"), []string{pick(r, "n1", "n2", "n7", "")}}
		if chance(r, 10) {
			q.values = append(q.values, "n3")
		}
		fields = append(fields, q.row())
		term.MatchFields = append(term.MatchFields, nodeRequirement(q))
	}
	return term, []any{expressions, fields}
}

func nodeRequirement(q requirement) v1.NodeSelectorRequirement {
	return v1.NodeSelectorRequirement{
		Key: q.key, Operator: v1.NodeSelectorOperator(q.operator), Values: q.values}
}
