package queuewatch

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Grace is how long a pod must have existed before it can be overtaken: news of it take their time.
const Grace = 100 * time.Millisecond

// roomGrace is how long room for a gang must have existed: with its last place the plan changes, and a single pod
// that is asked about meanwhile is answered by the plan before.
const roomGrace = 250 * time.Millisecond

// Inversion is a pod that was let through before a unit that goes first.
type Inversion struct {
	Late, First Rank
	Node        string // of Late
	At          time.Time
	// Elsewhere: First had room on another node, too, and lost nothing.
	Elsewhere bool
}

// String names both.
func (i Inversion) String() string {
	text := fmt.Sprintf("%s: %s was let through to %s before %s", i.At.Format("15:04:05.000"), i.Late, i.Node, i.First)
	if i.Elsewhere {
		text += ", which had room elsewhere"
	}
	return text
}

// unit is a single pod or a gang.
type unit struct {
	rank    Rank
	minimum int
	members []*life
}

// placement is the call that let a pod through to the node where it was bound.
type placement struct {
	began, answered time.Time
	asked           bool // false: the pod came with its node
}

// judge has what inversions are found from; it does not change.
type judge struct {
	nodes  map[string]*corev1.Node
	lives  []*life
	placed map[*life]placement
	units  []*unit
	unitOf map[*life]*unit
}

// Inversions returns all cases in which B was let through by a filter call though A, before it in the order,
// was pending, had existed for Grace, and would have fitted on B's node. A gang is such an A if all of it
// would have had room, for a while, and lost it to B. They are in order of time, one for each B and A.
func (o *Observer) Inversions() []Inversion {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	j := newJudge(o.settled(), o.nodes)
	var found []Inversion
	for _, late := range j.lives {
		found = append(found, j.overtaken(late)...)
	}
	slices.SortStableFunc(found, func(a, b Inversion) int { return a.At.Compare(b.At) })
	return found
}

// Lost leaves out the inversions whose first unit had room elsewhere.
func Lost(inversions []Inversion) []Inversion {
	return slices.DeleteFunc(slices.Clone(inversions), func(i Inversion) bool { return i.Elsewhere })
}

func newJudge(lives map[string]*life, nodes map[string]*corev1.Node) *judge {
	j := &judge{nodes: nodes, placed: map[*life]placement{}, unitOf: map[*life]*unit{}}
	gangs := map[string]*unit{}
	for _, l := range lives {
		j.lives = append(j.lives, l)
		if l.node != "" {
			j.placed[l] = placementOf(l)
		}
		gang, minimum := gangOf(l.pod)
		u := gangs[gang]
		if gang == "" || u == nil {
			u = &unit{minimum: max(minimum, 1)}
			j.units = append(j.units, u)
		}
		if gang != "" {
			gangs[gang] = u
		}
		u.members = append(u.members, l)
		j.unitOf[l] = u
	}
	for _, u := range j.units {
		u.rank = RankOf(u.members[0].pod)
		if gang, _ := gangOf(u.members[0].pod); gang != "" {
			var pods []*corev1.Pod
			for _, l := range u.members {
				pods = append(pods, l.pod)
			}
			u.rank = RankOfGang(gang, pods)
		}
	}
	return j
}

// placementOf finds the last filter call before the binding that had passed the node.
func placementOf(l *life) placement {
	p := placement{began: l.bound, answered: l.bound}
	for _, call := range l.filters {
		if slices.Contains(call.Passed, l.node) && !call.Began.After(l.bound) {
			p = placement{call.Began, call.Answered, true}
		}
	}
	return p
}

func (j *judge) overtaken(late *life) (found []Inversion) {
	at, ok := j.placed[late]
	if !ok || !at.asked || j.unitOf[late].rank.NeverHeld {
		return nil
	}
	for _, first := range j.units {
		if first == j.unitOf[late] || !first.rank.Before(j.unitOf[late].rank) {
			continue
		}
		fits, elsewhere := j.single(first, late, at)
		if first.minimum > 1 {
			fits, elsewhere = j.gang(first, late, at), false
		}
		if fits {
			found = append(found, Inversion{j.unitOf[late].rank, first.rank, late.node, at.answered, elsewhere})
		}
	}
	return found
}

// waits is true if the pod was pending during the call, and had been for a while.
func (j *judge) waits(l *life, at placement) bool {
	if l.ready.IsZero() || l.ready.After(at.began.Add(-Grace)) {
		return false
	}
	if !l.leaving.IsZero() && !l.leaving.After(at.answered) {
		return false
	}
	own, placed := j.placed[l]
	return !placed || own.answered.After(at.answered)
}

func (j *judge) single(first *unit, late *life, at placement) (fits, elsewhere bool) {
	l := first.members[0]
	if !j.waits(l, at) {
		return false, false
	}
	asked := requestsOf(l.pod)
	for name, free := range j.free(late, at, 0) {
		if !free.covers(asked) || !mayRun(l.pod, j.nodes[name]) {
			continue
		}
		if name == late.node {
			fits = true
		} else {
			elsewhere = true
		}
	}
	return fits, fits && elsewhere
}

// gang is true if a whole gang had room, and has none after the late pod took its place. Its members alike
// take the first room that there is.
func (j *judge) gang(first *unit, late *life, at placement) bool {
	var waiting []*life
	for _, l := range first.members {
		if own, placed := j.placed[l]; placed && !own.answered.After(at.answered) {
			return false // it is on its way
		}
		if j.waits(l, at) {
			waiting = append(waiting, l)
		}
	}
	free := j.free(late, at, roomGrace)
	if len(waiting) < first.minimum || j.room(waiting, free) < first.minimum {
		return false
	}
	free = j.free(late, at, roomGrace)
	free[late.node].take(requestsOf(late.pod))
	return j.room(waiting, free) < first.minimum
}

func (j *judge) room(pods []*life, free map[string]amounts) (count int) {
	for _, l := range pods {
		asked := requestsOf(l.pod)
		for name := range free {
			if free[name].covers(asked) && mayRun(l.pod, j.nodes[name]) {
				free[name].take(asked)
				count++
				break
			}
		}
	}
	return count
}

// free returns what each node had at a call, before the late pod took its place. The late pod did have room:
// where our watch shows a freed place too late, it counts as free. What became free within the grace before the call
// does not.
func (j *judge) free(late *life, at placement, grace time.Duration) map[string]amounts {
	free := map[string]amounts{}
	for name, node := range j.nodes {
		free[name] = allocatableOf(node)
	}
	for l, placed := range j.placed {
		isThere := !placed.answered.After(at.answered) && (l.gone.IsZero() || l.gone.After(at.answered.Add(-grace)))
		if l != late && isThere && free[l.node] != nil {
			free[l.node].take(requestsOf(l.pod))
		}
	}
	if free[late.node] == nil {
		free[late.node] = amounts{}
	}
	free[late.node].atLeast(requestsOf(late.pod))
	return free
}
