package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// expected is what agent safe has to say about one node and one pod.
type expected struct {
	rejected string // the reason; empty: it fits
	score    int64
	balance  int64
}

// resources of a node, in millicores and bytes.
var resourcesOfNode = []struct {
	name                      v1.ResourceName
	mean, deviation, forecast string
}{
	{v1.ResourceCPU, "mean-free-cpu", "std-free-cpu", "forcasted-free-cpu"},
	{v1.ResourceMemory, "mean-free-memory", "std-free-memory", "forcasted-free-memory"},
}

func amount(list v1.ResourceList, name v1.ResourceName) float64 {
	quantity := list[name]
	if name == v1.ResourceCPU {
		return float64(quantity.MilliValue())
	}
	return float64(quantity.Value())
}

// judge says what is right; sure is false where rounding errors could decide.
func judge(pod *v1.Pod, node *v1.Node) (e expected, sure bool) {
	demands := pod.Spec.Containers[0].Resources.Requests
	overload, balance := 1.0, 1.0
	var reasons []string
	known := false
	sure = true
	for _, r := range resourcesOfNode {
		free, found := number(node, r.mean)
		if !found {
			continue
		}
		known = true
		if forecast, found := number(node, r.forecast); found {
			free = 0.8*free + 0.2*forecast
		}
		deviation, _ := number(node, r.deviation)
		capacity := amount(node.Status.Allocatable, r.name)
		mean := clamp((math.Max(capacity-free, 0) + amount(demands, r.name)) / capacity)
		deviation = clamp(deviation / capacity)
		probability, certain := risk(mean, deviation)
		sure = sure && certain
		if probability > maxRisk {
			reasons = append(reasons, string(r.name)+": risk "+strconv.FormatFloat(probability, 'f', 2, 64)+" > 0.30")
		}
		share := math.Min(probability/maxRisk, 1)
		overload = math.Min(overload, math.Trunc((1-math.Sqrt(share))*10)/10)
		balance = math.Min(balance, 1-(mean+deviation)/2)
	}
	if !known {
		return expected{score: 5, balance: 5}, true
	}
	if len(reasons) > 0 {
		e.rejected = "safe: " + strings.Join(reasons, ", ") +
			" of exceeding 90 percent utilization; a smaller request or less load would help"
	}
	both := 10*(overload+balance)/2 + 0.5
	e.score, e.balance = int64(both), int64(10*balance+0.5)
	return e, sure && offInteger(both) && offInteger(10*balance+0.5)
}

func number(node *v1.Node, key string) (float64, bool) {
	value, err := strconv.ParseFloat(node.Annotations[key], 64)
	return value, err == nil
}

func clamp(x float64) float64 { return math.Min(math.Max(x, 0), 1) }

// load gives the nodes of a cluster loads of all kinds, such that every pod has a sure answer on
// every node (found by trying): unknown, overloaded in one or both resources, near the limit, and as bodies made it.
func load(cluster *bodies.Cluster, seed uint64, pods []*v1.Pod) {
	for i := range cluster.Nodes {
		r := rand.New(rand.NewPCG(seed, uint64(i)+1_000_000))
		for {
			loadNode(&cluster.Nodes[i], i%10, r)
			if allSure(pods, &cluster.Nodes[i]) {
				break
			}
		}
	}
}

func loadNode(node *v1.Node, class int, r *rand.Rand) {
	set := func(resource int, used, deviation float64) {
		keys := resourcesOfNode[resource]
		capacity := amount(node.Status.Allocatable, keys.name)
		node.Annotations[keys.mean] = strconv.FormatFloat(capacity*(1-used), 'f', 0, 64)
		node.Annotations[keys.deviation] = strconv.FormatFloat(capacity*deviation, 'f', 0, 64)
		node.Annotations[keys.forecast] = strconv.FormatFloat(capacity*(1-used+0.02*r.Float64()), 'f', 0, 64)
	}
	forget := func(resource int) { delete(node.Annotations, resourcesOfNode[resource].mean) }
	high := func() float64 { return 0.88 + 0.1*r.Float64() }
	low := func() float64 { return 0.2 + 0.4*r.Float64() }
	spread := func() float64 { return 0.01 + 0.08*r.Float64() }
	switch class {
	case 0:
		forget(0)
		forget(1)
	case 1:
		set(0, high(), spread())
		set(1, low(), spread())
	case 2:
		set(0, low(), spread())
		set(1, high(), spread())
	case 3:
		set(0, high(), spread())
		set(1, high(), spread())
	case 4:
		set(0, 0.7+0.15*r.Float64(), spread())
		set(1, low(), spread())
	case 5:
		forget(0)
		set(1, 0.7+0.15*r.Float64(), spread())
	default:
		set(0, low(), spread())
		set(1, low(), spread())
	}
}

func allSure(pods []*v1.Pod, node *v1.Node) bool {
	for _, pod := range pods {
		if _, sure := judge(pod, node); !sure {
			return false
		}
	}
	return true
}
