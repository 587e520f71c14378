// Package devices tests the types of the devices prototype (deploy/devices, docs/devices.md) and their examples on the
// real kube-apiserver.
package devices

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	base "outrigger.dev/outrigger/tests/support/world"
)

const (
	manifests = "../../../deploy/devices"
	examples  = "../../../agents/devices/examples"
	// patience is how long the API server may take to serve new kinds.
	patience = scheduling.Patience
	// settled is how long it may take until all is said of kinds that are served.
	settled = scheduling.Patience
)

var definitions = schema.GroupVersionResource{
	Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// kind is a kind of the prototype.
type kind struct {
	name, plural string
	namespaced   bool
}

var kinds = map[string]kind{}

func init() {
	for _, k := range []kind{
		{"DeviceDriver", "devicedrivers", false},
		{"DeviceClass", "deviceclasses", false},
		{"DevicePool", "devicepools", false},
		{"DeviceClaim", "deviceclaims", true},
		{"DevicePrivilegedClaim", "deviceprivilegedclaims", true},
		{"DeviceSetClaim", "devicesetclaims", true},
		{"DeviceClaimTemplate", "deviceclaimtemplates", true},
	} {
		kinds[k.name] = k
	}
}

// world is a control plane that serves the kinds, as an administrator has installed them.
type world struct {
	base.World
	dynamic dynamic.Interface
}

// install applies the manifests and waits until all kinds are served.
func install(t *testing.T) *world {
	t.Helper()
	w := base.Of(t, cluster.SharedForTest(t), 20*time.Minute)
	// No controller manager makes it, and pods are refused without it.
	_, err := w.Client.CoreV1().ServiceAccounts("default").Create(w.Ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	w.Must(err)
	return installOn(w)
}

func installOn(on base.World) *world {
	on.Helper()
	w := worldOf(on)
	w.kubectl("apply", "--server-side", "--validate=strict", "-f", manifests, "-f", filepath.Join(examples, "crds"))
	w.untilServed()
	return w
}

// worldOf has no kinds yet.
func worldOf(on base.World) *world {
	on.Helper()
	w := &world{World: on}
	var err error
	config := rest.CopyConfig(w.Cluster.Config)
	config.QPS, config.Burst = 1000, 1000
	w.dynamic, err = dynamic.NewForConfig(config)
	w.Must(err)
	return w
}

// untilServed waits until all kinds and that of the examples are served.
func (w *world) untilServed() {
	w.Helper()
	w.untilServes(append(resources(), schema.GroupVersionResource{
		Group: "foozer.example.com", Version: "v1alpha1", Resource: "foozerconfigs"}))
}

// resources are those of the kinds.
func resources() (all []schema.GroupVersionResource) {
	for _, k := range kinds {
		all = append(all, schema.GroupVersionResource{Group: "devmgmtproto.k8s.io", Version: "v1alpha1", Resource: k.plural})
	}
	return all
}

// untilServes waits until the API server serves resources. It asks for all at once: a kind that is about to be served
// answers 429, after which client-go waits for a second.
func (w *world) untilServes(resources []schema.GroupVersionResource) {
	w.Helper()
	served := make(chan error, len(resources))
	for _, resource := range resources {
		go func() {
			served <- kube.Eventually(w.Ctx, patience, func(ctx context.Context) error {
				_, err := w.dynamic.Resource(resource).List(ctx, metav1.ListOptions{})
				return err
			})
		}()
	}
	for range resources {
		w.Must(<-served)
	}
	w.Must(kube.Eventually(w.Ctx, patience, func(context.Context) error { return w.listed(resources) }))
}

// listed returns nil once the list of all resources, which kubectl reads, has these.
func (w *world) listed(wanted []schema.GroupVersionResource) error {
	_, lists, err := w.Client.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			found[list.GroupVersion+" "+resource.Name] = true
		}
	}
	for _, resource := range wanted {
		if !found[resource.GroupVersion().String()+" "+resource.Resource] {
			return fmt.Errorf("%s is not listed", resource)
		}
	}
	return nil
}

// client reaches the objects of a kind, those of the namespace default.
func (w *world) client(k kind) dynamic.ResourceInterface {
	resource := w.dynamic.Resource(schema.GroupVersionResource{
		Group: "devmgmtproto.k8s.io", Version: "v1alpha1", Resource: k.plural})
	if k.namespaced {
		return resource.Namespace("default")
	}
	return resource
}

// object makes an object of what follows its metadata, such as "spec: {driver: a}". Tabs at the beginning of further
// lines are those of the Go source.
func object(t testing.TB, kind, name, body string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	text, err := yaml.YAMLToJSONStrict([]byte("apiVersion: devmgmtproto.k8s.io/v1alpha1\nkind: " + kind +
		"\nmetadata: {name: " + name + "}\n" + strings.ReplaceAll(body, "\t", "")))
	if err == nil {
		err = o.UnmarshalJSON(text)
	}
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return o
}

// create creates an object as kubectl --validate=strict does.
func (w *world) create(o *unstructured.Unstructured, dryRun ...string) (*unstructured.Unstructured, error) {
	k, known := kinds[o.GetKind()]
	if !known {
		return nil, fmt.Errorf("no kind %s", o.GetKind())
	}
	return w.client(k).Create(w.Ctx, o, metav1.CreateOptions{FieldValidation: "Strict", DryRun: dryRun})
}

// setStatus writes the status of an object that exists.
func (w *world) setStatus(kind, name, status string) error {
	return w.editStatus(kind, name, func(o *unstructured.Unstructured) {
		o.Object["status"] = object(w, kind, name, status).Object["status"]
	})
}

// editStatus changes the status of an object, again where an agent has written it meanwhile.
func (w *world) editStatus(kind, name string, edit func(o *unstructured.Unstructured)) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		o, err := w.client(kinds[kind]).Get(w.Ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		edit(o)
		_, err = w.client(kinds[kind]).UpdateStatus(w.Ctx, o, metav1.UpdateOptions{FieldValidation: "Strict"})
		return err
	})
}

func (w *world) kubectl(args ...string) string {
	w.Helper()
	out, err := w.Cluster.Kubectl(w.Ctx, args...)
	w.Must(err)
	return out
}

// folderOf returns the YAML files of a folder.
func folderOf(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", folder, err)
	}
	return files
}

// table splits what kubectl get prints for one kind into rows of words.
func table(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}
