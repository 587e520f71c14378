// Package penalty tests the agent penalty on the real API server, mostly without a scheduler: what counts is which
// PriorityClasses there are, what new pods get of them, and that none is ever lost.
package penalty

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/penalty"
)

const (
	selectorKey  = "outrigger.test/penalised" // of the classes that the agent may touch
	baseValue    = "outrigger.dev/base-value"
	graceSeconds = "outrigger.dev/penalty-grace"
	lease        = "outrigger-penalty"
	leaseTime    = 3 // seconds, where another one has to wait for it; a busy machine may lose such a short one
)

// settings are flags of the agent, without "--penalty.".
type settings map[string]string

// world is a control plane with Volcano's PodGroups, on which one agent may be served.
type world struct {
	*scheduling.World
	groups *penalty.Groups
	agent  *outrigger.Server
	rights *rest.Config
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(scheduling.New(t))
}

func worldOf(base *scheduling.World) *world {
	base.Helper()
	groups, err := penalty.InstallGroups(base.Ctx, base.Cluster.Config)
	base.Must(err)
	return &world{World: base, groups: groups}
}

// rightsOf is who has exactly the rights that agents ask for.
func (w *world) rightsOf(agents string) *rest.Config {
	w.Helper()
	rights, err := w.Cluster.ConfigWithManifest(w.Ctx,
		outrigger.Run(w, "agents", "--rbac", agents, "--namespace", metav1.NamespaceSystem))
	w.Must(err)
	return rights
}

// kubeconfig is the path of one with the agent's rights, by a proxy unless that is nil.
func (w *world) kubeconfig(name string, proxy *faults.Proxy) string {
	w.Helper()
	if w.rights == nil {
		w.rights = w.rightsOf("penalty")
	}
	if proxy != nil {
		return w.KubeconfigThrough(proxy, name, w.rights)
	}
	kubeconfig, err := w.Cluster.WriteKubeconfig(name, w.rights)
	w.Must(err)
	return kubeconfig
}

// flags are settings in place of these: no recovery, a start costs 10, all written at once.
func flags(with settings) []string {
	all := settings{
		"class-selector": selectorKey, "start": "flat 10", "completion": "flat 0", "half-life": "1000000",
		"grace": "100000", "coalesce": "0",
	}
	maps.Copy(all, with)
	var args []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "--penalty."+name+"="+all[name])
	}
	return args
}

// serve starts the agent, and waits until it leads.
func (w *world) serve(with settings) {
	w.Helper()
	w.serveThrough(nil, with)
}

// serveThrough is serve by a proxy.
func (w *world) serveThrough(proxy *faults.Proxy, with settings) {
	w.Helper()
	w.agent = w.replica("penalty", proxy, with)
	w.untilLeads(w.agent)
	w.untilLooked()
}

// untilLooked waits until the agent has looked at classes and PodGroups: what happens from then on is no history.
func (w *world) untilLooked() {
	w.Helper()
	w.agent.UntilMetricAbove(w, 0, "outrigger_penalty_value")
}

// replica starts an agent under a name.
func (w *world) replica(name string, proxy *faults.Proxy, with settings) *outrigger.Server {
	w.Helper()
	agent := outrigger.Serve(w, name, w.Cluster.LogDir(), "penalty",
		append([]string{"--kubeconfig", w.kubeconfig(name, proxy)}, flags(with)...)...)
	agent.UntilReady(w)
	return agent
}

func (w *world) untilLeads(agent *outrigger.Server) {
	w.Helper()
	agent.UntilMetricAbove(w, 0, "outrigger_penalty_leading")
}

// removeLease lets the next agent lead at once: who held the Lease is dead.
func (w *world) removeLease() {
	w.Helper()
	err := w.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(w.Ctx, lease, metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		w.Must(err)
	}
}

// agentBack starts the agent again after it was killed.
func (w *world) agentBack() {
	w.Helper()
	w.removeLease()
	w.agent.Restart(w)
	w.agent.UntilReady(w)
	w.untilLeads(w.agent)
}

// in is the world for a test within its test.
func (w *world) in(t *testing.T) *world {
	inner, base := *w, *w.World
	base.T = t
	inner.World = &base
	return &inner
}

// class is one that the agent may touch, with all that it must carry over.
func class(name string, value int32) *schedulingv1.PriorityClass {
	return &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      map[string]string{selectorKey: "yes", "team": "blue"},
			Annotations: map[string]string{"example.com/note": "keep \"this\",\nand ünïcode"},
		},
		Value:       value,
		Description: "the class " + name,
	}
}

func (w *world) create(classes ...*schedulingv1.PriorityClass) {
	w.Helper()
	for _, class := range classes {
		_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, class, metav1.CreateOptions{})
		w.Must(err)
	}
}

