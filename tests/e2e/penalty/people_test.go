package penalty

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// heldWorld is a world in which one call of the agent about class gold can be kept back.
type heldWorld struct {
	*world
	proxy *faults.Proxy
	was   *schedulingv1.PriorityClass
}

func newHeldWorld(t *testing.T) *heldWorld {
	t.Helper()
	w := &heldWorld{world: newWorld(t), was: class("gold", 1000)}
	w.proxy = w.FaultyServer()
	w.create(w.was)
	w.serveThrough(w.proxy, nil)
	w.run("gold", "job-0")
	w.untilSound(w.was, 990)
	return w
}

// meanwhile has somebody do something while a call of the next replacement is on its way.
func (w *heldWorld) meanwhile(call faults.Match, does func()) {
	w.Helper()
	let := make(chan struct{})
	held := w.proxy.Inject(faults.Rule{Match: call, Hold: let, Times: 1})
	defer held.Remove()
	w.run("gold", "job-1")
	w.eventually(func(context.Context) error {
		if held.Hits() == 0 {
			return fmt.Errorf("the call is not sent")
		}
		return nil
	})
	does()
	close(let)
}

func (w *world) patch(class, patch string) {
	w.Helper()
	_, err := w.Client.SchedulingV1().PriorityClasses().Patch(w.Ctx, class, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{})
	w.Must(err)
}

func (w *world) delete(class string) {
	w.Helper()
	err := w.Client.SchedulingV1().PriorityClasses().Delete(w.Ctx, class, metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		w.Must(err)
	}
}

// replace puts a class in the place of the one of its name, as a person does who wants it at all costs.
func (w *world) replace(class *schedulingv1.PriorityClass) {
	w.Helper()
	w.eventually(func(ctx context.Context) error {
		w.delete(class.Name)
		_, err := w.Client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
		return err
	})
}

// What people do to a class while it is replaced counts, and the class is there in the end.
func TestPeopleMayChangeAClassInMidReplacement(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	gold := penalty.Deletes("gold")
	t.Run("an edit", func(t *testing.T) {
		t.Parallel()
		w := newHeldWorld(t)
		w.meanwhile(gold, func() { w.patch("gold", `{"metadata":{"labels":{"team":"red"}},"description":"edited"}`) })
		edited := w.was.DeepCopy()
		edited.Labels["team"], edited.Description = "red", "edited"
		w.untilSound(edited, 980)
	})
	t.Run("a delete", func(t *testing.T) {
		t.Parallel()
		w := newHeldWorld(t)
		w.meanwhile(gold, func() { w.delete("gold") })
		// The intent says that the class is to be there.
		w.untilSound(w.was, 980)
	})
	t.Run("another class", func(t *testing.T) {
		t.Parallel()
		w := newHeldWorld(t)
		other := class("gold", 2000)
		other.Labels["team"] = "red"
		w.meanwhile(gold, func() { w.replace(other) })
		w.untilSound(other, 1980) // what was counted still counts
		w.untilRow("gold", "adopted", func(row penalty.ClassRow) bool { return row.Base == 2000 && row.Value == 1980 })
		w.UntilEventWith("PenaltyAdopted", "2000")
	})
	t.Run("another class in the gap", func(t *testing.T) {
		t.Parallel()
		w := newHeldWorld(t)
		other := class("gold", 3000)
		w.meanwhile(penalty.Creates, func() { w.replace(other) })
		w.untilSound(other, 2980)
		w.untilRow("gold", "adopted", func(row penalty.ClassRow) bool { return row.Base == 3000 })
	})
}

// A class that a person deletes stays away, and its account goes; one that comes again begins with its own value.
func TestAClassThatWasDeletedIsLeftAway(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newHeldWorld(t)
	w.delete("gold")
	w.eventually(func(context.Context) error {
		rows, err := penalty.Classes(w.agent)
		if err == nil && len(rows) > 0 {
			err = fmt.Errorf("the page still has %+v", rows)
		}
		return err
	})
	w.run("gold", "job-1")
	// Creation times are whole seconds: what was created in the second of a class's last known job is history, too.
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1100 * time.Millisecond)))
	if is := w.class("gold"); is != nil {
		t.Fatalf("it is there again: %+v", is)
	}
	again := class("gold", 700)
	w.create(again)
	w.untilRow("gold", "at base", func(row penalty.ClassRow) bool { return row.Base == 700 && row.State == "at base" })
	w.run("gold", "job-2")
	w.UntilEventWith("PriorityClassPenalised", "class gold: value 700 -> ")
}

