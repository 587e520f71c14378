package acting

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/actor"
)

// customRow is a step of a scene of custom_rows.json: a deed of the actor, one whose outcome may take a while, or what
// a person does. Schema: only a real API server has one.
type customRow struct {
	Do, Await       map[string]any
	Code, Says      string
	Names           *[]string
	Is              map[string]any
	Keep            map[string]string
	Whole           string
	Schema          bool
	Person, Kind    string
	Namespace, Name string
	Spec            map[string]any
}

// customWorld plays the scenes: whoever defines kinds, and what rows keep.
type customWorld struct {
	*world
	client dynamic.Interface
	actor  *actor.Actor
	kept   map[string]any
}

var customPlurals = map[string]string{"DevicePool": "devicepools", "DeviceClaim": "deviceclaims", "DeviceDriver": "devicedrivers"}

// TestCustomRows judges the API server by the rows that also judge the fake of the unit tests (tests/support/cc).
func TestCustomRows(t *testing.T) {
	text, err := os.ReadFile("../golden/custom_rows.json")
	if err != nil {
		t.Fatal(err)
	}
	var scenes []struct {
		Scene string
		Steps []customRow
	}
	if err := json.Unmarshal(text, &scenes); err != nil || len(scenes) == 0 {
		t.Fatalf("%d scenes: %v", len(scenes), err)
	}
	w := newWorld(t)
	rule := func(verbs []string, resources ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{"devmgmtproto.k8s.io"}, Resources: resources, Verbs: verbs}
	}
	w.config = w.account("devices",
		rule([]string{"get", "list", "watch", "create"}, "devicepools", "deviceclaims", "devicedrivers", "devicesetclaims"),
		rule([]string{"patch"}, "devicepools/status", "deviceclaims/status", "devicesetclaims/status"))
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	for _, kind := range []string{"DevicePool", "DeviceClaim"} {
		(&customWorld{world: w, client: client}).define(kind)
	}
	for number, scene := range scenes {
		w.scene(scene.Scene, func(w *world) {
			c := &customWorld{world: w, client: client, actor: w.actor(fmt.Sprintf("custom-%d", number), w.config), kept: map[string]any{}}
			for at, step := range scene.Steps {
				c.play(step, fmt.Sprintf("step %d", at+1))
			}
		})
	}
}

func (c *customWorld) play(step customRow, where string) {
	c.Helper()
	var value map[string]any
	var err error
	switch {
	case step.Person != "":
		value = c.person(step)
		err = c.compare(step, value)
	case step.Await != nil:
		await(c.world, func() (any, error) {
			value, err = c.deed(step.Await, step)
			return nil, err
		})
	default:
		value, err = c.deed(step.Do, step)
	}
	if err != nil {
		c.Fatalf("%s: %v", where, err)
	}
	for field, as := range step.Keep {
		c.kept[as] = value[field]
	}
	if step.Whole != "" {
		c.kept[step.Whole] = value
	}
}

// deed returns what came of the actor's deed; an error says in what it differs from the row.
func (c *customWorld) deed(command map[string]any, step customRow) (map[string]any, error) {
	outcome, err := c.actor.DoAny(c.filled(command))
	if err != nil {
		return nil, err
	}
	says, _ := c.filled(step.Says).(string)
	if outcome.Code != step.Code || !strings.Contains(outcome.Text, says) {
		return nil, fmt.Errorf("%v: %s, not %s %q: %s", command, outcome.Code, step.Code, says, outcome.Text)
	}
	var value map[string]any
	if err := json.Unmarshal(outcome.Value, &value); err != nil {
		return nil, err
	}
	if step.Names != nil {
		if names := slices.Sorted(maps.Keys(value)); !slices.Equal(names, *step.Names) {
			return nil, fmt.Errorf("%v are seen, not %v", names, *step.Names)
		}
	}
	return value, c.compare(step, value)
}

// compare looks at the fields that the row names.
func (c *customWorld) compare(step customRow, value map[string]any) error {
	for field, want := range step.Is {
		if want = c.filled(want); !reflect.DeepEqual(value[field], want) {
			return fmt.Errorf("%s is %v, not %v", field, value[field], want)
		}
	}
	return nil
}

// filled is a value with those of the names that begin with '$'.
func (c *customWorld) filled(with any) any {
	switch with := with.(type) {
	case string:
		if name, ok := strings.CutPrefix(with, "$"); ok {
			return c.kept[name]
		}
	case []any:
		list := make([]any, len(with))
		for i, part := range with {
			list[i] = c.filled(part)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, part := range with {
			object[key] = c.filled(part)
		}
		return object
	}
	return with
}

// person does what an administrator does, and returns what a row may compare of it.
func (c *customWorld) person(step customRow) map[string]any {
	c.Helper()
	objects := c.objects(step.Kind, step.Namespace)
	switch step.Person {
	case "define":
		c.define(step.Kind)
	case "undefine":
		c.Must(c.client.Resource(definitions).Delete(c.Ctx, c.definitionOf(step.Kind).GetName(), metav1.DeleteOptions{}))
		await(c.world, func() (any, error) {
			_, err := c.client.Resource(definitions).Get(c.Ctx, c.definitionOf(step.Kind).GetName(), metav1.GetOptions{})
			if err == nil {
				return nil, fmt.Errorf("the definition is still there")
			}
			return nil, nil
		})
	case "delete":
		c.Must(objects.Delete(c.Ctx, step.Name, metav1.DeleteOptions{}))
	case "spec":
		patch, err := json.Marshal(map[string]any{"spec": step.Spec})
		c.Must(err)
		patched, err := objects.Patch(c.Ctx, step.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		c.Must(err)
		return summary(c, patched)
	default:
		c.Fatalf("no person does %q", step.Person)
	}
	return nil
}

// summary has of an object what rows compare of what a person made, as JSON has it.
func summary(c *customWorld, object *unstructured.Unstructured) map[string]any {
	c.Helper()
	text, err := json.Marshal(map[string]any{"version": object.GetResourceVersion(), "generation": object.GetGeneration(),
		"spec": object.Object["spec"], "status": object.Object["status"]})
	c.Must(err)
	var fields map[string]any
	c.Must(json.Unmarshal(text, &fields))
	return fields
}

func (c *customWorld) objects(kind, namespace string) dynamic.ResourceInterface {
	resource := c.client.Resource(schema.GroupVersionResource{Group: "devmgmtproto.k8s.io", Version: "v1alpha1", Resource: customPlurals[kind]})
	if namespace == "" {
		return resource
	}
	return resource.Namespace(namespace)
}

// definitionOf is the definition that users apply.
func (c *customWorld) definitionOf(kind string) *unstructured.Unstructured {
	c.Helper()
	text, err := os.ReadFile("../../deploy/devices/" + strings.ToLower(kind) + ".yaml")
	c.Must(err)
	var definition unstructured.Unstructured
	c.Must(yaml.Unmarshal(text, &definition.Object))
	return &definition
}

// define applies the definition and waits until objects can be listed.
func (c *customWorld) define(kind string) {
	c.Helper()
	resource := c.client.Resource(schema.GroupVersionResource{Group: "devmgmtproto.k8s.io", Version: "v1alpha1", Resource: customPlurals[kind]})
	c.install(c.client, c.definitionOf(kind), resource)
}
