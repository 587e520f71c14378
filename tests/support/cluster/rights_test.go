package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

const nodeReader = `
# as a program may print it
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: of-the-reader}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects:
- {kind: ServiceAccount, name: reader, namespace: of-the-reader}
`

func TestAnAccountMayDoWhatItsRulesSayAndNothingElse(t *testing.T) {
	c := cluster.ForTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*process.Patience)
	defer cancel()
	byManifest, err := c.ConfigWithManifest(ctx, []byte(nodeReader))
	if err != nil {
		t.Fatal(err)
	}
	byRules, err := c.ConfigWithRules(ctx, "reader-by-rules", rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]*rest.Config{"manifest": byManifest, "rules": byRules} {
		client, err := kube.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		// The authorizer learns of new roles by a watch of its own.
		if err := kube.Eventually(ctx, process.Patience, func(ctx context.Context) error {
			_, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
			return err
		}); err != nil {
			t.Errorf("by %s: nodes cannot be listed: %v", name, err)
		}
		if _, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("by %s: pods can be listed: %v", name, err)
		}
		if err := client.CoreV1().Nodes().Delete(ctx, "any", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("by %s: nodes can be deleted: %v", name, err)
		}
	}
}

func TestAManifestWithoutAnAccountIsRefused(t *testing.T) {
	_, err := (&cluster.Cluster{}).ConfigWithManifest(t.Context(), []byte("# nothing\n"))
	if err == nil || !strings.Contains(err.Error(), "no ServiceAccount") {
		t.Errorf("%v", err)
	}
}

func TestDataGoesBackToWhatWasSavedAndTokensAreRevoked(t *testing.T) {
	c := cluster.ForTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*process.Patience)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	create := func(name string) {
		_, err := c.Client.CoreV1().Nodes().Create(ctx, kube.MakeNode(name).Node(), metav1.CreateOptions{})
		must(err)
	}
	config, err := c.ConfigWithRules(ctx, "someone")
	must(err)
	var revoke func() error
	config.BearerToken, revoke, err = c.RevocableToken(ctx, "default", "someone")
	must(err)
	create("before")
	c.Stop()
	must(c.SaveData("first"))
	must(c.StartEtcd())
	must(c.StartServer(ctx))
	create("after")
	c.Stop()
	must(c.RestoreData("first"))
	must(c.StartEtcd())
	must(c.StartServer(ctx))
	nodes, err := c.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	must(err)
	if len(nodes.Items) != 1 || nodes.Items[0].Name != "before" {
		t.Errorf("%d nodes after the older data came back", len(nodes.Items))
	}
	client, err := kube.NewClient(config)
	must(err)
	if _, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a good token: %v", err)
	}
	must(revoke())
	if err := kube.Eventually(ctx, process.Patience, func(ctx context.Context) error {
		_, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if !apierrors.IsUnauthorized(err) {
			return fmt.Errorf("not refused: %v", err)
		}
		return nil
	}); err != nil {
		t.Errorf("a revoked token: %v", err)
	}
}
