package penalty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/penalty"
)

const (
	// changesEnv is how many changes of a class are forced under load.
	changesEnv = "OUTRIGGER_PENALTY_CHANGES"
	clients    = 4
	// admission reads a cache: so long after a change every new pod has the new number.
	settles = 3 * time.Second
)

func forcedChanges(t *testing.T) int {
	t.Helper()
	text := os.Getenv(changesEnv)
	if text == "" {
		return 30
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		t.Fatalf("%s=%s is not accepted: a number from 1 on", changesEnv, text)
	}
	return count
}

// creation is one attempt to create a pod.
type creation struct {
	began, answered time.Time
	priority        int32
	refused         bool
}

// load is clients that create pods of a class all the time.
type load struct {
	mutex   sync.Mutex
	all     []creation
	err     error
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

func (w *world) startLoad(class string) *load {
	ctx, cancel := context.WithCancel(w.Ctx)
	l := &load{stop: cancel}
	for i := range clients {
		l.stopped.Add(1)
		go func() {
			defer l.stopped.Done()
			for n := 0; ctx.Err() == nil; n++ {
				l.create(ctx, w, fmt.Sprintf("load-%d-%05d", i, n), class)
				time.Sleep(4 * time.Millisecond)
			}
		}()
	}
	return l
}

func (l *load) create(ctx context.Context, w *world, name, class string) {
	pod := kube.MakePod(name).PriorityClass(class).Pod()
	began := time.Now()
	made, err := w.Client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{})
	c := creation{began: began, answered: time.Now()}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case ctx.Err() != nil:
		return
	case err == nil && made.Spec.Priority == nil:
		l.err = errors.Join(l.err, fmt.Errorf("%s has no priority, class %s", name, made.Spec.PriorityClassName))
		return
	case err == nil:
		c.priority = *made.Spec.Priority
	case apierrors.IsForbidden(err):
		c.refused = true
	default:
		l.err = errors.Join(l.err, err)
		return
	}
	l.all = append(l.all, c)
}

// has tells whether a pod has been created with a priority.
func (l *load) has(priority int32) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.ContainsFunc(l.all, func(c creation) bool { return !c.refused && c.priority == priority })
}

// end stops the clients, and returns what they did.
func (l *load) end() ([]creation, error) {
	l.stop()
	l.stopped.Wait()
	return l.all, l.err
}

// Pods carry the number that their class had when they were created, and are refused for milliseconds.
func TestPodsCarryTheNumberOfTheirTime(t *testing.T) {
	t.Parallel()
	count := forcedChanges(t)
	w := newWorld(t)
	gold := class("gold", 1_000_000)
	w.create(gold, class("plain", 100))
	history, err := penalty.Follow(w.Ctx, w.Client, "gold")
	w.Must(err)
	w.serve(nil)

	load := w.startLoad("gold")
	changes := map[time.Time]penalty.ChangeRow{}
	var bare []time.Duration
	for i := range count {
		w.run("gold", fmt.Sprintf("job-%03d", i))
		w.untilValue("gold", gold.Value-10*int32(i+1))
		bare = append(bare, w.bareGap())
		if i%20 == 19 || i == count-1 { // the page keeps the last hundred
			w.eventually(func(context.Context) error { return w.collect("gold", changes, i+1) })
		}
	}
	var made []penalty.Seen
	w.eventually(func(context.Context) (err error) { // a watch may be late
		if made, err = history.Made(); err == nil && len(made) <= count {
			err = fmt.Errorf("a watch has shown %d classes", len(made))
		}
		return err
	})
	time.Sleep(settles + 200*time.Millisecond) // pods that begin once all has settled
	w.eventually(func(context.Context) error {
		if last := gold.Value - 10*int32(count); !load.has(last) {
			return fmt.Errorf("no pod has priority %d", last)
		}
		return nil
	})
	pods, err := load.end()
	w.Must(err)
	w.judge(pods, w.eras(gold, changes, made))

	var gaps []time.Duration
	for _, change := range changes {
		if change.GapMicroseconds == nil {
			t.Fatalf("a change without its gap: %+v", change)
		}
		gaps = append(gaps, time.Duration(*change.GapMicroseconds)*time.Microsecond)
	}
	t.Logf("gap of %d replacements: %v median, %v at most; two bare writes: %v median, %v at most",
		len(gaps), quantile(gaps, 2), slices.Max(gaps), quantile(bare, 2), slices.Max(bare))
	// Of those that met a quiet moment: a busy machine adds to each what it likes.
	ours, theirs := quantile(gaps, 4), quantile(bare, 4)
	if ours > 2*theirs {
		t.Errorf("the gap is %v, that of two bare writes %v", ours, theirs)
	}
	w.untilSound(gold, gold.Value-10*int32(count))
}

