package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/containers"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/registry"
)

const (
	repository = "../.."
	// theirRegistry is what readers replace.
	theirRegistry = "registry.example/me"
)

var inACluster = regexp.MustCompile(`(?s)### In a cluster\n.*?\n((?:    [^\n]*\n)+)`)

// The commands of the README, from nothing to a gang that runs, as they are written. scripts/suites/images runs this: it
// has an engine and the layers of the image. What controllers and kubelets do with the Deployment and the Job, the test
// does; the image comes from the registry.
func TestTheReadmesCommandsRunAGang(t *testing.T) {
	w := newWorld(t)
	text, err := os.ReadFile(filepath.Join(repository, "README.md"))
	w.Must(err)
	found := inACluster.FindSubmatch(text)
	if found == nil {
		t.Fatal("README.md has no commands in its section In a cluster")
	}
	commands := strings.Split(strings.TrimSpace(string(found[1])), "\n")
	if len(commands) != 5 {
		t.Fatalf("%d commands, want 5: %q", len(commands), commands)
	}
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	_, err = w.Client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Create(w.Ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	w.Must(err)
	s := &steps{world: w, registry: registry.Start(t)}
	w.Must(os.WriteFile(s.registriesFile(), fmt.Appendf(nil, "[[registry]]\nlocation = %q\ninsecure = true\n", s.registry), 0o644))
	for _, command := range commands {
		if strings.Contains(command, "rollout status") {
			s.runDeployment("outrigger")
		}
		out := s.shell(strings.TrimSpace(command))
		switch {
		case strings.Contains(command, "train.yaml"):
			s.runJob("train")
		case strings.Contains(command, "get pods"):
			if runs := regexp.MustCompile(`(?m)^train-\d .*\b[ab] `).FindAllString(out, -1); len(runs) != 4 {
				t.Errorf("not 4 pods of the gang have nodes:\n%s", out)
			}
		}
	}
}

// steps are commands in a shell, and what they need besides.
type steps struct {
	*world
	registry string
}

func (s *steps) registriesFile() string { return filepath.Join(s.Cluster.Dir, "registries.conf") }

// shell runs a command where a person runs it, and returns what it prints.
func (s *steps) shell(line string) string {
	s.Helper()
	kubeconfig, err := s.Cluster.WriteKubeconfig("reader", s.Cluster.Config)
	s.Must(err)
	command := exec.CommandContext(s.Ctx, "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(line, theirRegistry, s.registry+"/me"))
	command.Dir = repository
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "CONTAINERS_REGISTRIES_CONF="+s.registriesFile(),
		"PATH="+filepath.Dir(s.Cluster.Binary("kubectl"))+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil {
		s.Fatalf("%s: %v\n%s", line, err, out)
	}
	s.Logf("%s\n%s", line, out)
	return string(out)
}

// pull returns the image as it is in the registry.
func (s *steps) pull(name string) containers.Image {
	s.Helper()
	container := strings.TrimSpace(s.shell("buildah from --quiet --pull-always " + name))
	s.Cleanup(func() { s.shell("buildah umount " + container + " && buildah rm " + container) })
	var inspected struct {
		OCIv1 struct {
			Config struct {
				User            string
				Entrypoint, Cmd []string
			}
		}
	}
	s.Must(json.Unmarshal([]byte(s.shell("buildah inspect --type image "+name)), &inspected))
	config := inspected.OCIv1.Config
	return containers.Image{Root: strings.TrimSpace(s.shell("buildah mount " + container)), Entrypoint: config.Entrypoint,
		Cmd: config.Cmd, User: config.User}
}

// runDeployment starts the replicas of a Deployment, and says so in its status.
func (s *steps) runDeployment(name string) {
	s.Helper()
	deployment := s.deployment(metav1.NamespaceSystem, name)
	spec := deployment.Spec.Template.Spec
	for _, container := range spec.InitContainers {
		s.node.Images[container.Image] = s.pull(container.Image)
	}
	s.node.Images[spec.Containers[0].Image] = imageOf(spec.Containers[0].Image)
	replicas := *deployment.Spec.Replicas
	for range replicas {
		pod, err := s.node.StartReplica(s.Ctx, deployment)
		s.Must(err)
		s.Cleanup(func() {
			if _, err := pod.Stop(); err != nil {
				s.Error(err)
			}
		})
		s.untilReady(pod)
	}
	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: deployment.Generation, Replicas: replicas,
		UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas}
	_, err := s.Client.AppsV1().Deployments(metav1.NamespaceSystem).UpdateStatus(s.Ctx, deployment, metav1.UpdateOptions{})
	s.Must(err)
}

// runJob makes the pods of a Job, and waits until the scheduler has placed them.
func (s *steps) runJob(name string) {
	s.Helper()
	job, err := s.Client.BatchV1().Jobs(metav1.NamespaceDefault).Get(s.Ctx, name, metav1.GetOptions{})
	s.Must(err)
	for i := range *job.Spec.Parallelism {
		pod := &corev1.Pod{ObjectMeta: *job.Spec.Template.ObjectMeta.DeepCopy(), Spec: *job.Spec.Template.Spec.DeepCopy()}
		pod.Name = fmt.Sprintf("%s-%d", name, i)
		_, err := s.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(s.Ctx, pod, metav1.CreateOptions{})
		s.Must(err)
	}
	for i := range *job.Spec.Parallelism {
		s.Until(fmt.Sprintf("%s-%d", name, i), "bound", scheduling.IsBound)
	}
}
