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

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// manifest is a scheduler with agents as its sidecar, and pods for it, or agents alone.
type manifest struct {
	scheduling.Deployed
	pods []*kube.PodBuilder
}

var manifests = []manifest{
	{scheduling.Deployed{File: "load.yaml", Namespace: "outrigger", Name: "outrigger-scheduler",
		Account: "outrigger-scheduler", Agents: "safe", Settings: "outrigger-agent", Scheduler: "outrigger"},
		[]*kube.PodBuilder{kube.MakePod("p")}},
	{scheduling.Deployed{File: "gang-scheduler.yaml", Namespace: "outrigger", Name: "gang-scheduler",
		Account: "gang-scheduler", Agents: "gang", Settings: "gang-agent", Scheduler: "gang"},
		[]*kube.PodBuilder{memberOfTwo("p-000"), memberOfTwo("p-001")}},
	{scheduling.QueueScheduler, []*kube.PodBuilder{memberOfTwo("p-000"), memberOfTwo("p-001"), kube.MakePod("single")}},
	{scheduling.Penalty, nil},
	{scheduling.PenaltyScheduler, []*kube.PodBuilder{filler("p-0"), filler("p-1")}},
	{scheduling.Reward, []*kube.PodBuilder{kube.MakePod("p")}},
	{scheduling.Pigeon, []*kube.PodBuilder{kube.MakePod("p")}},
	{scheduling.Devices, []*kube.PodBuilder{kube.MakePod("p")}},
}

func memberOfTwo(name string) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, "1").Label("podGroup", "p").Label("minAvailable", "2")
}

// filler leaves no room on its node for another one.
func filler(name string) *kube.PodBuilder {
	return kube.MakePod(name).Request(corev1.ResourceCPU, "6")
}

func TestManifestsApply(t *testing.T) {
	t.Parallel()
	for _, m := range manifests {
		t.Run(m.Name, func(t *testing.T) { checkManifest(t, m) })
	}
}

