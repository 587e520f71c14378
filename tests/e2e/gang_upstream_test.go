package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
)

// upstream is the dialect of spec.schedulingGroup.
var upstream = dialect{name: "upstream", resource: schema.GroupVersionResource{
	Group: "scheduling.k8s.io", Version: "v1alpha2", Resource: "podgroups"}}

// knowsUpstreamGroups tells whether the API server can be made to serve them: it has a gate for them.
func knowsUpstreamGroups(t *testing.T) bool {
	t.Helper()
	help, err := exec.Command(filepath.Join(os.Getenv(cluster.BinariesEnv), "kube-apiserver"), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(help, []byte("GenericWorkload="))
}

// upstreamServed makes an API server serve upstream's groups, where it can.
func upstreamServed(t *testing.T) []string {
	t.Helper()
	if !knowsUpstreamGroups(t) {
		return nil
	}
	return []string{"--feature-gates=GenericWorkload=true",
		"--runtime-config=" + upstream.resource.GroupVersion().String() + "=true"}
}

// join creates members of a group; upstream's without types that older versions lack.
func (w *world) join(client dynamic.Interface, d dialect, group string, members ...*kube.PodBuilder) {
	w.Helper()
	if d.resource != upstream.resource {
		w.pods(members...)
		return
	}
	for _, member := range members {
		pod, err := runtime.DefaultUnstructuredConverter.ToUnstructured(member.Pod())
		w.must(err)
		w.must(unstructured.SetNestedField(pod, group, "spec", "schedulingGroup", "podGroupName"))
		pod["apiVersion"], pod["kind"] = "v1", "Pod"
		_, err = client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(member.Pod().Namespace).
			Create(w.ctx, &unstructured.Unstructured{Object: pod}, metav1.CreateOptions{})
		w.must(err)
	}
}
