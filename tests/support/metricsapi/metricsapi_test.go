package metricsapi_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/metricsapi"
	"outrigger.dev/outrigger/tests/support/process"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

func TestTheAPIServerServesTheMetricsOfNodesByItsRights(t *testing.T) {
	c := cluster.SharedForTest(t)
	metrics := metricsapi.ForTest(t, c.Client)
	metrics.Set("b", metricsapi.Usage{Cpu: "1500m", Memory: "3Gi"})
	metrics.Set("a", metricsapi.Usage{Cpu: "0", Memory: "0"})
	metrics.Set("c", metricsapi.Usage{})
	metrics.Forget("c")
	text, err := metrics.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Kind  string
		Items []struct {
			Metadata          struct{ Name string }
			Timestamp, Window string
			Usage             map[string]string
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if list.Kind != "NodeMetricsList" || len(list.Items) != 2 || list.Items[0].Metadata.Name != "a" ||
		list.Items[1].Usage["cpu"] != "1500m" || list.Items[1].Usage["memory"] != "3Gi" ||
		list.Items[1].Window != "15s" || list.Items[1].Timestamp == "" {
		t.Errorf("%s", text)
	}

	read := func(user string, rules ...rbacv1.PolicyRule) func(context.Context) error {
		config, err := c.ConfigWithRules(t.Context(), user, rules...)
		if err != nil {
			t.Fatal(err)
		}
		client, err := kube.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		return func(ctx context.Context) error {
			_, err := client.Discovery().RESTClient().Get().AbsPath("/apis/metrics.k8s.io/v1beta1/nodes").DoRaw(ctx)
			return err
		}
	}
	with := read("with", rbacv1.PolicyRule{APIGroups: []string{"metrics.k8s.io"}, Resources: []string{"nodes"},
		Verbs: []string{"get", "list"}})
	if err := kube.Eventually(t.Context(), process.Patience, with); err != nil {
		t.Errorf("with rights: %v", err)
	}
	if err := read("without")(t.Context()); !apierrors.IsForbidden(err) {
		t.Errorf("without rights: %v", err)
	}
}
