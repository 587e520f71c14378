package e2e

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const (
	manifest  = "../../deploy/second-scheduler.yaml"
	namespace = "outrigger"
	name      = "outrigger-scheduler" // of service account, Deployment and ConfigMap
)

func TestSecondSchedulerManifestApplies(t *testing.T) {
	w := newWorld(t)
	text, err := os.ReadFile(manifest)
	w.must(err)
	objects := 0
	for _, document := range bytes.Split(text, []byte("\n---")) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err == nil && len(object) > 0 {
			objects++
		}
	}
	applied := w.kubectl("apply", "--server-side", "-f", manifest)
	present := strings.Fields(w.kubectl("get", "-o", "name", "-f", manifest))
	if len(present) != objects || strings.Count(applied, "serverside-applied") != objects {
		t.Errorf("%d objects in the manifest, there are %d: %v", objects, len(present), present)
	}
	if again := w.kubectl("apply", "--server-side", "-f", manifest); strings.Count(again, "serverside-applied") != objects {
		t.Errorf("applied a second time: %s", again)
	}

	t.Run("ItsPodsAreAdmitted", func(t *testing.T) { // by PodSecurity, as the Deployment's controller creates them
		deployment, err := w.client.AppsV1().Deployments(namespace).Get(w.ctx, name, metav1.GetOptions{})
		w.must(err)
		pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
		pod.Name = "as-the-controller-would"
		if _, err := w.client.CoreV1().Pods(namespace).Create(w.ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("ItsMetricsCanBeRead", func(t *testing.T) { checkMetrics(t, w) })
	t.Run("ItsRightsAreEnough", func(t *testing.T) { checkRights(t, w) })
}

// checkMetrics looks at /metrics as Prometheus does: at the pod's address, and not from loopback.
func checkMetrics(t *testing.T, w *world) {
	podIP := ownAddress(t)
	deployment, err := w.client.AppsV1().Deployments(namespace).Get(w.ctx, name, metav1.GetOptions{})
	w.must(err)
	var args []string
	for _, arg := range deployment.Spec.Template.Spec.InitContainers[0].Args {
		switch flag, _, _ := strings.Cut(arg, "="); flag {
		case "serve", "--agents", "--bind": // outrigger.Serve gives the same
		case "--config": // a mounted file
		default:
			args = append(args, strings.ReplaceAll(arg, "$(POD_IP)", podIP))
		}
	}
	safe := outrigger.Serve(t, "safe-of-the-manifest", w.cluster.LogDir(), "safe", args...)
	admin, err := url.Parse(safe.AdminURL)
	w.must(err)
	client := http.Client{Timeout: patience, Transport: &http.Transport{Proxy: nil}}
	response, err := client.Get("http://" + net.JoinHostPort(podIP, admin.Port()) + "/metrics")
	w.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	w.must(err)
	if response.StatusCode != http.StatusOK || !strings.Contains(string(body), "outrigger_build_info{") {
		t.Errorf("GET /metrics: %s: %.200s", response.Status, body)
	}
}

// ownAddress returns an address of this machine that is not loopback; without one the test fails.
func ownAddress(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && network.IP.IsGlobalUnicast() {
			return network.IP.String()
		}
	}
	t.Fatal("this machine has no address but loopback: whether others can read /metrics cannot be seen")
	return ""
}

// checkRights runs the real scheduler and the agent with the manifest's configurations and with the
// rights of the manifest's service account; only addresses and the kubeconfig differ.
func checkRights(t *testing.T, w *world) {
	agent := filepath.Join(t.TempDir(), "outrigger.yaml")
	w.must(os.WriteFile(agent, []byte(configMapValue(w, "outrigger-agent", "outrigger.yaml")), 0o644))
	credentials, err := w.cluster.ServiceAccountConfig(w.ctx, namespace, name)
	w.must(err)
	kubeconfig, err := w.cluster.WriteKubeconfig("second-scheduler", credentials)
	w.must(err)
	safe := outrigger.Serve(t, "safe", w.cluster.LogDir(), "safe", "--config", agent, "--kubeconfig", kubeconfig)
	safe.UntilReady(t)

	var config map[string]any
	w.must(yaml.Unmarshal([]byte(configMapValue(w, name, "scheduler.yaml")), &config))
	connection, _ := config["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
		config["clientConnection"] = connection
	}
	connection["kubeconfig"] = kubeconfig
	edited, err := yaml.Marshal(config)
	w.must(err)
	edited = edit(t, edited, func(extenders []any) {
		extenders[0].(map[string]any)["urlPrefix"] = safe.URL + "/safe"
	})
	w.nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	scheduler := w.cluster.MustStartScheduler(t, "second-scheduler", edited)
	w.pods(kube.MakePod("for-the-default-scheduler"), kube.MakePod("p").Scheduler("outrigger"))
	w.until("p", "bound", isBound)

	if pod := w.tracker.Pod("default", "for-the-default-scheduler"); isBound(pod) {
		t.Errorf("the second scheduler took a pod of the first, to %s", pod.Spec.NodeName)
	}
	if log := scheduler.LogTail(10_000); strings.Contains(log, "forbidden") {
		t.Errorf("a right is missing:\n%s", grep(log, "forbidden"))
	}
}

func (w *world) kubectl(args ...string) string {
	w.Helper()
	out, err := w.cluster.Kubectl(w.ctx, args...)
	w.must(err)
	return out
}

func configMapValue(w *world, name, key string) string {
	w.Helper()
	object, err := w.client.CoreV1().ConfigMaps(namespace).Get(w.ctx, name, metav1.GetOptions{})
	w.must(err)
	if object.Data[key] == "" {
		w.Fatalf("ConfigMap %s has no %s", name, key)
	}
	return object.Data[key]
}

func grep(text, word string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
