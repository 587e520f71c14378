package penalty

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// groupsEnv is how many completed PodGroups a large cluster keeps, of a tenth as many classes.
const groupsEnv = "OUTRIGGER_PENALTY_GROUPS"

// A large cluster that is quiet costs nothing, one change in it is seen soon, and a restart counts none of it.
func TestALargeClusterThatIsQuietCostsNothing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	groups := 300
	if text := os.Getenv(groupsEnv); text != "" {
		var err error
		groups, err = strconv.Atoi(text)
		w.Must(err)
	}
	classes := groups / 10
	for i := range classes {
		w.create(class(fmt.Sprintf("class-%d", i), int32(1_000_000+i*1000)))
	}
	w.complete(groups, classes)
	w.serve(settings{"start": "flat 100"})

	const watched = 10 * time.Second
	before := w.cpu()
	time.Sleep(watched)
	share := (w.cpu() - before).Seconds() / watched.Seconds()
	t.Logf("%d PodGroups, %d classes, quiet: %.2f %% of a core", groups, classes, 100*share)
	if share > 0.05 { // ten times what it may take on a quiet machine
		t.Errorf("it takes %.2f %% of a core, at most 5 %%", 100*share)
	}

	began := time.Now()
	w.run("class-0", "new")
	w.untilValue("class-0", 999_900)
	t.Logf("a PodGroup created, started, and its class made again: %.3f s", time.Since(began).Seconds())
	w.untilCounted("class-0", 1, 0)
	w.agent.Kill()
	w.agentBack()
	w.untilLooked()
	w.untilCounted("class-0", 1, 0)
	for i := range classes {
		want := int64(1_000_000 + i*1000)
		if i == 0 {
			want -= 100
		}
		if is := w.class(fmt.Sprintf("class-%d", i)); int64(is.Value) != want {
			t.Errorf("%s has the value %d, want %d", is.Name, is.Value, want)
		}
	}
}

// complete makes PodGroups that are completed, some at a time.
func (w *world) complete(groups, classes int) {
	w.Helper()
	var done sync.WaitGroup
	errs := make(chan error, groups)
	next := make(chan int)
	for range 8 {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := range next {
				group := groupOf(fmt.Sprintf("class-%d", i%classes), fmt.Sprintf("old-%d", i))
				errs <- w.groups.Run(w.Ctx, group, penalty.Completed)
			}
		}()
	}
	for i := range groups {
		next <- i
	}
	close(next)
	done.Wait()
	close(errs)
	for err := range errs {
		w.Must(err)
	}
}

// cpu is the processor time that the agent has used.
func (w *world) cpu() time.Duration {
	w.Helper()
	const tick = 10 * time.Millisecond
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.agent.Pid()))
	w.Must(err)
	// After the name, which may have blanks: utime and stime.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var sum time.Duration
	for _, field := range fields[11:13] {
		ticks, err := strconv.Atoi(field)
		w.Must(err)
		sum += time.Duration(ticks) * tick
	}
	return sum
}
