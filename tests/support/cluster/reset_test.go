package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const customKind = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
"metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
"names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}`

func TestAResetRemovesWhatATestMadeAndNamesWhatItRemoved(t *testing.T) {
	c := ForTest(t)
	ctx := t.Context()
	first, err := c.state(ctx)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	manifest := filepath.Join(c.Dir, "kind.json")
	for range 2 { // all can be made again
		_, err = c.ConfigWithManifest(ctx, []byte("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: one, namespace: of-one}\n"))
		must(err)
		_, err = c.Client.CoreV1().Nodes().Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
		must(err)
		_, err = c.Client.SchedulingV1().PriorityClasses().Create(ctx,
			&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 7}, metav1.CreateOptions{})
		must(err)
		_, err = c.Client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "held", Finalizers: []string{"example.com/never"}}}, metav1.CreateOptions{})
		must(err)
		_, err = c.Client.CoreV1().ConfigMaps("kube-system").Create(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "of-an-agent"}}, metav1.CreateOptions{})
		must(err)
		_, err = c.Client.RbacV1().Roles("kube-system").Create(ctx,
			&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "of-an-agent"}}, metav1.CreateOptions{})
		must(err)
		must(os.WriteFile(manifest, []byte(customKind), 0o600))
		_, err = c.Kubectl(ctx, "apply", "-f", manifest)
		must(err)
		_, err = c.Kubectl(ctx, "wait", "--for=condition=Established", "crd/things.example.com")
		must(err)
		must(c.reset(ctx, first))
		if _, err := c.Client.CoreV1().ConfigMaps("default").Get(ctx, "held", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the ConfigMap is there: %v", err)
		}
		if _, err := os.Stat(manifest); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", manifest, err)
		}
	}
	etcd, err := c.etcdClient()
	must(err)
	defer etcd.Close()
	const policy = "/registry/mutatingadmissionpolicies/of-a-test"
	_, err = etcd.Put(ctx, policy, "")
	must(err)
	if err := c.reset(ctx, first); err == nil || !strings.Contains(err.Error(), policy) {
		t.Errorf("there was a policy of pods, and reset says: %v", err)
	}
	_, err = etcd.Delete(ctx, policy)
	must(err)
	must(c.Client.RbacV1().ClusterRoles().Delete(ctx, "view", metav1.DeleteOptions{}))
	if err := c.reset(ctx, first); err == nil || !strings.Contains(err.Error(), "clusterroles/view") {
		t.Errorf("a role that was there is missing, and reset says: %v", err)
	}
}
