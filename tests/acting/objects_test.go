package acting

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/actor"
)

// row is a step of a scene of object_rows.json: a deed of the actor, or what a person does.
type row struct {
	Do          any
	Code        string
	Keep        map[string]string
	Is          any
	Person      string
	Name        string
	Finalizers  *[]string
	Annotations map[string]string
}

// TestObjectRows judges the API server by the rows that also judge the fake of the unit tests
// (tests/support/cc).
func TestObjectRows(t *testing.T) {
	text, err := os.ReadFile("../golden/object_rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var scenes []struct {
		Scene string
		Steps []row
	}
	if err := json.Unmarshal(text, &scenes); err != nil || len(scenes) == 0 {
		t.Fatalf("%d scenes: %v", len(scenes), err)
	}
	w := newWorld(t)
	all := []string{"get", "create", "update", "delete"}
	w.config = w.account("keeper",
		rbacv1.PolicyRule{APIGroups: []string{"scheduling.k8s.io"}, Resources: []string{"priorityclasses"},
			Verbs: []string{"get", "create", "delete"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: all},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}})
	for number, scene := range scenes {
		w.scene(scene.Scene, func(w *world) {
			a := w.actor(fmt.Sprintf("rows-%d", number), w.config)
			kept := map[string]string{}
			for at, step := range scene.Steps {
				w.step(a, step, kept, fmt.Sprintf("step %d", at+1))
			}
		})
	}
}

func (w *world) step(a *actor.Actor, step row, kept map[string]string, where string) {
	w.Helper()
	var value any
	if step.Person != "" {
		value = w.person(step)
	} else {
		outcome, err := a.DoAny(filled(step.Do, kept))
		w.Must(err)
		if outcome.Code != step.Code {
			w.Fatalf("%s: %v: %s, not %s: %s", where, step.Do, outcome.Code, step.Code, outcome.Text)
		}
		w.Must(json.Unmarshal(outcome.Value, &value))
	}
	fields, _ := value.(map[string]any)
	if want, ok := step.Is.(map[string]any); ok {
		for key, part := range want {
			if part = filled(part, kept); !reflect.DeepEqual(fields[key], part) {
				w.Errorf("%s: %s is %v, not %v", where, key, fields[key], part)
			}
		}
	} else if step.Is != nil && value != step.Is {
		w.Errorf("%s: %v, not %v", where, value, step.Is)
	}
	for field, as := range step.Keep {
		kept[as], _ = fields[field].(string)
	}
}

// filled is a value with those of the names that begin with '$'.
func filled(with any, kept map[string]string) any {
	switch with := with.(type) {
	case string:
		if name, ok := strings.CutPrefix(with, "$"); ok {
			return kept[name]
		}
	case []any:
		list := make([]any, len(with))
		for i, part := range with {
			list[i] = filled(part, kept)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, part := range with {
			object[key] = filled(part, kept)
		}
		return object
	}
	return with
}

// person does what an administrator does, and returns what a row may keep of it.
func (w *world) person(step row) any {
	w.Helper()
	classes := w.Client.SchedulingV1().PriorityClasses()
	var err error
	switch step.Person {
	case "own":
		var made *schedulingv1.PriorityClass
		made, err = classes.Create(w.Ctx, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: step.Name}}, metav1.CreateOptions{})
		w.Must(err)
		return map[string]any{"uid": string(made.UID)}
	case "disown", "delete":
		err = classes.Delete(w.Ctx, step.Name, metav1.DeleteOptions{})
	case "edit":
		metadata := map[string]any{}
		if step.Finalizers != nil {
			metadata["finalizers"] = *step.Finalizers
		}
		if step.Annotations != nil {
			metadata["annotations"] = step.Annotations
		}
		var patch []byte
		patch, err = json.Marshal(map[string]any{"metadata": metadata})
		w.Must(err)
		_, err = classes.Patch(w.Ctx, step.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	default:
		w.Fatalf("no person does %q", step.Person)
	}
	w.Must(err)
	return nil
}

