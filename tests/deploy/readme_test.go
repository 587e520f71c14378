package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

const root = "../.."

// inACluster are the commands of README.md from nothing to a running gang.
var inACluster = regexp.MustCompile(`(?s)### In a cluster\n.*?\n\n((?:    [^\n]*\n)+)`)

// readmesCommands returns the five.
func readmesCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := inACluster.FindSubmatch(text)
	if found == nil {
		t.Fatal("README.md has no commands for a cluster")
	}
	commands := strings.Split(strings.TrimSpace(string(found[1])), "\n")
	if len(commands) != 5 || !strings.Contains(commands[0], "dockerfiles/build --push registry.example/me gang") {
		t.Fatalf("not an image and four more: %q", commands)
	}
	return commands
}

// The commands as they are written, but the first: TestImagesArePushedAsTheReadmeSays runs that. What controllers and a kubelet do
// is done between them.
func TestTheReadmesCommandsRunAGang(t *testing.T) {
	t.Parallel()
	commands := readmesCommands(t)
	w := newWorld(t)
	for _, name := range []string{"a", "b"} {
		w.Nodes(kube.MakeNode(name))
	}
	for _, command := range commands[1:] {
		out := w.shell(command)
		switch {
		case strings.Contains(command, "deploy/extender.gang.yaml"):
			w.rollOut("outrigger", "registry.example/me/kube-sched-ext-gang:0.0")
		case strings.Contains(command, "rollout status"):
			if !strings.Contains(out, "successfully rolled out") {
				t.Errorf("%s: %s", command, out)
			}
		case strings.Contains(command, "train.yaml"):
			for _, name := range w.startJob("train") {
				w.Until(name, "bound", scheduling.IsBound)
			}
		case strings.Contains(command, "get pods"):
			if pods := strings.Count(out, "train-"); pods != 4 {
				t.Errorf("%s: %d pods, want 4:\n%s", command, pods, out)
			}
		default:
			t.Errorf("nobody knows what follows %q", command)
		}
	}
}

// shell runs a command where a person runs it, with kubectl on the path.
func (w *world) shell(line string) string {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig("shell", w.Cluster.Config)
	w.Must(err)
	command := exec.CommandContext(w.Ctx, "bash", "-ec", line)
	command.Dir = root
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+w.Cluster.Dir,
		"PATH="+filepath.Dir(w.Cluster.Binary("kubectl"))+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil {
		w.Fatalf("%s: %v: %s", line, err, out)
	}
	return string(out)
}

// rollOut starts all pods of a Deployment, whose image is that, and says so in its status.
func (w *world) rollOut(name, image string) {
	w.Helper()
	deployment := w.deployment(metav1.NamespaceSystem, name)
	if is := deployment.Spec.Template.Spec.InitContainers[0].Image; is != image {
		w.Errorf("the image is %s, want %s", is, image)
	}
	replicas := *deployment.Spec.Replicas
	for range replicas {
		w.untilReady(w.start(deployment))
	}
	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: deployment.Generation, Replicas: replicas,
		UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas}
	_, err := w.Client.AppsV1().Deployments(deployment.Namespace).UpdateStatus(w.Ctx, deployment, metav1.UpdateOptions{})
	w.Must(err)
}

// startJob makes the pods of a Job and returns their names.
func (w *world) startJob(name string) (names []string) {
	w.Helper()
	job, err := w.Client.BatchV1().Jobs(metav1.NamespaceDefault).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	owner := metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))
	for i := range *job.Spec.Parallelism {
		pod := &corev1.Pod{ObjectMeta: *job.Spec.Template.ObjectMeta.DeepCopy(), Spec: job.Spec.Template.Spec}
		pod.Name, pod.OwnerReferences = fmt.Sprintf("%s-%d", name, i), []metav1.OwnerReference{*owner}
		_, err := w.Client.CoreV1().Pods(job.Namespace).Create(w.Ctx, pod, metav1.CreateOptions{})
		w.Must(err)
		names = append(names, pod.Name)
	}
	return names
}
