package penalty

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/penalty"
)

const (
	groupsOfClass = 50
	comparisons   = 100 // at least
)

var (
	namespaces = []string{"default", "red", "blue"}
	queues     = []string{"day", "night"}
)

// ledger is what a test has seen of one class: all edges, and all changes of its value.
type ledger struct {
	name    string
	rules   penalty.Rules
	mutex   sync.Mutex
	edges   []penalty.Edge
	changes map[time.Time]penalty.ChangeRow
	sums    map[penalty.SumRow]*penalty.SumRow // by kind and name
}

// Three classes through a day in seconds: at each time at which the agent wrote a value, and in the end, its ledger is
// what this test makes of the times of the edges.
func TestADayIsWhatTheArithmeticSays(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	for _, name := range namespaces[1:] {
		_, err := w.Client.CoreV1().Namespaces().Create(w.Ctx,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		w.Must(err)
	}
	halves := penalty.Recovery{HalfLife: 600 * time.Millisecond, Grace: 100 * time.Millisecond}
	steps := penalty.Recovery{Step: 50, Interval: 200 * time.Millisecond, Grace: 50 * time.Millisecond}
	ledgers := []*ledger{
		newLedger("gold", penalty.Rules{Base: 3000, Floor: penalty.DefaultFloor(3000, 2000, 1000),
			Start: penalty.Increment{Fraction: 0.1}, Completion: penalty.Increment{Flat: 7}, Recovery: halves}),
		newLedger("silver", penalty.Rules{Base: 2000, Floor: penalty.DefaultFloor(2000, 3000, 1000),
			Start: penalty.Increment{Fraction: 0.25}, Completion: penalty.Increment{Fraction: 0.05}, Recovery: halves}),
		newLedger("bronze", penalty.Rules{Base: 1000, Floor: penalty.DefaultFloor(1000, 3000, 2000),
			Start: penalty.Increment{Flat: 40}, Completion: penalty.Increment{Flat: 7}, Recovery: steps}),
	}
	gold, silver, bronze := class("gold", 3000), class("silver", 2000), class("bronze", 1000)
	silver.Annotations["outrigger.dev/penalty-start"] = "multiplicative 0.25"
	silver.Annotations["outrigger.dev/penalty-completion"] = "multiplicative 0.05"
	for name, value := range map[string]string{"start": "flat 40", "recovery": "steps", "step": "50",
		"step-interval": "0.2", "grace": "0.05"} {
		bronze.Annotations["outrigger.dev/penalty-"+name] = value
	}
	w.create(gold, silver, bronze)
	w.serve(settings{"start": "multiplicative 0.1", "completion": "flat 7", "half-life": "0.6", "grace": "0.1", "quantum": "20"})

	began := time.Now()
	var days sync.WaitGroup
	for i, l := range ledgers {
		days.Add(1)
		go func() {
			defer days.Done()
			if err := w.day(l, rand.New(rand.NewSource(int64(i)))); err != nil {
				t.Errorf("class %s: %v", l.name, err)
			}
		}()
	}
	days.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d PodGroups in %.1f s", groupsOfClass*len(ledgers), time.Since(began).Seconds())
	compared := 0
	for i, class := range []*schedulingv1.PriorityClass{gold, silver, bronze} {
		l := ledgers[i]
		w.untilSound(class, class.Value)
		w.untilRow(l.name, "at base", func(row penalty.ClassRow) bool { return row.State == "at base" })
		w.Must(w.read(l))
		compared += w.compare(l)
	}
	if compared < comparisons {
		t.Errorf("%d values were compared, want %d", compared, comparisons)
	}
	w.compareSums(ledgers)
}

func newLedger(name string, rules penalty.Rules) *ledger {
	return &ledger{name: name, rules: rules, changes: map[time.Time]penalty.ChangeRow{},
		sums: map[penalty.SumRow]*penalty.SumRow{}}
}

// day takes the PodGroups of a class through their phases, in random order, each edge once the one before is counted.
func (w *world) day(l *ledger, random *rand.Rand) error {
	var waiting, running []penalty.Group
	for i := range groupsOfClass {
		waiting = append(waiting, penalty.Group{Namespace: namespaces[random.Intn(len(namespaces))],
			Name: fmt.Sprintf("%s-%03d", l.name, i), Class: l.name, Queue: queues[random.Intn(len(queues))]})
	}
	for len(waiting)+len(running) > 0 {
		starts := len(waiting) > 0 && (len(running) == 0 || random.Intn(2) == 0)
		from := &running
		if starts {
			from = &waiting
		}
		i := random.Intn(len(*from))
		group := (*from)[i]
		*from = append((*from)[:i], (*from)[i+1:]...)
		if starts {
			running = append(running, group)
		}
		if err := w.edge(l, group, starts, random); err != nil {
			return err
		}
		time.Sleep(time.Duration(random.Intn(40)) * time.Millisecond)
	}
	return nil
}

// edge takes a PodGroup to its start or its completion by a way that has no other edge, and records it.
func (w *world) edge(l *ledger, group penalty.Group, starts bool, random *rand.Rand) error {
	ways := [][]string{{penalty.Completed}, {penalty.Pending, penalty.Running, penalty.Completed},
		{penalty.Unknown, penalty.Completed}}
	kind := penalty.Completion
	if starts {
		ways, kind = [][]string{{penalty.Pending, penalty.Inqueue, penalty.Running}, {penalty.Pending, penalty.Running},
			{penalty.Running}, {penalty.Running, penalty.Unknown, penalty.Running}}, penalty.Start
		if err := w.groups.Create(w.Ctx, group); err != nil {
			return err
		}
	}
	if err := w.groups.Enter(w.Ctx, group, ways[random.Intn(len(ways))]...); err != nil {
		return err
	}
	wantStarts, wantCompletions := l.count(group, kind)
	return kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
		if err := w.read(l); err != nil {
			return err
		}
		row, err := w.row(w.agent, l.name)
		if err != nil {
			return err
		}
		if row.Starts != wantStarts || row.Completions != wantCompletions || row.ChangedAt == nil {
			return fmt.Errorf("after the %s of %s: %+v, want %d and %d", kind, group, row, wantStarts, wantCompletions)
		}
		l.edges = append(l.edges, penalty.Edge{Kind: kind, At: *row.ChangedAt})
		return nil
	})
}

