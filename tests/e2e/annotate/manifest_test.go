package annotate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// rightsOfManifests returns "account: verb group/resource" of all rules.
func rightsOfManifests(t *testing.T) (rights []string) {
	t.Helper()
	var documents [][]byte
	for _, file := range manifests {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, bytes.Split(text, []byte("\n---\n"))...)
	}
	for _, document := range documents {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			t.Fatal(err)
		}
		if kind.Kind != "ClusterRole" && kind.Kind != "Role" {
			continue
		}
		var role rbacv1.Role
		if err := yaml.UnmarshalStrict(document, &role); err != nil {
			t.Fatal(err)
		}
		account := strings.TrimSuffix(strings.TrimPrefix(role.Name, "outrigger-annotate-"), "-agents")
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				right := fmt.Sprintf("%s: %s %s/%s %s", account, verb, rule.APIGroups[0], rule.Resources[0],
					strings.Join(rule.ResourceNames, ","))
				rights = append(rights, strings.TrimSpace(right))
			}
		}
	}
	slices.Sort(rights)
	return rights
}

// docs/annotators.md has the reason of each.
func TestTheRolesHaveTheRightsThatThePageNames(t *testing.T) {
	t.Parallel()
	var want []string
	for _, what := range []string{"usage", "allocation"} {
		for _, verb := range []string{"list", "patch", "watch"} {
			want = append(want, what+": "+verb+" /nodes")
		}
		want = append(want, what+": create coordination.k8s.io/leases")
		for _, verb := range []string{"get", "update"} {
			want = append(want, what+": "+verb+" coordination.k8s.io/leases outrigger-annotate-"+what)
		}
	}
	want = append(want, "allocation: list /pods", "allocation: watch /pods", "usage: list metrics.k8s.io/nodes")
	slices.Sort(want)
	if rights := rightsOfManifests(t); !slices.Equal(rights, want) {
		t.Errorf("the manifest grants\n%s\nwant\n%s", strings.Join(rights, "\n"), strings.Join(want, "\n"))
	}
}

// The policy of deploy/controller.annotate-usage.yaml: who may patch nodes may not make one unschedulable, or write for other agents.
func TestTheAnnotatorWritesNothingButItsAnnotations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a").Annotation("example.com/keep", "it"))
	w.applyManifest()
	credentials, err := w.Cluster.ServiceAccountConfig(w.Ctx, metav1.NamespaceSystem, "outrigger-annotate-usage")
	w.Must(err)
	annotator, err := kubernetes.NewForConfig(credentials)
	w.Must(err)
	patch := func(text string) error {
		_, err := annotator.CoreV1().Nodes().Patch(w.Ctx, "a", types.MergePatchType, []byte(text), metav1.PatchOptions{})
		return err
	}
	refused := func(what, text string) error {
		if err := patch(text); err == nil || !strings.Contains(err.Error(), "denied request: the annotator") {
			return fmt.Errorf("%s is not refused by the policy: %v", what, err)
		}
		return nil
	}
	tries := 0
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error { // until it is in force
		tries++
		return refused("another's annotation", fmt.Sprintf(`{"metadata":{"annotations":{"requested-cpu":"%d"}}}`, tries))
	}))
	for what, text := range map[string]string{
		"a taint":         `{"spec":{"taints":[{"key":"x","effect":"NoSchedule"}]}}`,
		"a cordon":        `{"spec":{"unschedulable":true}}`,
		"a label":         `{"metadata":{"labels":{"x":"y"}}}`,
		"a finalizer":     `{"metadata":{"finalizers":["example.com/x"]}}`,
		"an owner":        `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"a","uid":"0"}]}}`,
		"all annotations": `{"metadata":{"annotations":null}}`,
	} {
		w.Must(refused(what, text))
	}
	w.Must(patch(`{"metadata":{"annotations":{"mean-free-cpu":"1","outrigger.dev/usage-measured":"x"}}}`))
	w.Must(patch(`{"metadata":{"annotations":{"mean-free-cpu":null}}}`))
}
