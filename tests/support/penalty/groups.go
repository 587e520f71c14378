// Package penalty has what tests of the agent penalty need: PodGroups of Volcano and their phases, the value that a
// class should have by an arithmetic of its own, the agent's pages, what a class went through, and the agent's writes.
package penalty

import (
	"context"
	_ "embed" // podgroups.yaml
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// The phases of a PodGroup of Volcano.
const (
	Pending   = "Pending"
	Inqueue   = "Inqueue"
	Running   = "Running"
	Unknown   = "Unknown"
	Completed = "Completed"
)

// CountedAnnotation is how the agent marks what it has counted of a PodGroup.
const CountedAnnotation = "outrigger.dev/penalty-counted"

//go:embed podgroups.yaml
var definition []byte

var (
	definitions = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	podGroups = schema.GroupVersionResource{
		Group: "scheduling.volcano.sh", Version: "v1beta1", Resource: "podgroups"}
)

// Group is a PodGroup of Volcano.
type Group struct{ Namespace, Name, Class, Queue string }

// String is how the agent names it.
func (g Group) String() string { return g.Namespace + "/" + g.Name }

// Groups drives PodGroups as Volcano's controller and scheduler do. Its methods are safe for concurrent use.
type Groups struct {
	client dynamic.NamespaceableResourceInterface
}

// InstallGroups makes Volcano's PodGroups known to an API server, and waits until it serves them.
func InstallGroups(ctx context.Context, config *rest.Config) (*Groups, error) {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 10_000, 10_000
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client of PodGroups: %w", err)
	}
	var crd unstructured.Unstructured
	if err := yaml.Unmarshal(definition, &crd.Object); err != nil {
		return nil, fmt.Errorf("podgroups.yaml: %w", err)
	}
	_, err = client.Resource(definitions).Create(ctx, &crd, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, fmt.Errorf("define PodGroups: %w", err)
	}
	g := &Groups{client.Resource(podGroups)}
	return g, kube.Eventually(ctx, process.Patience, func(ctx context.Context) error {
		_, err := g.client.List(ctx, metav1.ListOptions{})
		return err
	})
}

// Create makes a PodGroup, which has no phase yet. Its namespace must exist.
func (g *Groups) Create(ctx context.Context, group Group) error {
	spec := map[string]any{"minMember": int64(1)}
	if group.Class != "" {
		spec["priorityClassName"] = group.Class
	}
	if group.Queue != "" {
		spec["queue"] = group.Queue
	}
	_, err := g.client.Namespace(group.Namespace).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": podGroups.GroupVersion().String(),
		"kind":       "PodGroup",
		"metadata":   map[string]any{"namespace": group.Namespace, "name": group.Name},
		"spec":       spec,
	}}, metav1.CreateOptions{})
	return err
}

// Enter takes a PodGroup through phases, one after the other.
func (g *Groups) Enter(ctx context.Context, group Group, phases ...string) error {
	for _, phase := range phases {
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"phase": phase}})
		if err != nil {
			return err
		}
		if _, err := g.client.Namespace(group.Namespace).Patch(ctx, group.Name, types.MergePatchType, patch,
			metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("%s enters %s: %w", group, phase, err)
		}
	}
	return nil
}

// Run creates a PodGroup and takes it through phases.
func (g *Groups) Run(ctx context.Context, group Group, phases ...string) error {
	if err := g.Create(ctx, group); err != nil {
		return err
	}
	return g.Enter(ctx, group, phases...)
}

// Annotate sets one annotation of a PodGroup.
func (g *Groups) Annotate(ctx context.Context, group Group, key, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
	if err != nil {
		return err
	}
	_, err = g.client.Namespace(group.Namespace).Patch(ctx, group.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// Counted is what the agent has written about a PodGroup: "1 started"; "" if it has not.
func (g *Groups) Counted(ctx context.Context, group Group) (string, error) {
	object, err := g.client.Namespace(group.Namespace).Get(ctx, group.Name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return object.GetAnnotations()[CountedAnnotation], nil
}
