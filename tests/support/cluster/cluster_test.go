package cluster_test

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

func TestAdminMayEverythingAndNobodyNothing(t *testing.T) {
	c := cluster.ForTest(t)
	ctx, cancel := context.WithTimeout(context.Background(), 2*process.Patience)
	defer cancel()
	if _, err := c.Client.CoreV1().Nodes().Create(ctx, kube.MakeNode("a").Node(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Client.CoreV1().Pods("default").Create(ctx, kube.MakePod("p").Pod(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	nobody, err := kube.NewClient(c.ConfigOf(cluster.Nobody))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("nobody lists nodes: %v", err)
	}
	scheduler, err := kube.NewClient(c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		t.Fatal(err)
	}
	// The authorizer learns of the roles that kube-apiserver itself makes by a watch of its own, too.
	if err := kube.Eventually(ctx, process.Patience, func(ctx context.Context) error {
		_, err := scheduler.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	}); err != nil {
		t.Errorf("the scheduler's user: %v", err)
	}
	out, err := c.Kubectl(ctx, "get", "nodes", "-o", "name")
	if err != nil || strings.TrimSpace(out) != "node/a" {
		t.Errorf("kubectl: %q, %v", out, err)
	}
	if _, err := c.Kubectl(ctx, "get", "node", "missing"); err == nil || !strings.Contains(err.Error(), "NotFound") {
		t.Errorf("kubectl for a missing node: %v", err)
	}
}

func TestServerThatDoesNotStartIsReportedWithItsLog(t *testing.T) {
	_, err := cluster.Start(t.Context(), t.TempDir(), cluster.Options{ServerArgs: []string{"--no-such-flag"}})
	if err == nil || !strings.Contains(err.Error(), "no-such-flag") {
		t.Errorf("Start() = %v", err)
	}
}
