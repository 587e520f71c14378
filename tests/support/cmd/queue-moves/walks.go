package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

const (
	walkCount  = 60
	walkLength = 40
)

// walks are rows at random: each step is one that is possible where the queue stands.
func walks(r *rand.Rand) []row {
	rows := make([]row, 0, walkCount)
	for i := range walkCount {
		w := &walker{r: r, player: newPlayer(), parts: map[string]string{}, generation: map[string]int{}}
		row := row{Name: fmt.Sprintf("walk %d", i+1)}
		for range walkLength {
			row.Steps = append(row.Steps, w.step())
		}
		w.player.stop()
		rows = append(rows, row)
	}
	return rows
}

type walker struct {
	r          *rand.Rand
	player     *player
	parts      map[string]string
	generation map[string]int // how many pods of the name there were
}

func (w *walker) step() step {
	for {
		s, ok := w.propose()
		if !ok {
			continue
		}
		w.player.do(&s)
		w.parts = w.player.parts()
		s.Then = w.parts
		return s
	}
}

// propose is a deed at random; false: it is not possible now.
func (w *walker) propose() (step, bool) {
	active, flights, known := w.in("active"), w.in("in flight"), w.waiting()
	switch n := w.r.IntN(20); {
	case n < 3:
		name := pick(w.r, []string{"a", "b", "c", "d"})
		if w.player.cluster[name] != nil {
			return step{}, false
		}
		w.generation[name]++
		return add(fmt.Sprintf("%s%d", name, w.generation[name])), true
	case n < 7:
		return pop(), len(active) > 0
	case n < 10 && len(flights) > 0:
		return fail(pick(w.r, flights), pick(w.r, rejectors)...), true
	case n < 11 && len(flights) > 0:
		return done(pick(w.r, flights)), true
	case n < 14:
		return pick(w.r, events), true
	case n < 16 && len(known) > 0:
		return update(pick(w.r, known), pick(w.r, []string{"labels", "tolerations", "annotations"})), true
	case n < 17 && len(known) > 0:
		return remove(pick(w.r, known)), true
	default:
		// One more than a multiple of 250 ms: no event falls on the very end of a backoff, where upstream, which
		// looks at backoffs once a second, has another answer than a queue that ends them when they are over.
		return advance(250*pick(w.r, []int{1, 2, 4, 8, 16, 40, 130, 1250}) + 1), true
	}
}

// waiting is every pod of the cluster, by UID.
func (w *walker) waiting() []string {
	var uids []string
	for _, pod := range w.player.cluster {
		uids = append(uids, string(pod.UID))
	}
	slices.Sort(uids)
	return uids
}

func (w *walker) in(part string) []string {
	var uids []string
	for uid, there := range w.parts {
		if there == part {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