// TestClassesOfAgents is about what the rows cannot say of both: rights, events and elections.
func TestClassesOfAgents(t *testing.T) {
	w := newWorld(t)
	w.config = w.account("classes",
		rbacv1.PolicyRule{APIGroups: []string{"scheduling.k8s.io"}, Resources: []string{"priorityclasses"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"create", "patch"}},
		rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"}})
	w.scene("rights that are missing are named", missingRights)
	w.scene("events about classes are kept in default", eventsOfClasses)
	w.scene("one of two leads, and the other after it", elections)
}

func missingRights(w *world) {
	a := w.actor("rights", w.config)
	class := map[string]any{"kind": "PriorityClass", "metadata": map[string]any{"name": "forbidden"}}
	for _, deed := range []map[string]any{
		{"verb": "class-create", "manifest": class},
		{"verb": "class-try", "manifest": class},
		{"verb": "class-delete", "name": "forbidden", "uid": "u", "version": "1"},
		{"verb": "map-read", "namespace": "default", "name": "m"},
		{"verb": "map-write", "namespace": "default", "name": "m"},
		{"verb": "map-write", "namespace": "default", "name": "m", "version": "1"},
		{"verb": "map-delete", "namespace": "default", "name": "m", "uid": "u", "version": "1"},
		{"verb": "owner", "apiVersion": "v1", "kind": "Namespace", "name": "default", "uid": "u"},
	} {
		outcome, err := a.DoAny(deed)
		w.Must(err)
		if outcome.Code != "PERMISSION_DENIED" || !strings.Contains(outcome.Text, "system:serviceaccount:default:classes") {
			w.Errorf("%v: %s: %s", deed, outcome.Code, outcome.Text)
		}
	}
	// Discovery needs no right: of what is not served none is missing.
	outcome, err := a.DoAny(map[string]any{"verb": "owner", "apiVersion": "v1", "kind": "Tenant", "name": "default", "uid": "u"})
	w.Must(err)
	if outcome.Code != "OK" || string(outcome.Value) != "false" {
		w.Errorf("an owner of a kind that is not served: %+v", outcome)
	}
}

func eventsOfClasses(w *world) {
	class, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx,
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "eventful"}, Value: 7}, metav1.CreateOptions{})
	w.Must(err)
	a := w.actor("class-events", w.config)
	outcome := w.does(a, "OK", actor.Deed{Verb: "event", APIVersion: "scheduling.k8s.io/v1", Kind: "PriorityClass",
		Name: class.Name, UID: string(class.UID), Note: "1000 -> 700"})
	if string(outcome.Value) != "1" {
		w.Errorf("%s events were written, not 1", outcome.Value)
	}
	event := w.onlyEventOf(actor.Event{Kind: "PriorityClass", Name: class.Name})
	if event.Namespace != "default" || event.Regarding.Namespace != "" || event.Regarding.UID != class.UID || event.Note != "1000 -> 700" {
		w.Errorf("written as %+v", event)
	}
}

func elections(w *world) {
	type standing struct {
		Leading bool
		Leader  string
		Terms   int
		Leaders []string
	}
	const lease = "elected"
	report := func(a *actor.Actor) (got standing) {
		w.Helper()
		w.Must(json.Unmarshal(w.does(a, "OK", actor.Deed{Verb: "standing"}).Value, &got))
		return got
	}
	leads := func(a *actor.Actor) func() (standing, error) {
		return func() (standing, error) {
			got := report(a)
			if !got.Leading || got.Terms != 1 {
				return got, fmt.Errorf("it does not lead: %+v", got)
			}
			return got, nil
		}
	}
	stand := actor.Deed{Verb: "stand", Namespace: metav1.NamespaceDefault, Name: lease}
	one, two := w.actor("stands-1", w.config), w.actor("stands-2", w.config)
	w.does(one, "OK", stand)
	first := await(w, leads(one))
	w.does(two, "OK", stand)
	seen := await(w, func() (standing, error) {
		got := report(two)
		if got.Leader == "" {
			return got, fmt.Errorf("it knows no leader")
		}
		return got, nil
	})
	if seen.Leading || seen.Leader != first.Leader {
		w.Errorf("the second sees %+v, the first is %+v", seen, first)
	}
	if holder := holderOf(w, w.Client, lease); holder != first.Leader {
		w.Errorf("the Lease is held by %q, not %q", holder, first.Leader)
	}
	host, err := os.Hostname()
	w.Must(err)
	if !strings.HasPrefix(first.Leader, host+"_") {
		w.Errorf("the identity %q does not name the host %q", first.Leader, host)
	}
	w.does(one, "OK", actor.Deed{Verb: "resign"})
	second := await(w, leads(two))
	if second.Leader == first.Leader {
		w.Errorf("two processes are called %q", first.Leader)
	}
}

// await asks until there is an answer without an error.
func await[T any](w *world, ask func() (T, error)) T {
	w.Helper()
	var got T
	w.eventually(patience, func(context.Context) (err error) {
		got, err = ask()
		return err
	})
	return got
}

func holderOf(w *world, client kubernetes.Interface, name string) string {
	w.Helper()
	lease, err := client.CoordinationV1().Leases(metav1.NamespaceDefault).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}
