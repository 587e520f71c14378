package penalty

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// The author's cycle: a PodGroup starts, its class is penalised, the completion is counted, the class recovers.
func TestAClassPaysForAStartAndRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	never := corev1.PreemptNever
	gold.PreemptionPolicy = &never
	w.create(gold, class("silver", 400))
	history, err := penalty.Follow(w.Ctx, w.Client, "gold")
	w.Must(err)
	was := w.class("gold")
	w.serve(settings{"start": "flat 500", "half-life": "0.4"})

	job := groupOf("gold", "job-1")
	w.Must(w.groups.Run(w.Ctx, job, penalty.Pending, penalty.Inqueue))
	// What is counted later has been seen later.
	w.run("silver", "probe")
	w.untilCounted("silver", 1, 0)
	if is := w.class("gold"); is.UID != was.UID {
		t.Errorf("a PodGroup that waits costs: %d", is.Value)
	}
	w.Must(w.groups.Enter(w.Ctx, job, penalty.Running))
	paid := w.untilSound(gold, 500)
	if paid.UID == was.UID {
		t.Error("it is the same object")
	}
	w.untilMarked(job, "1 started")
	w.UntilEventWith("PriorityClassPenalised", "class gold: value 1000 -> 500, start of run 1")
	w.UntilEventWith("PenaltyApplied", "500")
	row := w.untilCounted("gold", 1, 0)
	if row.Base != 1000 || row.ChangedAt == nil {
		t.Errorf("the page says %+v", row)
	}
	w.checkPages(job)

	w.Must(w.groups.Enter(w.Ctx, job, penalty.Completed))
	w.untilCounted("gold", 1, 1)
	w.untilMarked(job, "1 completed")
	w.graceEnds(gold)
	w.untilSound(gold, 1000)
	w.UntilEventWith("PenaltyRecovered", "1000")
	w.untilRow("gold", "at base", func(row penalty.ClassRow) bool { return row.State == "at base" && row.Value == 1000 })
	w.checkRecovery(history, 500, 1000)

	// A Completed that is taken back takes its count back; the same run starts only once.
	w.Must(w.groups.Enter(w.Ctx, job, penalty.Running))
	w.untilCounted("gold", 1, 0)
	w.Must(w.groups.Enter(w.Ctx, job, penalty.Completed))
	w.untilCounted("gold", 1, 1)
	// The next run is another one.
	w.Must(w.groups.Enter(w.Ctx, job, penalty.Pending))
	w.run("silver", "second-probe") // had it not been seen to wait, it would have taken its Completed back
	w.untilCounted("silver", 2, 0)
	w.Must(w.groups.Enter(w.Ctx, job, penalty.Running))
	w.untilCounted("gold", 2, 1)
	w.untilMarked(job, "2 started")
}

func (w *world) untilMarked(group penalty.Group, want string) {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		counted, err := w.groups.Counted(ctx, group)
		// After a completion it goes on with what that has added, and when.
		if err == nil && counted != want && !strings.HasPrefix(counted, want+" ") {
			err = fmt.Errorf("%s is marked %q, want %q", group, counted, want)
		}
		return err
	})
}

// untilLogged waits until the agent has logged something.
func (w *world) untilLogged(text string) {
	w.Helper()
	w.eventually(func(context.Context) error {
		log, err := os.ReadFile(w.agent.LogPath())
		if err == nil && !strings.Contains(string(log), text) {
			err = fmt.Errorf("the log has no %q", text)
		}
		return err
	})
}

// checkPages compares all pages after the first start with the way there.
func (w *world) checkPages(job penalty.Group) {
	w.Helper()
	changes, err := penalty.Changes(w.agent)
	w.Must(err)
	changes = slices.DeleteFunc(changes, func(row penalty.ChangeRow) bool { return row.Class != "gold" })
	if len(changes) != 1 || changes[0].Before != 1000 || changes[0].After != 500 ||
		changes[0].Cause != "start default/job-1" || changes[0].GapMicroseconds == nil {
		w.Errorf("penalty-changes has %+v", changes)
	}
	groups, err := penalty.Counted(w.agent)
	w.Must(err)
	if want := (penalty.GroupRow{Namespace: "default", Name: "job-1", Phase: penalty.Running, Class: "gold",
		Queue: "batch", Counted: "1 started"}); !slices.Contains(groups, want) {
		w.Errorf("penalty-groups has %+v", groups)
	}
	sums, err := penalty.Sums(w.agent)
	w.Must(err)
	for _, want := range []penalty.SumRow{{Kind: "queue", Name: "batch"}, {Kind: "namespace", Name: "default"}} {
		if !slices.ContainsFunc(sums, func(row penalty.SumRow) bool {
			return row.Kind == want.Kind && row.Name == want.Name && row.Starts == 2 && row.Completions == 0
		}) {
			w.Errorf("penalty-sums has %+v", sums)
		}
	}
}

