package devices

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

const root = "../../.."

// firstSteps are a page's commands from nothing to a pod with devices, and lines that they print.
var firstSteps = regexp.MustCompile(`(?s)\n((?:    [^\n]*\n)*    [^\n]*deploy/extender\.devices\.yaml[^\n]*\n(?:    [^\n]*\n)*)\n[^\n]*print[^\n]*\n\n((?:    [^\n]*\n)+)`)

func readFirstSteps(t *testing.T, page string) (commands, printed []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	found := firstSteps.FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no commands with deploy/extender.devices.yaml", page)
	}
	lines := func(text []byte) []string { return strings.Split(strings.TrimSpace(string(text)), "\n") }
	return lines(found[1]), lines(found[2])
}

// The commands of the README, as they are written. What a kubelet would run of the manifest, the program and the real
// scheduler, runs as processes, with the manifest's configurations and the rights of its account.
func TestTheReadmesCommandsGiveAPodTwoDevices(t *testing.T) {
	t.Parallel()
	commands, printed := readFirstSteps(t, "README.md")
	if of, _ := readFirstSteps(t, "agents/devices/README.md"); !slices.Equal(of, commands) {
		t.Errorf("agents/devices/README.md has other commands: %q", of)
	}
	if len(commands) != 6 {
		t.Fatalf("%d commands, want 6: %q", len(commands), commands)
	}
	w := scheduling.New(t)
	s := &serving{World: w, kinds: worldOf(w.World)}
	s.withDefaultAccount()
	s.Nodes(kube.MakeNode("worker-1"))
	for _, command := range commands {
		out := squeezed(s.shell(command))
		printed = slices.DeleteFunc(printed, func(line string) bool { return strings.Contains(out, squeezed(line)) })
		// Who types is slower than the agent.
		switch {
		case strings.Contains(command, "deploy/extender.devices.yaml"):
			removePolicyAfter(w.World)
			s.kinds.untilServes(resources())
			s.untilDeployedMay()
			s.agent, _ = s.StartDeployed(scheduling.Devices)
		case strings.Contains(command, "start/devices.yaml"):
			s.untilPool("worker-1-foozer-00", 2)
			s.untilPool("worker-1-foozer-01", 1)
		case strings.Contains(command, "first.yaml"):
			s.untilOn("first", "worker-1")
		case strings.Contains(command, "second.yaml"):
			s.untilRefused("second", "devices: ")
			s.UntilEventWith("FailedScheduling", "claim default/second-foozers: ")
		}
	}
	if len(printed) > 0 {
		t.Errorf("the commands do not print %q", printed)
	}
	s.untilSound()
	log, err := os.ReadFile(s.agent.LogPath())
	s.Must(err)
	if strings.Contains(string(log), "forbidden") {
		t.Errorf("a right is missing:\n%s", log)
	}
}

// untilDeployedMay waits until the API server knows what the manifest grants: what it refuses before is in the agent's log.
func (s *serving) untilDeployedMay() {
	s.Helper()
	d := scheduling.Devices
	account := s.Account(d)
	s.UntilGranted(account, rbacv1.PolicyRule{APIGroups: []string{"devmgmtproto.k8s.io"}, Resources: []string{"devicepools"},
		Verbs: []string{"list"}})
	s.UntilGranted(account, rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
		Verbs: []string{"get"}, ResourceNames: []string{lease}}, metav1.NamespaceSystem)
}

// squeezed has one space where columns have many.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// withDefaultAccount makes what a controller manager makes, and without which pods are refused.
func (s *serving) withDefaultAccount() {
	s.Helper()
	_, err := s.Client.CoreV1().ServiceAccounts("default").Create(s.Ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	s.Must(err)
}

// shell runs a command where a person runs it, with kubectl on the path.
func (s *serving) shell(line string) string {
	s.Helper()
	kubeconfig, err := s.Cluster.WriteKubeconfig("readme", s.Cluster.Config)
	s.Must(err)
	command := exec.CommandContext(s.Ctx, "sh", "-ec", line)
	command.Dir = root
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+s.Cluster.Dir,
		"PATH="+filepath.Dir(s.Cluster.Binary("kubectl"))+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v: %s", line, err, out)
	}
	return string(out)
}
