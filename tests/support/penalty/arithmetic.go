package penalty

import (
	"math"
	"time"
)

// Increment is by how much one count raises a penalty: by a number, and by a fraction of what is left of the value
// above its floor.
type Increment struct{ Flat, Fraction float64 }

// Recovery is how a penalty falls while nothing is counted: to a half each HalfLife or, if there is one, by Step each
// Interval. It begins Grace after the last count.
type Recovery struct {
	HalfLife, Interval, Grace time.Duration
	Step                      float64
}

// Rules are those of one class.
type Rules struct {
	Base, Floor       int64
	Start, Completion Increment
	Recovery          Recovery
}

// Kind is what is counted.
type Kind string

// What is counted.
const (
	Start      Kind = "start"
	Completion Kind = "completion"
)

// Edge is one count, at the time by which the agent has counted it.
type Edge struct {
	Kind Kind
	At   time.Time
}

// Penalty is what is left at a time of what edges have added, which are in the order of their times.
func (r Rules) Penalty(edges []Edge, at time.Time) float64 {
	penalty := 0.0
	last := at
	for _, edge := range edges {
		if edge.At.After(at) {
			break
		}
		penalty = r.left(penalty, edge.At.Sub(last))
		added := r.Start
		if edge.Kind == Completion {
			added = r.Completion
		}
		room := float64(r.Base-r.Floor) - penalty
		penalty += math.Min(room, added.Flat+added.Fraction*room)
		last = edge.At
	}
	return r.left(penalty, at.Sub(last))
}

// Value is the one that the class should have at a time.
func (r Rules) Value(edges []Edge, at time.Time) int64 {
	value := int64(math.Round(float64(r.Base) - r.Penalty(edges, at)))
	return min(max(value, r.Floor), r.Base)
}

// left is what a penalty comes to after a time without counts.
func (r Rules) left(penalty float64, after time.Duration) float64 {
	recovering := max(0, after-r.Recovery.Grace)
	if r.Recovery.Step > 0 {
		return math.Max(0, penalty-r.Recovery.Step*math.Floor(float64(recovering)/float64(r.Recovery.Interval)))
	}
	return penalty * math.Exp2(-float64(recovering)/float64(r.Recovery.HalfLife))
}

// DefaultFloor is the lowest value of a class that crosses no other class, nor the one below which Cluster Autoscaler
// ignores pods.
func DefaultFloor(base int64, others ...int64) int64 {
	floor := int64(math.MinInt32)
	for _, other := range others {
		if other < base {
			floor = max(floor, other+1)
		}
	}
	if base >= -10 {
		floor = max(floor, -10)
	}
	return floor
}
