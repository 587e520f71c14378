package ui

import (
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/standin"
	"outrigger.dev/outrigger/tests/support/terminal"
)

// uiRights are all that `outrigger ui` says that it needs in the namespace of the agents.
var uiRights = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list"}},
	{APIGroups: []string{""}, Resources: []string{"pods/portforward"}, Verbs: []string{"create"}},
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"list"}},
}

// uiCommand: `outrigger ui` and `outrigger top` find the pod of two that leads, with the real kubectl, API server and Lease.
func (s *stage) uiCommand(t *testing.T) {
	s.deployTwo(t)
	config, err := s.Cluster.ConfigWithRules(s.Ctx, "looks", uiRights...)
	s.Must(err)
	s.UntilGranted(config, uiRights[2])
	kubeconfig, err := s.Cluster.WriteKubeconfig("looks", config)
	s.Must(err)
	path := "PATH=" + s.Cluster.Binary("") + ":" + os.Getenv("PATH")
	command, err := process.Start(process.Spec{Name: "outrigger-ui", Path: outrigger.Binary(t), LogDir: s.Cluster.LogDir(),
		Args: []string{"ui", "--kubeconfig", kubeconfig}, Env: []string{path, "DISPLAY=", "WAYLAND_DISPLAY="}})
	s.Must(err)
	defer command.Kill()
	s.Must(command.UntilLogged(s.Ctx, "http://127.0.0.1:"))
	said := command.LogTail(9)
	if !strings.Contains(said, "kube-system/outrigger-b") {
		t.Errorf("the pod that leads is outrigger-b, not as it says: %s", said)
	}
	page := s.browser.NewPage(t, regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(said))
	page.Open("/")
	page.UntilText(vision.name)
	checkStands(t, page)
	if err := command.Stop(scheduling.Patience); err != nil {
		t.Errorf("outrigger ui ends with %v: %s", err, command.LogTail(9))
	}
	screen := terminal.OpenScreen(t, 100, 30, path+" "+outrigger.Binary(t)+" top --kubeconfig "+kubeconfig)
	screen.UntilText("kube-system/outrigger-b")
	screen.UntilText(vision.name)
	screen.Press("q")
	screen.Until("left", func(string) bool { return !screen.IsAlternate() })
}

// deployTwo makes the objects of two replicas of a Deployment, of which the second leads. Whoever is forwarded to them comes
// to the stage's agents.
func (s *stage) deployTwo(t *testing.T) {
	t.Helper()
	forwarder := standin.StartForwarder()
	t.Cleanup(forwarder.Close)
	node := kube.MakeNode("near").Cordoned().Node()
	forwarder.TakeNode(node)
	_, err := s.Client.CoreV1().Nodes().Create(s.Ctx, node, metav1.CreateOptions{})
	s.Must(err)
	t.Cleanup(func() { s.Must(s.Client.CoreV1().Nodes().Delete(s.Ctx, node.Name, metav1.DeleteOptions{})) })
	pods := s.Client.CoreV1().Pods(metav1.NamespaceSystem)
	for _, name := range []string{"outrigger-a", "outrigger-b"} {
		pod := kube.MakePod(name).Namespace(metav1.NamespaceSystem).Node(node.Name).
			Label("app.kubernetes.io/name", "outrigger").Label("app.kubernetes.io/instance", "outrigger").
			Change(func(pod *corev1.Pod) {
				container := &pod.Spec.Containers[0]
				container.Args = []string{"serve", "--agents=gang,qos"}
				container.Ports = []corev1.ContainerPort{{Name: "admin-gang", ContainerPort: portOf(t, s.agents.AdminURL)}}
			}).Pod()
		made, err := pods.Create(s.Ctx, pod, metav1.CreateOptions{})
		s.Must(err)
		made.Status.Phase = corev1.PodRunning
		_, err = pods.UpdateStatus(s.Ctx, made, metav1.UpdateOptions{})
		s.Must(err)
		t.Cleanup(func() { s.Must(pods.Delete(s.Ctx, name, metav1.DeleteOptions{})) })
	}
	holder, seconds, now := "outrigger-b_1", int32(3600), metav1.NowMicro()
	_, err = s.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Create(s.Ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "outrigger"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder,
			LeaseDurationSeconds: &seconds, RenewTime: &now}}, metav1.CreateOptions{})
	s.Must(err)
}

func portOf(t *testing.T, address string) int32 {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseInt(parsed.Port(), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return int32(port)
}