// bareGap replaces a class as a person would, and returns the time from the answer to the delete to that to the create.
func (w *world) bareGap() time.Duration {
	w.Helper()
	classes := w.Client.SchedulingV1().PriorityClasses()
	plain := class("plain", 100)
	w.Must(classes.Delete(w.Ctx, "plain", metav1.DeleteOptions{}))
	began := time.Now()
	_, err := classes.Create(w.Ctx, plain, metav1.CreateOptions{})
	w.Must(err)
	return time.Since(began)
}

// collect adds the changes on the page, until there are so many in all.
func (w *world) collect(class string, changes map[time.Time]penalty.ChangeRow, want int) error {
	rows, err := penalty.Changes(w.agent)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row.Class == class {
			changes[row.At] = row
		}
	}
	if len(changes) != want {
		return fmt.Errorf("%d changes on the page so far, want %d", len(changes), want)
	}
	return nil
}

// era is for how long new pods may carry a value.
type era struct {
	value    int32
	from, to time.Time // to: unlimited if it is zero
}

// eras are those of a class's values: each begins when the agent decides, and ends when the next class has been seen
// for a while.
func (w *world) eras(was *schedulingv1.PriorityClass, changes map[time.Time]penalty.ChangeRow, made []penalty.Seen) []era {
	w.Helper()
	eras := []era{{value: was.Value}}
	var times []time.Time
	for at := range changes {
		times = append(times, at)
	}
	slices.SortFunc(times, time.Time.Compare)
	if len(made) != len(times)+1 {
		w.Fatalf("the page has %d changes, and a watch has shown %d classes", len(times), len(made))
	}
	for i, at := range times {
		change, seen := changes[at], made[i+1]
		last := &eras[len(eras)-1]
		if int64(last.value) != change.Before || int64(seen.Class.Value) != change.After {
			w.Fatalf("change %d is %+v on the page, and a watch has shown %d after %d", i, change, seen.Class.Value, last.value)
		}
		last.to = seen.At.Add(settles)
		eras = append(eras, era{value: seen.Class.Value, from: at})
	}
	return eras
}

// judge fails the test if a pod has a number of another time, and prints how many were refused.
func (w *world) judge(pods []creation, eras []era) {
	w.Helper()
	refused, wrong, last := 0, 0, 0
	for _, pod := range pods {
		if pod.refused {
			refused++
			continue
		}
		if pod.priority == eras[len(eras)-1].value {
			last++
		}
		if !slices.ContainsFunc(eras, func(e era) bool {
			return e.value == pod.priority && !pod.answered.Before(e.from) && (e.to.IsZero() || pod.began.Before(e.to))
		}) {
			if wrong++; wrong <= 5 {
				w.Errorf("a pod created from %v to %v has priority %d", pod.began, pod.answered, pod.priority)
			}
		}
	}
	w.Logf("%d pods created, %d creations refused; %d pods have the last value; %d have one of another time",
		len(pods)-refused, refused, last, wrong)
	if last == 0 {
		w.Error("no pod was created after the last change")
	}
}

// quantile is what one of so many is below: 2 is the median.
func quantile(all []time.Duration, one int) time.Duration {
	return slices.Sorted(slices.Values(all))[len(all)/one]
}
