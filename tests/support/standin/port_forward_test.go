package standin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/standin"
)

func TestKubectlForwardsToAPodByTheStandIn(t *testing.T) {
	c := cluster.SharedForTest(t)
	forwarder := standin.StartForwarder()
	t.Cleanup(forwarder.Close)
	node := kube.MakeNode("near").Node()
	forwarder.TakeNode(node)
	_, err := c.Client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	must(t, err)
	pod, err := c.Client.CoreV1().Pods("default").Create(t.Context(), kube.MakePod("server").Node("near").Pod(),
		metav1.CreateOptions{})
	must(t, err)
	pod.Status.Phase = corev1.PodRunning
	_, err = c.Client.CoreV1().Pods("default").UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	must(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "got %d bytes", len(body))
	}))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	kubeconfig, err := c.WriteKubeconfig("admin", c.ConfigOf(cluster.Admin))
	must(t, err)
	kubectl, err := process.Start(process.Spec{Name: "kubectl", Path: c.Binary("kubectl"), LogDir: c.LogDir(),
		Args: []string{"--kubeconfig", kubeconfig, "port-forward", "pod/server", ":" + port}})
	must(t, err)
	t.Cleanup(kubectl.Kill)
	must(t, kubectl.UntilLogged(t.Context(), "Forwarding from 127.0.0.1:"))
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(kubectl.LogTail(9))
	for range 3 {
		const size = 1 << 20
		answer, err := http.Post("http://"+address, "text/plain", strings.NewReader(strings.Repeat("x", size)))
		must(t, err)
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(text) != fmt.Sprintf("got %d bytes", size) {
			t.Errorf("the answer is %q", text)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
