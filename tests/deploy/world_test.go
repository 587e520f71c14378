package deploy

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/containers"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// images are made once, by the first test that starts a pod.
var images struct {
	sync.Once
	outrigger, scheduler containers.Image
	err                  error
}

// world is a control plane with a node that runs pods.
type world struct {
	*scheduling.World
	node *containers.Node
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: scheduling.New(t)}
	images.Do(func() { images.err = makeImages(t, w.Cluster.Binary("kube-scheduler")) })
	w.Must(images.err)
	w.node = containers.NewNode(w.Client, w.Cluster.Config, t.TempDir(), w.Cluster.LogDir())
	go w.finalizeNamespaces()
	return w
}

// finalizeNamespaces lets deleted namespaces go, as their controller would; what is in them the test deletes.
func (w *world) finalizeNamespaces() {
	namespaces := w.Client.CoreV1().Namespaces()
	_ = kube.Until(w.Ctx, time.Hour, // until the test ends
		func(options metav1.ListOptions) (kube.Watcher, error) { return namespaces.Watch(w.Ctx, options) },
		func(namespace *corev1.Namespace) bool {
			if namespace.DeletionTimestamp != nil {
				namespace.Spec.Finalizers = nil
				_, _ = namespaces.Finalize(w.Ctx, namespace, metav1.UpdateOptions{}) // or else kubectl waits in vain
			}
			return false
		})
}

// makeImages makes the roots in a folder that lives as long as the package's tests: /run is theirs alone.
func makeImages(t *testing.T, scheduler string) (err error) {
	t.Helper()
	dir := "/run/images"
	images.outrigger, err = containers.ProgramImage(filepath.Join(dir, "outrigger"), outrigger.Binary(t), "/usr/local/bin/outrigger")
	if err != nil {
		return err
	}
	images.outrigger.Entrypoint = []string{"/usr/local/bin/outrigger"}
	images.outrigger.User = "65532:65532"
	images.scheduler, err = containers.ProgramImage(filepath.Join(dir, "kube-scheduler"), scheduler, "/usr/local/bin/kube-scheduler")
	return err
}

// rootsEnv names the environment variable with a folder of images' roots, by the agents in their names ("gang-qos").
// Without it all images are the program under test with the libraries of this machine.
const rootsEnv = "OUTRIGGER_IMAGE_ROOTS"

// imageOf returns an image by its name. Ours have only the agents that their names say.
func imageOf(name string) containers.Image {
	if strings.Contains(name, "/kube-scheduler:") {
		return images.scheduler
	}
	image := images.outrigger
	_, agents, _ := strings.Cut(name, "kube-sched-ext-")
	agents, _, _ = strings.Cut(agents, ":")
	if roots := os.Getenv(rootsEnv); roots != "" {
		image.Root = filepath.Join(roots, agents)
		image.Cmd = []string{"serve", "--original"}
		return image
	}
	image.Cmd = []string{"serve", "--original", "--agents=" + strings.ReplaceAll(agents, "-", ",")}
	return image
}

// kubectl runs it and returns what it printed.
func (w *world) kubectl(args ...string) string {
	w.Helper()
	out, err := w.tryKubectl(args...)
	w.Must(err)
	return out
}

func (w *world) tryKubectl(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	return w.Cluster.Kubectl(ctx, args...)
}

// deployment returns the only one that objects of a file are.
func (w *world) deployment(namespace, name string) *appsv1.Deployment {
	w.Helper()
	deployment, err := w.Client.AppsV1().Deployments(namespace).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	return deployment
}

// untilGranted waits until the API server knows what a file grants: what it refuses before is in logs.
func (w *world) untilGranted(m manifest) {
	w.Helper()
	deployment := m.deployment(w.T)
	account, err := w.Cluster.ServiceAccountConfig(w.Ctx, deployment.Namespace, deployment.Spec.Template.Spec.ServiceAccountName)
	w.Must(err)
	for _, object := range m.objects {
		var role rbacv1.ClusterRole // a Role has the same fields
		if kind := object.GetKind(); kind == "Role" || kind == "ClusterRole" {
			w.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role))
			w.UntilGranted(account, role.Rules[len(role.Rules)-1], object.GetNamespace())
		}
	}
	if m.schedulerName(w.T) != "" { // a right of system:kube-scheduler
		w.UntilGranted(account, rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"statefulsets"}, Verbs: []string{"list"}})
	}
}

// start starts one replica of a Deployment; it is stopped at the end of the test.
func (w *world) start(deployment *appsv1.Deployment) *containers.Pod {
	w.Helper()
	spec := deployment.Spec.Template.Spec
	for _, container := range slices.Concat(spec.InitContainers, spec.Containers) {
		w.node.Images[container.Image] = imageOf(container.Image)
	}
	pod, err := w.node.StartReplica(w.Ctx, deployment)
	w.Must(err)
	w.Cleanup(func() {
		if _, err := pod.Stop(); err != nil {
			w.Error(err)
		}
	})
	return pod
}

func (w *world) untilReady(pod *containers.Pod) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	w.Must(pod.UntilReady(ctx))
}

// stop ends a pod and fails the test unless all its containers ended by themselves, with exit code 0.
func (w *world) stop(pod *containers.Pod) {
	w.Helper()
	exits, err := pod.Delete(w.Ctx)
	w.Must(err)
	for _, exit := range exits {
		if exit.Code != 0 {
			w.Errorf("container %s ended with exit code %d after %v:\n%s", exit.Container, exit.Code, exit.After, pod.Log(exit.Container))
		}
	}
}

// checkLogs fails the test if a container was denied anything.
func (w *world) checkLogs(pod *containers.Pod) {
	w.Helper()
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for line := range strings.Lines(pod.Log(container.Name)) {
			if strings.Contains(line, "forbidden") {
				w.Errorf("%s: %s", container.Name, line)
			}
		}
	}
}

// ask returns what a server answers with 200.
func (w *world) ask(method, url, body string) string {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Ctx, method, url, strings.NewReader(body))
	w.Must(err)
	response, err := http.DefaultClient.Do(request)
	w.Must(err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	w.Must(err)
	if response.StatusCode != http.StatusOK {
		w.Fatalf("%s %s: %s: %s", method, url, response.Status, answer)
	}
	return string(answer)
}
