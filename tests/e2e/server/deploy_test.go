package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// manifest is a scheduler with an agent as its sidecar.
type manifest struct {
	file      string
	name      string // of service account, Deployment and the scheduler's ConfigMap
	agent     string
	settings  string // the agent's ConfigMap
	scheduler string // by which pods choose it
	pods      []*kube.PodBuilder
}

// namespace is that of the manifests.
const namespace = "outrigger"

var manifests = []manifest{
	{"second-scheduler.yaml", "outrigger-scheduler", "safe", "outrigger-agent", "outrigger",
		[]*kube.PodBuilder{kube.MakePod("p")}},
	{"gang-scheduler.yaml", "gang-scheduler", "gang", "gang-agent", "gang",
		[]*kube.PodBuilder{memberOfTwo("p-000"), memberOfTwo("p-001")}},
}

func memberOfTwo(name string) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, "1").Label("podGroup", "p").Label("minAvailable", "2")
}

func TestManifestsApply(t *testing.T) {
	t.Parallel()
	for _, m := range manifests {
		t.Run(m.agent, func(t *testing.T) { checkManifest(t, m) })
	}
}

func checkManifest(t *testing.T, m manifest) {
	w := scheduling.New(t)
	file := filepath.Join("../../../deploy", m.file)
	text, err := os.ReadFile(file)
	w.Must(err)
	objects := 0
	for _, document := range bytes.Split(text, []byte("\n---")) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err == nil && len(object) > 0 {
			objects++
		}
	}
	applied := kubectl(w, "apply", "--server-side", "-f", file)
	present := strings.Fields(kubectl(w, "get", "-o", "name", "-f", file))
	if len(present) != objects || strings.Count(applied, "serverside-applied") != objects {
		t.Errorf("%d objects in the manifest, there are %d: %v", objects, len(present), present)
	}
	if again := kubectl(w, "apply", "--server-side", "-f", file); strings.Count(again, "serverside-applied") != objects {
		t.Errorf("applied a second time: %s", again)
	}

	t.Run("ItsPodsAreAdmitted", func(t *testing.T) { // by PodSecurity, as the Deployment's controller creates them
		deployment, err := w.Client.AppsV1().Deployments(namespace).Get(w.Ctx, m.name, metav1.GetOptions{})
		w.Must(err)
		pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
		pod.Name = "as-the-controller-would"
		if _, err := w.Client.CoreV1().Pods(namespace).Create(w.Ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("ItsAdminPortIsTheAgents", func(t *testing.T) { checkAdminPort(t, w, m) })
	t.Run("ItsMetricsCanBeRead", func(t *testing.T) { checkMetrics(t, w, m) })
	t.Run("ItHasAllRightsOfTheAgent", func(t *testing.T) { checkRightsOfAgent(t, w, m) })
	t.Run("ItsRightsAreEnough", func(t *testing.T) { checkRights(t, w, m) })
}

// checkAdminPort compares the port that probes and Prometheus use with the one that the program takes by itself.
func checkAdminPort(t *testing.T, w *scheduling.World, m manifest) {
	deployment, err := w.Client.AppsV1().Deployments(namespace).Get(w.Ctx, m.name, metav1.GetOptions{})
	w.Must(err)
	var agents []struct {
		Name string `json:"name"`
		Port int32  `json:"port"`
	}
	w.Must(json.Unmarshal(outrigger.Run(t, "agents", "-o", "json"), &agents))
	for _, agent := range agents {
		if agent.Name != m.agent {
			continue
		}
		for _, port := range deployment.Spec.Template.Spec.InitContainers[0].Ports {
			if port.Name == "admin" && port.ContainerPort == agent.Port+100 {
				return
			}
		}
		t.Errorf("no port admin of %d: %v", agent.Port+100, deployment.Spec.Template.Spec.InitContainers[0].Ports)
		return
	}
	t.Errorf("no agent %s: %v", m.agent, agents)
}

// checkMetrics looks at /metrics as Prometheus does: at the pod's address, and not from loopback. What only peers on
// loopback get is answered at 127.0.0.1 as well.
func checkMetrics(t *testing.T, w *scheduling.World, m manifest) {
	podIP := ownAddress(t)
	deployment, err := w.Client.AppsV1().Deployments(namespace).Get(w.Ctx, m.name, metav1.GetOptions{})
	w.Must(err)
	var args []string
	for _, arg := range deployment.Spec.Template.Spec.InitContainers[0].Args {
		switch flag, _, _ := strings.Cut(arg, "="); flag {
		case "serve", "--agents", "--bind": // outrigger.Serve gives the same
		case "--config": // a mounted file
		default:
			args = append(args, strings.ReplaceAll(arg, "$(POD_IP)", podIP))
		}
	}
	kubeconfig, err := w.Cluster.WriteKubeconfig(m.agent+"-of-the-manifest", w.Cluster.Config)
	w.Must(err)
	agent := outrigger.Serve(t, m.agent+"-of-the-manifest", w.Cluster.LogDir(), m.agent,
		append(args, "--kubeconfig", kubeconfig)...)
	admin, err := url.Parse(agent.AdminURL)
	w.Must(err)
	client := http.Client{Timeout: scheduling.Patience, Transport: &http.Transport{Proxy: nil}}
	response, err := client.Get("http://" + net.JoinHostPort(podIP, admin.Port()) + "/metrics")
	w.Must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	w.Must(err)
	if response.StatusCode != http.StatusOK || !strings.Contains(string(body), "outrigger_build_info{") {
		t.Errorf("GET /metrics: %s: %.200s", response.Status, body)
	}
	// What is for loopback only: kubectl port-forward connects to 127.0.0.1 in the pod.
	agent.Get(t, "/version")
	outside, err := client.Get("http://" + net.JoinHostPort(podIP, admin.Port()) + "/version")
	w.Must(err)
	outside.Body.Close()
	if outside.StatusCode != http.StatusForbidden {
		t.Errorf("GET /version at the pod's address: %s", outside.Status)
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

// checkRightsOfAgent asks the API server for each right that the agent asks for, used or not.
func checkRightsOfAgent(t *testing.T, w *scheduling.World, m manifest) {
	for _, right := range scheduling.RightsOf(t, m.agent) {
		resource, subresource, _ := strings.Cut(right.Resource, "/")
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + namespace + ":" + m.name,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Group: right.Group, Resource: resource, Subresource: subresource, Verb: right.Verb}}}
		answer, err := w.Client.AuthorizationV1().SubjectAccessReviews().Create(w.Ctx, review, metav1.CreateOptions{})
		w.Must(err)
		if !answer.Status.Allowed {
			t.Errorf("may not %s %s", right, right.Group)
		}
	}
}

// checkRights runs the real scheduler and the agent with the manifest's configurations and with the
// rights of the manifest's service account; only addresses and the kubeconfig differ.
func checkRights(t *testing.T, w *scheduling.World, m manifest) {
	settings := filepath.Join(t.TempDir(), "outrigger.yaml")
	w.Must(os.WriteFile(settings, []byte(configMapValue(w, m.settings, "outrigger.yaml")), 0o644))
	credentials, err := w.Cluster.ServiceAccountConfig(w.Ctx, namespace, m.name)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig(m.name, credentials)
	w.Must(err)
	agent := outrigger.Serve(t, m.agent, w.Cluster.LogDir(), m.agent, "--config", settings, "--kubeconfig", kubeconfig)
	agent.UntilReady(t)

	var config map[string]any
	w.Must(yaml.Unmarshal([]byte(configMapValue(w, m.name, "scheduler.yaml")), &config))
	connection, _ := config["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
		config["clientConnection"] = connection
	}
	connection["kubeconfig"] = kubeconfig
	edited, err := yaml.Marshal(config)
	w.Must(err)
	edited = scheduling.Edit(t, edited, func(extenders []any) {
		for _, extender := range extenders {
			extender.(map[string]any)["urlPrefix"] = agent.URL + "/" + m.agent
		}
	})
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	scheduler := w.Cluster.MustStartScheduler(t, m.name, edited)
	w.Pods(kube.MakePod("for-the-default-scheduler"))
	for _, pod := range m.pods {
		w.Pods(pod.Scheduler(m.scheduler))
	}
	for _, pod := range m.pods {
		w.Until(pod.Pod().Name, "bound", scheduling.IsBound)
	}

	if pod := w.Tracker.Pod("default", "for-the-default-scheduler"); scheduling.IsBound(pod) {
		t.Errorf("the second scheduler took a pod of the first, to %s", pod.Spec.NodeName)
	}
	if log := scheduler.LogTail(10_000); strings.Contains(log, "forbidden") {
		t.Errorf("a right is missing:\n%s", grep(log, "forbidden"))
	}
}

func kubectl(w *scheduling.World, args ...string) string {
	w.Helper()
	out, err := w.Cluster.Kubectl(w.Ctx, args...)
	w.Must(err)
	return out
}

func configMapValue(w *scheduling.World, name, key string) string {
	w.Helper()
	object, err := w.Client.CoreV1().ConfigMaps(namespace).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
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