// class is one as it is now; nil if it is not there.
func (w *world) class(name string) *schedulingv1.PriorityClass {
	w.Helper()
	class, err := w.Client.SchedulingV1().PriorityClasses().Get(w.Ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.Must(err)
	return class
}

// untilValue waits until a class has a value, and returns it.
func (w *world) untilValue(name string, value int32) *schedulingv1.PriorityClass {
	w.Helper()
	var class *schedulingv1.PriorityClass
	w.eventually(func(context.Context) error {
		if class = w.class(name); class == nil || class.Value != value {
			return fmt.Errorf("class %s is %s, want %d", name, valueOf(class), value)
		}
		return nil
	})
	return class
}

func valueOf(class *schedulingv1.PriorityClass) string {
	if class == nil {
		return "not there"
	}
	return fmt.Sprint(class.Value)
}

// run makes PodGroups in namespace default that name a class and run.
func (w *world) run(class string, groups ...string) {
	w.Helper()
	for _, name := range groups {
		w.Must(w.groups.Run(w.Ctx, groupOf(class, name), penalty.Pending, penalty.Running))
	}
}

func groupOf(class, name string) penalty.Group {
	return penalty.Group{Namespace: "default", Name: name, Class: class, Queue: "batch"}
}

// graceEnds lets a class recover from now on, whose penalty has stood still until then: what a test does before it needs no
// haste. was has the annotation, too.
func (w *world) graceEnds(was *schedulingv1.PriorityClass) {
	w.Helper()
	was.Annotations[graceSeconds] = "0"
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"0"}}}`, graceSeconds)
	w.eventually(func(ctx context.Context) error { // it may be away for a moment
		_, err := w.Client.SchedulingV1().PriorityClasses().Patch(ctx, was.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

// row is what the agent's page says of a class.
func (w *world) row(agent *outrigger.Server, class string) (penalty.ClassRow, error) {
	rows, err := penalty.Classes(agent)
	if err != nil {
		return penalty.ClassRow{}, err
	}
	for _, row := range rows {
		if row.Class == class {
			return row, nil
		}
	}
	return penalty.ClassRow{}, fmt.Errorf("no row of class %s in %v", class, rows)
}

// untilRow waits until the page has what is wanted of a class.
func (w *world) untilRow(class, what string, holds func(penalty.ClassRow) bool) penalty.ClassRow {
	w.Helper()
	var row penalty.ClassRow
	w.eventually(func(context.Context) (err error) {
		if row, err = w.row(w.agent, class); err == nil && !holds(row) {
			err = fmt.Errorf("class %s is not %s: %+v", class, what, row)
		}
		return err
	})
	return row
}

// untilCounted waits until so many starts and completions of a class are counted.
func (w *world) untilCounted(class string, starts, completions int64) penalty.ClassRow {
	w.Helper()
	return w.untilRow(class, fmt.Sprintf("counted %d, %d", starts, completions), func(row penalty.ClassRow) bool {
		return row.Starts == starts && row.Completions == completions
	})
}

func (w *world) eventually(condition func(context.Context) error) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, condition))
}

// intents are the names of the journal's replacements under way.
func (w *world) intents() []string {
	w.Helper()
	maps, err := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	var names []string
	for _, object := range maps.Items {
		if strings.HasPrefix(object.Name, "outrigger-penalty-intent-") {
			names = append(names, object.Name)
		}
	}
	return names
}

// checkCarried fails the test unless a class has all that the user gave it, and its base in an annotation as long as
// it has another value.
func (w *world) checkCarried(is, was *schedulingv1.PriorityClass) {
	w.Helper()
	annotations := maps.Clone(is.Annotations)
	base, penalised := annotations[baseValue]
	delete(annotations, baseValue)
	if penalised != (is.Value != was.Value) || penalised && base != fmt.Sprint(was.Value) {
		w.Errorf("class %s with value %d, base %d, has the annotation %q", is.Name, is.Value, was.Value, base)
	}
	if !maps.Equal(annotations, was.Annotations) || !maps.Equal(is.Labels, was.Labels) ||
		is.Description != was.Description || is.GlobalDefault != was.GlobalDefault ||
		was.PreemptionPolicy != nil && *is.PreemptionPolicy != *was.PreemptionPolicy ||
		!slices.EqualFunc(is.OwnerReferences, was.OwnerReferences,
			func(a, b metav1.OwnerReference) bool { return a.UID == b.UID && a.Name == b.Name }) {
		w.Errorf("class %s is\n%+v, was\n%+v", is.Name, is, was)
	}
}

// untilSound waits until a class has a value and no replacement is under way, and checks what it carries.
func (w *world) untilSound(was *schedulingv1.PriorityClass, value int32) *schedulingv1.PriorityClass {
	w.Helper()
	is := w.untilValue(was.Name, value)
	w.eventually(func(context.Context) error {
		if open := w.intents(); len(open) > 0 {
			return fmt.Errorf("the journal has %v", open)
		}
		return nil
	})
	w.checkCarried(is, was)
	return is
}

// events are the notes of events of one reason about an object.
func (w *world) events(reason, object string) (notes []string) {
	w.Helper()
	events, err := w.Client.EventsV1().Events(metav1.NamespaceDefault).List(w.Ctx, metav1.ListOptions{})
	w.Must(err)
	for _, event := range events.Items {
		if event.Reason == reason && event.Regarding.Name == object {
			notes = append(notes, event.Note)
		}
	}
	return notes
}