// count adds an edge to the sums, and returns how many of each kind there are.
func (l *ledger) count(group penalty.Group, kind penalty.Kind) (starts, completions int64) {
	for _, of := range []penalty.SumRow{{Kind: "queue", Name: group.Queue}, {Kind: "namespace", Name: group.Namespace}} {
		sum := l.sums[of]
		if sum == nil {
			sum = &penalty.SumRow{Kind: of.Kind, Name: of.Name}
			l.sums[of] = sum
		}
		if kind == penalty.Start {
			sum.Starts++
		} else {
			sum.Completions++
		}
	}
	for of, sum := range l.sums {
		if of.Kind == "queue" {
			starts, completions = starts+sum.Starts, completions+sum.Completions
		}
	}
	return starts, completions
}

// read adds what the page has of the changes of a class: it keeps the last hundred.
func (w *world) read(l *ledger) error {
	changes, err := penalty.Changes(w.agent)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, change := range changes {
		if change.Class == l.name {
			l.changes[change.At] = change
		}
	}
	return nil
}

// compare returns at how many times a class had the value that it should have.
func (w *world) compare(l *ledger) int {
	w.Helper()
	wrong, lowest := 0, l.rules.Base
	for at, change := range l.changes {
		lowest = min(lowest, change.After)
		if want := l.rules.Value(l.edges, at); change.After != want {
			if wrong++; wrong <= 5 {
				w.Errorf("class %s at %s: value %d, want %d, of %+v", l.name, at.Format(time.RFC3339Nano), change.After, want, change)
			}
		}
	}
	row, err := w.row(w.agent, l.name)
	w.Must(err)
	if want := l.rules.Penalty(l.edges, time.Now()); row.Value != l.rules.Base || math.Abs(row.Penalty-want) > 1 {
		w.Errorf("class %s in the end: %+v, want penalty %v", l.name, row, want)
	}
	w.Logf("class %s: %d edges, %d changes, %d of them wrong; lowest value %d", l.name, len(l.edges), len(l.changes), wrong, lowest)
	return len(l.changes)
}

// compareSums compares the counts of queues and namespaces.
func (w *world) compareSums(ledgers []*ledger) {
	w.Helper()
	want := map[penalty.SumRow][2]int64{}
	for _, l := range ledgers {
		for of, sum := range l.sums {
			counts := want[of]
			want[of] = [2]int64{counts[0] + sum.Starts, counts[1] + sum.Completions}
		}
	}
	rows, err := penalty.Sums(w.agent)
	w.Must(err)
	if len(rows) != len(want) {
		w.Errorf("penalty-sums has %d rows, want %d: %+v", len(rows), len(want), rows)
	}
	for _, row := range rows {
		if counts := want[penalty.SumRow{Kind: row.Kind, Name: row.Name}]; counts != [2]int64{row.Starts, row.Completions} {
			w.Errorf("penalty-sums has %+v, want %v", row, counts)
		}
	}
}