func checkManifest(t *testing.T, m manifest) {
	w := scheduling.New(t)
	file := m.Path()
	text, err := os.ReadFile(file)
	w.Must(err)
	objects := 0
	for _, document := range bytes.Split(text, []byte("\n---")) {
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err == nil && len(object) > 0 {
			objects++
		}
	}
	if m.Kinds != "" {
		kubectl(w, "apply", "--server-side", "-f", filepath.Join("../../../deploy", m.Kinds))
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
		deployment, err := w.Client.AppsV1().Deployments(m.Namespace).Get(w.Ctx, m.Name, metav1.GetOptions{})
		w.Must(err)
		pod := &corev1.Pod{ObjectMeta: deployment.Spec.Template.ObjectMeta, Spec: deployment.Spec.Template.Spec}
		pod.Name = "as-the-controller-would"
		if _, err := w.Client.CoreV1().Pods(m.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("ItsAdminPortIsTheAgents", func(t *testing.T) { checkAdminPort(t, w, m) })
	t.Run("ItsMetricsCanBeRead", func(t *testing.T) { checkMetrics(t, w, m) })
	if m.Scheduler == "" {
		return // e2e/penalty compares its rights one by one, and runs it with them
	}
	t.Run("ItHasAllRightsOfTheAgent", func(t *testing.T) { checkRightsOfAgent(t, w, m) })
	t.Run("ItsRightsAreEnough", func(t *testing.T) { checkRights(t, w, m) })
}

// checkAdminPort compares the port that probes and Prometheus use with the one that the program takes by itself.
func checkAdminPort(t *testing.T, w *scheduling.World, m manifest) {
	deployment, err := w.Client.AppsV1().Deployments(m.Namespace).Get(w.Ctx, m.Name, metav1.GetOptions{})
	w.Must(err)
	ports := containerOf(deployment).Ports
	want := portOf(t, m.Agents) + 100
	for _, port := range ports {
		if port.Name == "admin" && port.ContainerPort == want {
			return
		}
	}
	t.Errorf("no port admin of %d: %v", want, ports)
}

// containerOf returns the agents' container.
func containerOf(deployment *appsv1.Deployment) corev1.Container {
	if sidecars := deployment.Spec.Template.Spec.InitContainers; len(sidecars) > 0 {
		return sidecars[0]
	}
	return deployment.Spec.Template.Spec.Containers[0]
}

// portOf returns an agent's own port, or the one that several agents of a process share.
func portOf(t *testing.T, agents string) int32 {
	if strings.Contains(agents, ",") {
		return 9870
	}
	var all []struct {
		Name string `json:"name"`
		Port int32  `json:"port"`
	}
	if err := json.Unmarshal(outrigger.Run(t, "agents", "-o", "json"), &all); err != nil {
		t.Fatal(err)
	}
	for _, agent := range all {
		if agent.Name == agents {
			return agent.Port
		}
	}
	t.Fatalf("no agent %s: %v", agents, all)
	return 0
}

// checkMetrics looks at /metrics as Prometheus does: at the pod's address, and not from loopback. What only peers on
// loopback get is answered at 127.0.0.1 as well.
func checkMetrics(t *testing.T, w *scheduling.World, m manifest) {
	podIP := ownAddress(t)
	deployment, err := w.Client.AppsV1().Deployments(m.Namespace).Get(w.Ctx, m.Name, metav1.GetOptions{})
	w.Must(err)
	var args []string
	for _, arg := range containerOf(deployment).Args {
		switch flag, _, _ := strings.Cut(arg, "="); flag {
		case "serve", "--agents", "--bind": // outrigger.Serve gives the same
		case "--config", "--scheduler-config": // mounted files
		default:
			args = append(args, strings.ReplaceAll(arg, "$(POD_IP)", podIP))
		}
	}
	kubeconfig, err := w.Cluster.WriteKubeconfig(m.Agents+"-of-the-manifest", w.Cluster.Config)
	w.Must(err)
	agent := outrigger.Serve(t, m.Agents+"-of-the-manifest", w.Cluster.LogDir(), m.Agents,
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
	for _, right := range grantsOfAgents(t, m) {
		resource, subresource, _ := strings.Cut(right.Resource, "/")
		attributes := &authorizationv1.ResourceAttributes{
			Group: right.Group, Resource: resource, Subresource: subresource, Verb: right.Verb, Name: right.Name}
		if right.Local {
			attributes.Namespace = m.Namespace
		}
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + m.Namespace + ":" + m.Account, ResourceAttributes: attributes}}
		answer, err := w.Client.AuthorizationV1().SubjectAccessReviews().Create(w.Ctx, review, metav1.CreateOptions{})
		w.Must(err)
		if !answer.Status.Allowed {
			t.Errorf("may not %s %s", right.Right, right.Group)
		}
	}
}

func grantsOfAgents(t *testing.T, m manifest) (grants []scheduling.Grant) {
	for _, agent := range strings.Split(m.Agents, ",") {
		grants = append(grants, scheduling.GrantsOfAgent(t, agent)...)
	}
	return grants
}

// checkRights runs the real scheduler and the agent with the manifest's configurations and with the
// rights of the manifest's service account; only addresses and the kubeconfig differ.
func checkRights(t *testing.T, w *scheduling.World, m manifest) {
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	agent, scheduler := w.StartDeployed(m.Deployed)
	w.Pods(kube.MakePod("for-the-default-scheduler"))
	for _, pod := range m.pods {
		w.Pods(pod.Scheduler(m.Scheduler))
	}
	for _, pod := range m.pods {
		w.Until(pod.Pod().Name, "bound", scheduling.IsBound)
	}

	if m.Agents == "penalty" { // its only verb
		w.Pods(filler("urgent").PriorityClass("system-cluster-critical").Scheduler(m.Scheduler))
		w.Until("urgent", "bound", scheduling.IsBound)
		agent.UntilMetricAbove(t, 0, "outrigger_extender_requests_total", `verb="preempt"`)
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

func grep(text, word string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
