package penalty

import (
	"context"
	"fmt"
	"strings"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// refusal is a class that the agent leaves alone.
type refusal struct {
	name   string
	change func(class *schedulingv1.PriorityClass)
	reason string // in the page's state; "": the class has no row, and no Event
	says   string // in the Event
}

func annotated(key, value string) func(*schedulingv1.PriorityClass) {
	return func(class *schedulingv1.PriorityClass) { class.Annotations[key] = value }
}

func labelled(key, value string) func(*schedulingv1.PriorityClass) {
	return func(class *schedulingv1.PriorityClass) { class.Labels[key] = value }
}

var refusals = []refusal{
	{"finalizer", func(c *schedulingv1.PriorityClass) { c.Finalizers = []string{"example.com/keep"} }, "finalizers", "finalizer"},
	{"default", func(c *schedulingv1.PriorityClass) { c.GlobalDefault = true }, "global-default", "globalDefault"},
	{"dependents", annotated("outrigger.dev/has-dependents", "true"), "dependents", "dependents"},
	{"owner-gone", func(c *schedulingv1.PriorityClass) {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass",
			Name: "plain", UID: types.UID("11111111-2222-3333-4444-555555555555")}}
	}, "owner-gone", "owner"},
	{"helm", labelled("app.kubernetes.io/managed-by", "Helm"), "managed", "Helm"},
	{"argo", annotated("argocd.argoproj.io/tracking-id", "app:scheduling.k8s.io/PriorityClass:argo"), "managed", "Argo"},
	{"flux", labelled("kustomize.toolkit.fluxcd.io/name", "infra"), "managed", "Flux"},
	{"malformed", annotated("outrigger.dev/penalty-half-life", "soon"), "annotation", "half-life"},
	{"crossing", annotated("outrigger.dev/penalty-floor", "60"), "bounds", "floor"},
	{"above", annotated("outrigger.dev/penalty-floor", "100000"), "bounds", "floor"},
	{"ignored", annotated("outrigger.dev/penalty", "ignore"), "", ""},
	{"unselected", func(c *schedulingv1.PriorityClass) { delete(c.Labels, selectorKey) }, "", ""},
}

// Classes that must not be replaced are not, with a reason; others beside them are.
func TestClassesThatAreLeftAloneSayWhy(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	plain := class("plain", 500)
	w.create(plain)
	owned := class("owned", 4000)
	owned.OwnerReferences = []metav1.OwnerReference{{APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass",
		Name: "plain-owner", UID: w.owner("plain-owner")}}
	allowed := class("allowed", 3000)
	allowed.Labels["app.kubernetes.io/managed-by"] = "Helm"
	allowed.Annotations["outrigger.dev/penalty-managed"] = "allow"
	w.create(owned, allowed)
	before := map[string]types.UID{}
	for i, row := range refusals {
		refused := class(row.name, int32(1000+10*i))
		row.change(refused)
		w.create(refused)
		before[row.name] = w.class(row.name).UID
	}
	w.serve(nil)
	for _, row := range refusals {
		w.run(row.name, "job-"+row.name)
	}
	for _, class := range []*schedulingv1.PriorityClass{plain, owned, allowed} {
		w.run(class.Name, "job-"+class.Name)
		w.untilSound(class, class.Value-10)
	}
	for _, row := range refusals {
		t.Run(row.name, func(t *testing.T) { w.in(t).checkLeftAlone(row, before[row.name]) })
	}
	if left := w.agent.Metric(t, "outrigger_penalty_left_alone"); left != float64(len(refusals)-2) {
		t.Errorf("%v classes are left alone by the metric", left)
	}
}

func (w *world) checkLeftAlone(row refusal, before types.UID) {
	w.Helper()
	if row.reason == "" {
		rows, err := penalty.Classes(w.agent)
		w.Must(err)
		for _, each := range rows {
			if each.Class == row.name {
				w.Errorf("the page has %+v", each)
			}
		}
		if notes := w.events("PenaltyRefused", row.name); len(notes) > 0 {
			w.Errorf("events: %q", notes)
		}
	} else {
		w.untilRow(row.name, "left alone", func(each penalty.ClassRow) bool {
			return each.State == "left alone: "+row.reason
		})
		w.eventually(func(context.Context) error {
			notes := w.events("PenaltyRefused", row.name)
			if len(notes) != 1 || !strings.Contains(notes[0], row.says) {
				return fmt.Errorf("events: %q, want one with %q", notes, row.says)
			}
			return nil
		})
	}
	if is := w.class(row.name); is == nil || is.UID != before || is.DeletionTimestamp != nil {
		w.Errorf("it is %+v", is)
	}
}

// owner makes a class that others name as their owner, and returns its UID.
func (w *world) owner(name string) types.UID {
	w.Helper()
	owner := class(name, 200)
	delete(owner.Labels, selectorKey)
	w.create(owner)
	return w.class(name).UID
}
