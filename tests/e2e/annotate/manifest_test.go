package annotate

import (
	"bytes"
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
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// readManifest returns "account verb group/resource" of all rules, and the Deployments.
func readManifest(t *testing.T) (rights []string, deployments []appsv1.Deployment) {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/annotators.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range bytes.Split(text, []byte("\n---\n")) {
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
					right := fmt.Sprintf("%s: %s %s/%s %s", strings.TrimPrefix(role.Name, "outrigger-annotate-"), verb,
						rule.APIGroups[0], rule.Resources[0], strings.Join(rule.ResourceNames, ","))
					rights = append(rights, strings.TrimSpace(right))
				}
			}
		case "Deployment":
			var deployment appsv1.Deployment
			if err := yaml.UnmarshalStrict(document, &deployment); err != nil {
				t.Fatal(err)
			}
			deployments = append(deployments, deployment)
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
	settings, err := w.Client.CoreV1().ConfigMaps("kube-system").Get(w.Ctx, "outrigger-annotators", metav1.GetOptions{})
	w.Must(err)
	file := filepath.Join(t.TempDir(), "annotate.yaml")
	w.Must(os.WriteFile(file, []byte(settings.Data["annotate.yaml"]), 0o644))
	_, deployments := readManifest(t)
	if len(deployments) != 2 {
		t.Fatalf("%d Deployments, want 2", len(deployments))
	}
	for _, deployment := range deployments {
		if *deployment.Spec.Replicas != 2 {
			t.Errorf("%s has %d replicas, want 2", deployment.Name, *deployment.Spec.Replicas)
		}
		spec := deployment.Spec.Template.Spec
		spec.ServiceAccountName, spec.PriorityClassName = "", ""
		_, err := w.Client.CoreV1().Pods("restricted").Create(w.Ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: deployment.Name}, Spec: spec}, metav1.CreateOptions{DryRun: []string{"All"}})
		if err != nil {
			t.Errorf("%s: %v", deployment.Name, err)
		}
		args := spec.Containers[0].Args
		what := args[1]
		var own []string
		for _, arg := range args[2:] {
			arg = strings.ReplaceAll(arg, "/etc/outrigger/annotate.yaml", file)
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
