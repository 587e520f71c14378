package deploy

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// others are objects of other programs, which ours replace: file in testdata, agents and flags.
var others = map[string][]string{
	"original": {"safe", "congestion", "--scheduler-name", "my-scheduler"},
	"riya":     {"gang", "qos", "--scheduler-name", "riya-scheduler"},
}

// deleteFirst is the command in the head of a file.
var deleteFirst = regexp.MustCompile(`(?m)^#     kubectl (-n \S+ delete deployment \S+)$`)

// Applied over what another program's users have, a file is refused without a trace in their Deployment, and works after
// the command that it names.
func TestOverOthersObjects(t *testing.T) {
	t.Parallel()
	for name, args := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			theirs := readManifest(t, filepath.Join("testdata", name+".yaml")).deployment(t)
			w.kubectl("create", "-f", filepath.Join("testdata", name+".yaml"))
			before := w.deployment(theirs.Namespace, theirs.Name)
			m := readManifest(t, w.rendered(args...))

			out, err := w.tryKubectl("apply", "-f", m.path)
			if err == nil || !strings.Contains(err.Error(), "spec.selector: Invalid value") || !strings.Contains(err.Error(), "field is immutable") {
				t.Fatalf("apply over theirs: %v:\n%s", err, out)
			}
			if now := w.deployment(theirs.Namespace, theirs.Name); !equality.Semantic.DeepEqual(now.Spec, before.Spec) {
				t.Errorf("their Deployment has changed: %+v", now.Spec.Template.Spec)
			}

			text, err := os.ReadFile(m.path)
			w.Must(err)
			command := deleteFirst.FindStringSubmatch(string(text))
			if command == nil {
				t.Fatalf("the file does not say what to delete:\n%.1000s", text)
			}
			w.kubectl(strings.Fields(command[1])...)
			w.kubectl("apply", "-f", m.path)
			w.untilGranted(m)
			w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
			pod := w.start(w.deployment(theirs.Namespace, theirs.Name))
			w.untilReady(pod)
			for _, container := range pod.Spec.Containers {
				if container.Name != "kube-scheduler" {
					t.Errorf("the pod has their container %s", container.Name)
				}
			}
			placesPod(&run{w, pod, m.schedulerName(t)})
			w.stop(pod)
			w.checkLogs(pod)
		})
	}
}

// rendered writes what `outrigger manifests` prints and returns the path.
func (w *world) rendered(args ...string) string {
	w.Helper()
	path := filepath.Join(w.TempDir(), "rendered.yaml")
	w.Must(os.WriteFile(path, outrigger.Run(w, append([]string{"manifests"}, args...)...), 0o644))
	return path
}

// The original's containers, of which only the image is changed: they are ready on the ports of their environment, and
// answer the original's paths.
func TestTheOriginalsContainersRunWithOurImage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.node.Lenient = true // their manifests forbid nothing
	path := filepath.Join("testdata", "original.yaml")
	w.kubectl("create", "-f", path)
	deployment := readManifest(t, path).deployment(t)
	spec := &deployment.Spec.Template.Spec
	spec.Containers = spec.Containers[1:] // their kube-scheduler has an image that is no more
	spec.ServiceAccountName = "extender-serviceaccount"
	pod := w.start(deployment)
	w.untilReady(pod)
	call := `{"Pod":{"metadata":{"name":"p"}},"Nodes":{"items":[{"metadata":{"name":"n"}}]}}`
	for url, want := range map[string]string{
		"http://" + pod.IP() + ":5401/scheduler/predicates/safe-overload": `"name":"n"`,
		"http://" + pod.IP() + ":5401/scheduler/priorities/safe-overload": `"Score"`,
		"http://" + pod.IP() + ":5402/scheduler/priorities/congestion":    `"Score"`,
	} {
		if answer := w.ask(http.MethodPost, url, call); !strings.Contains(answer, want) {
			t.Errorf("POST %s: no %s: %s", url, want, answer)
		}
	}
	w.stop(pod)
}