// checkRecovery fails the test unless the way from a value up to the class's base was at most ten classes, each with a
// higher value than the one before.
func (w *world) checkRecovery(history *penalty.History, from, to int32) {
	w.Helper()
	var made []penalty.Seen
	w.eventually(func(context.Context) (err error) { // a watch may be late
		if made, err = history.Made(); err == nil && (len(made) == 0 || made[len(made)-1].Class.Value != to) {
			err = fmt.Errorf("the watch has not shown %d: %v", to, made)
		}
		return err
	})
	var values []int32
	for _, seen := range made {
		if seen.Class.Value == from {
			values = nil
		}
		values = append(values, seen.Class.Value)
	}
	w.Logf("values on the way back: %v", values)
	if writes := len(values) - 1; writes < 1 || writes > 10 {
		w.Errorf("%d writes: %v", writes, values)
	}
	if !slices.IsSorted(values) || values[0] != from || values[len(values)-1] != to {
		w.Errorf("values are %v", values)
	}
}

// What is there before the agent is counted for what it does from then on.
func TestWhatRanBeforeTheAgentIsHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	w.run("gold", "runs")
	w.Must(w.groups.Run(w.Ctx, groupOf("gold", "done"), penalty.Running, penalty.Completed))
	w.Must(w.groups.Run(w.Ctx, groupOf("gold", "waits"), penalty.Pending))
	w.Must(w.groups.Run(w.Ctx, groupOf("other", "elsewhere"), penalty.Running))
	w.serve(nil)
	w.Must(w.groups.Enter(w.Ctx, groupOf("gold", "runs"), penalty.Completed))
	w.untilCounted("gold", 0, 1)
	w.Must(w.groups.Enter(w.Ctx, groupOf("gold", "waits"), penalty.Running))
	w.untilCounted("gold", 1, 1)
	w.untilSound(gold, 990)

	// A missed edge is counted by the next agent, and all others are not counted twice.
	w.agent.Kill()
	w.Must(w.groups.Enter(w.Ctx, groupOf("gold", "waits"), penalty.Completed))
	// A creation time has whole seconds: one in the second in which counting began says nothing.
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second)))
	w.run("gold", "missed")
	w.agentBack()
	w.untilCounted("gold", 2, 2)
	w.untilSound(gold, 980)
	if rows, err := penalty.Classes(w.agent); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

// Without a selector nothing is touched, and with dry-run nothing is written.
func TestNothingIsTouchedUnasked(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]settings{"no selector": {"class-selector": ""}, "dry run": {"dry-run": "true"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			gold, plain := class("gold", 1000), class("plain", 300)
			delete(plain.Labels, selectorKey)
			w.create(gold, plain)
			proxy := w.FaultyServer()
			writes := penalty.WatchWrites(proxy)
			w.agent = w.replica("penalty", proxy, with)
			w.untilLogged("podgroups.scheduling.volcano.sh: 0 known")
			if with["dry-run"] != "" {
				w.untilLooked()
			}
			w.run("gold", "job-1")
			w.run("plain", "job-2", "job-3")
			if with["dry-run"] != "" {
				w.untilRow("gold", "reported", func(row penalty.ClassRow) bool {
					return strings.Contains(row.State, "dry run") && row.Starts == 1
				})
				w.untilLogged("class gold would get the value 990")
			} else {
				// It has seen all three steps of the three, which would be a reason to act.
				w.agent.UntilMetricAbove(t, 8, scheduling.NodeEvents, `resource="podgroups.scheduling.volcano.sh"`)
			}
			for _, name := range []string{"job-1", "job-2"} {
				if counted, err := w.groups.Counted(w.Ctx, groupOf("", name)); err != nil || counted != "" {
					t.Errorf("%s is marked %q, %v", name, counted, err)
				}
			}
			if log := writes.Log(); len(log) > 0 {
				t.Errorf("written: %v", log)
			}
		})
	}
}
