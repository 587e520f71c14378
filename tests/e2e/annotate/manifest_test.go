package annotate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// readManifest returns "account verb group/resource" of all rules, and the Deployments.
func readManifest(t *testing.T) (rights []string, deployments []appsv1.Deployment) {
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
		switch kind.Kind {
		case "ClusterRole", "Role":
			var role rbacv1.Role
			if err := yaml.UnmarshalStrict(document, &role); err != nil {
				t.Fatal(err)
			}
			for _, rule := range role.Rules {
				for _, verb := range rule.Verbs {
					right := fmt.Sprintf("%s: %s %s/%s %s", strings.TrimSuffix(strings.TrimPrefix(role.Name, "outrigger-annotate-"), "-agents"), verb,
						rule.APIGroups[0], rule.Resources[0], strings.Join(rule.ResourceNames, ","))
					rights = append(rights, strings.TrimSpace(right))
				}
			}
		case "Deployment":
			var deployment appsv1.Deployment
			if err := yaml.UnmarshalStrict(document, &deployment); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(deployment.Name, "outrigger-annotate-") {
				deployments = append(deployments, deployment)
			}
		}
	}
	slices.Sort(rights)
	return rights, deployments
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
	if rights, _ := readManifest(t); !slices.Equal(rights, want) {
		t.Errorf("the manifest grants\n%s\nwant\n%s", strings.Join(rights, "\n"), strings.Join(want, "\n"))
	}
}

// The API server itself judges the pods by the standard "restricted", and the program the arguments and settings.
func TestTheManifestRuns(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a"))
	w.applyManifest()
	_, err := w.Client.CoreV1().Namespaces().Create(w.Ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: "restricted", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}, metav1.CreateOptions{})
	w.Must(err)
	_, err = w.Client.CoreV1().ServiceAccounts("restricted").Create(w.Ctx, &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	w.Must(err)
	_, deployments := readManifest(t)
	if len(deployments) != 2 {
		t.Fatalf("%d Deployments, want 2", len(deployments))
	}
	for _, deployment := range deployments {
		if *deployment.Spec.Replicas != 2 {
			t.Errorf("%s has %d replicas, want 2", deployment.Name, *deployment.Spec.Replicas)
		}
		spec := deployment.Spec.Template.Spec
		settings, err := w.Client.CoreV1().ConfigMaps("kube-system").Get(w.Ctx, spec.Volumes[0].ConfigMap.Name, metav1.GetOptions{})
		w.Must(err)
		file := filepath.Join(t.TempDir(), deployment.Name+".yaml")
		w.Must(os.WriteFile(file, []byte(settings.Data["outrigger.yaml"]), 0o644))
		spec.ServiceAccountName, spec.PriorityClassName = "", ""
		_, err = w.Client.CoreV1().Pods("restricted").Create(w.Ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: deployment.Name}, Spec: spec}, metav1.CreateOptions{DryRun: []string{"All"}})
		if err != nil {
			t.Errorf("%s: %v", deployment.Name, err)
		}
		args := spec.Containers[0].Args
		what := args[1]
		var own []string
		for _, arg := range args[2:] {
			arg = strings.ReplaceAll(arg, "/etc/outrigger/outrigger.yaml", file)
			own = append(own, strings.ReplaceAll(arg, "$(POD_IP)", "127.0.0.2"))
		}
		own = append(own, "--kubeconfig", w.kubeconfig(what))
		annotator := outrigger.Annotate(w, "deployed-"+what, w.Cluster.LogDir(), what, own...)
		annotator.UntilMetricAbove(w, 0, "outrigger_annotate_leader")
		if what == "allocation" {
			w.untilNode("a", allocation(0, 0, 0))
			annotator.UntilReady(w)
		}
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
