package newest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const olderDra = `
apiVersion: resource.k8s.io/v1beta2
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
---
apiVersion: resource.k8s.io/v1beta2
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: a
  pool: {name: a, generation: 1, resourceSliceCount: 1}
  devices: [{name: g0}, {name: g1}]
---
apiVersion: resource.k8s.io/v1beta2
kind: ResourceClaim
metadata: {name: three, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 3}}]}}
`

// Where the API server has DRA in its version before v1, that one is read.
func TestClaimsOfAnApiServerWithoutV1AreExplained(t *testing.T) {
	t.Parallel()
	w := scheduling.Of(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{
		"--runtime-config=resource.k8s.io/v1beta2=true,resource.k8s.io/v1=false"}}))
	w.Nodes(kube.MakeNode("a"))
	file := filepath.Join(t.TempDir(), "dra.yaml")
	w.Must(os.WriteFile(file, []byte(olderDra), 0o600))
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "--server-side", "-f", file)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig("dra", w.Cluster.Config)
	w.Must(err)
	said := string(outrigger.Run(t, "explain", "claim", "three", "--kubeconfig", kubeconfig))
	const want = "a     no       claim three, request r: 3 of class gpu wanted, 2 free; would help: count 2 in request r\n"
	if !strings.Contains(said, want) {
		t.Errorf("explain claim:\n%s", said)
	}
}
