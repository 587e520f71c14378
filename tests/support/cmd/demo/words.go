package main

import "slices"

// words is what agents said about one node in one attempt to place a pod.
type words struct {
	offered  bool             // false: kube-scheduler ruled the node out before it asked
	reason   string           // of the filter's rejection; empty: it fits
	scores   map[string]int64 // by agent; none where kube-scheduler did not ask
	weighted int64            // what the scores count in kube-scheduler's sum
}

// attempt is one try to place a pod: words by node.
type attempt map[string]words

// attemptsOf sorts the calls for a pod into attempts: each begins with a filter call.
func attemptsOf(pod string, calls []call) []attempt {
	var attempts []attempt
	for _, c := range calls {
		if c.pod != pod {
			continue
		}
		if c.verb == "filter" || len(attempts) == 0 {
			attempts = append(attempts, attempt{})
		}
		attempts[len(attempts)-1].add(c)
	}
	return attempts
}

func (a attempt) add(c call) {
	for _, node := range c.offered {
		w := a[node]
		w.offered = true
		if reason, ok := c.rejected[node]; ok {
			w.reason = reason
		}
		if score, ok := c.scores[node]; ok {
			if w.scores == nil {
				w.scores = map[string]int64{}
			}
			w.scores[c.agent] = score
			w.weighted += score * weight * 10 // 0 to 10 of extenders is 0 to 100 of plugins
		}
		a[node] = w
	}
}

// best returns the nodes that the agents' words favour, sorted: of those that fit, those with the
// highest weighted sum. With one node left kube-scheduler asks for no scores.
func (a attempt) best() []string {
	var nodes []string
	highest := int64(-1)
	for node, w := range a {
		if !w.offered || w.reason != "" || w.weighted < highest {
			continue
		}
		if w.weighted > highest {
			nodes, highest = nil, w.weighted
		}
		nodes = append(nodes, node)
	}
	slices.Sort(nodes)
	return nodes
}