// A tool that applies the manifest each second is refused as long as the class is penalised, and changes nothing.
func TestAnApplyOfTheManifestIsRefusedWhileTheClassIsPenalised(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	w.serve(settings{"start": "flat 500", "half-life": "0.4"})
	w.run("gold", "job-1")
	penalised := w.untilSound(gold, 500)
	for range 20 {
		if err := w.apply(gold); !apierrors.IsInvalid(err) {
			t.Errorf("an apply: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if is := w.class("gold"); is == nil || is.UID != penalised.UID || is.Value != 500 {
		t.Errorf("class gold is %+v, was %+v", is, penalised)
	}
	w.UntilEventWith("PenaltyApplied", "422")
	if applied := w.events("PenaltyApplied", "gold"); len(applied) != 1 {
		t.Errorf("events that say why: %q", applied)
	}
	// An apply that comes in the gap makes the class, which is penalised in turn.
	w.graceEnds(gold)
	w.eventually(func(context.Context) error {
		err := w.apply(gold)
		if err != nil && !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			t.Errorf("an apply: %v", err)
		}
		return err
	})
	w.untilRow("gold", "at base", func(row penalty.ClassRow) bool { return row.Base == 1000 && row.State == "at base" })
	w.untilSound(gold, 1000)
	w.untilCounted("gold", 1, 0)
}

// apply is what a GitOps tool does: a server-side apply of the manifest, by force.
func (w *world) apply(manifest *schedulingv1.PriorityClass) error {
	applied := manifest.DeepCopy()
	applied.APIVersion, applied.Kind = "scheduling.k8s.io/v1", "PriorityClass"
	body, err := json.Marshal(applied)
	if err != nil {
		return err
	}
	force := true
	_, err = w.Client.SchedulingV1().PriorityClasses().Patch(w.Ctx, manifest.Name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: "gitops", Force: &force})
	return err
}

// present is a class as it is now, or once it is not away for a moment any more.
func (w *world) present(name string) (is *schedulingv1.PriorityClass) {
	w.Helper()
	w.eventually(func(context.Context) error {
		if is = w.class(name); is == nil {
			return fmt.Errorf("class %s is not there", name)
		}
		return nil
	})
	return is
}

// A tool that replaces the class by force each second wins each time, for a while; the class is never lost.
func TestAToolThatDeletesAndCreatesGetsAPenalisedClass(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	w.serve(settings{"start": "flat 500", "half-life": "0.4"})
	w.run("gold", "job-1")
	w.untilSound(gold, 500)
	classes := w.Client.SchedulingV1().PriorityClasses()
	for range 4 {
		w.delete("gold")
		if _, err := classes.Create(w.Ctx, gold, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Error(err)
		}
		time.Sleep(500 * time.Millisecond)
		if is := w.present("gold"); is.Value != 1000 && is.Value != 500 {
			t.Errorf("the class is %s", valueOf(is))
		}
	}
	w.graceEnds(gold)
	w.untilSound(gold, 1000)
	w.untilRow("gold", "at base", func(row penalty.ClassRow) bool { return row.Base == 1000 && row.State == "at base" })
}

// A backup of a penalised class, restored when its journal is gone, does not lower its base for ever.
func TestAClassRestoredFromAnExportKeepsItsBase(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	gold := class("gold", 1000)
	w.create(gold)
	w.serve(settings{"start": "flat 500", "half-life": "0.3"})
	w.run("gold", "job-1")
	export := w.untilSound(gold, 500)
	w.agent.Kill()
	w.delete("gold")
	for _, name := range w.journal() {
		w.Must(w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Delete(w.Ctx, name, metav1.DeleteOptions{}))
	}
	restored := export.DeepCopy()
	restored.ObjectMeta = metav1.ObjectMeta{Name: "gold", Labels: export.Labels, Annotations: export.Annotations}
	for _, each := range []*schedulingv1.PriorityClass{gold, restored} {
		each.Annotations[graceSeconds] = "0" // it recovers from then on
	}
	w.create(restored)
	w.agentBack()
	w.untilRow("gold", "known", func(row penalty.ClassRow) bool { return row.Base == 1000 && row.Starts == 1 })
	w.untilSound(gold, 1000)
	w.untilRow("gold", "at base", func(row penalty.ClassRow) bool { return row.Base == 1000 && row.State == "at base" })
}

// A journal that somebody has edited is repaired, not obeyed.
func TestAnEditedJournalIsNotObeyed(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newHeldWorld(t)
	w.agent.Kill()
	maps := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	list, err := maps.List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	edited := 0
	for _, object := range list.Items {
		if text, ok := object.Data["gold"]; ok && strings.HasPrefix(object.Name, "outrigger-penalty-classes-") {
			object.Data["gold"] = strings.NewReplacer("base=1000", "base=999999999999", "value=990", "value=-5",
				"starts=1", "starts=x").Replace(text) + "\nnonsense\nwhat=\x01\n"
			_, err := maps.Update(w.Ctx, &object, metav1.UpdateOptions{})
			w.Must(err)
			edited++
		}
	}
	if edited != 1 {
		t.Fatalf("the journal has class gold %d times: %v", edited, list.Items)
	}
	w.agentBack()
	w.UntilEventWith("PenaltyJournalRepaired", "gold")
	w.run("gold", "job-1")
	w.untilRow("gold", "repaired", func(row penalty.ClassRow) bool { return row.Base == 1000 })
	is := w.present("gold")
	if is.Value >= 1000 || is.Value < 900 {
		t.Errorf("class gold is %s", valueOf(is))
	}
	w.checkCarried(is, w.was)
}
