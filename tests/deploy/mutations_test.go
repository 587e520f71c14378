package deploy

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// mutation is a fault in a file, and who names it.
type mutation struct {
	file      string            // "": that of gang
	edits     [][2]string       // old, which must be there, and new
	notReady  string            // why the pod is not ready, as its events would say; "": it is
	logs      map[string]string // by container: what it prints
	condition string            // why a pod waits that chose the scheduler; "": none is made
	doctor    string            // what doctor finds in the scheduler's configuration; "": it is not asked
}

var mutations = map[string]mutation{
	"ARightOfTheAgentIsTaken": {
		file:     "controller.gang",
		edits:    [][2]string{{"resources: [nodes], verbs: [list, watch]", "resources: [nodes], verbs: [list]"}},
		notReady: "readiness of gang: HTTP probe failed with statuscode: 503",
		logs:     map[string]string{"gang": "nodes is forbidden"},
	},
	"ARightOfTheSchedulerIsTaken": {
		edits: [][2]string{{"name: system:kube-scheduler", "name: system:node-proxier"}},
		logs:  map[string]string{"kube-scheduler": "namespaces is forbidden"},
	},
	"TheProbesHaveAnotherPort": {
		edits:    [][2]string{{"port: 9971}", "port: 9972}"}, soon},
		notReady: ":9972: connect: connection refused",
	},
	"TheSchedulerHasAnotherPort": {
		edits:     [][2]string{{"http://127.0.0.1:9871/gang", "http://127.0.0.1:9999/gang"}},
		condition: "127.0.0.1:9999: connect: connection refused",
		doctor:    "port-unexpected",
	},
	"AnUnknownFlag": {
		edits:    [][2]string{{"--metrics-from-anywhere", "--metrics-for-all"}},
		notReady: "--metrics-for-all",
	},
	"TheSchedulerHasAnotherPath": {
		edits:     [][2]string{{"http://127.0.0.1:9871/gang", "http://127.0.0.1:9871/gagn"}},
		condition: "404",
		doctor:    "verb-not-served",
	},
	"TheSchedulerHasAnotherLease": { // it may create that, and cannot renew it
		edits:    [][2]string{{"resourceName: outrigger", "resourceName: other"}},
		notReady: "Leaderelection lost",
		logs:     map[string]string{"kube-scheduler": "cannot update resource"},
	},
	"TheConfigMapIsMissing": {
		edits:    [][2]string{{"configMap: {name: outrigger-agents}", "configMap: {name: outrigger-agent}"}},
		notReady: `volume "agents": configmaps "outrigger-agent" not found`,
	},
	"ItsKeyHasAnotherName": {
		edits:    [][2]string{{"  scheduler.yaml: |", "  config.yaml: |"}},
		notReady: "/etc/kubernetes/scheduler.yaml",
	},
	// Kept by whoever starts containers, and by us, too.
	"TheRootCanBeWritten": {
		edits:    [][2]string{{"readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"}},
		notReady: "container gang may do too much: readOnlyRootFilesystem is not true",
	},
	"ItRunsAsRoot": {
		edits:    [][2]string{{"runAsUser: 65532", "runAsUser: 0"}},
		notReady: "container has runAsNonRoot and image will run as root",
	},
}

// soon is a probe that does not wait for a minute.
var soon = [2]string{"failureThreshold: 60", "failureThreshold: 2"}

// Whatever is wrong in a file, the pod does not become ready or pods wait, and somebody says why.
func TestFaultsAreNamed(t *testing.T) {
	t.Parallel()
	for name, fault := range mutations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if fault.file == "" {
				fault.file = "extender.gang"
			}
			m := readManifest(t, w.edited(filepath.Join(folder, fault.file+".yaml"), fault.edits...))
			w.kubectl("apply", "-f", m.path)
			w.Nodes(kube.MakeNode("a"))
			deployment := m.deployment(t)
			pod := w.start(w.deployment(deployment.Namespace, deployment.Name))
			ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
			defer cancel()
			if fault.notReady != "" {
				w.Must(kube.Eventually(ctx, scheduling.Patience, func(ctx context.Context) error {
					if err := pod.Ready(ctx); err == nil || !strings.Contains(err.Error(), fault.notReady) {
						return fmt.Errorf("%q is not named: %w", fault.notReady, err)
					}
					return nil
				}))
			} else {
				w.untilReady(pod)
				w.Pods(kube.MakePod("p").Scheduler(m.schedulerName(t)))
			}
			for container, text := range fault.logs {
				if err := pod.UntilLogged(ctx, container, text); err != nil {
					t.Error(err)
				}
			}
			if fault.condition != "" {
				w.Until("p", "waiting with "+fault.condition, func(pod *corev1.Pod) bool {
					return strings.Contains(kube.Condition(pod, corev1.PodScheduled).Message, fault.condition)
				})
			}
			if pod := w.Tracker.Pod("default", "p"); pod != nil && scheduling.IsBound(pod) {
				t.Error("a pod was placed all the same")
			}
			if fault.doctor != "" {
				if found := w.doctor(m); !strings.Contains(found, fault.doctor) {
					t.Errorf("doctor does not find %s:\n%s", fault.doctor, found)
				}
			}
		})
	}
}

// edited writes a file with changes and returns its path.
func (w *world) edited(path string, edits ...[2]string) string {
	w.Helper()
	text, err := os.ReadFile(path)
	w.Must(err)
	changed := string(text)
	for _, edit := range edits {
		if !strings.Contains(changed, edit[0]) {
			w.Fatalf("%s has no %q", path, edit[0])
		}
		changed = strings.ReplaceAll(changed, edit[0], edit[1])
	}
	to := filepath.Join(w.TempDir(), filepath.Base(path))
	w.Must(os.WriteFile(to, []byte(changed), 0o644))
	return to
}

// doctor returns what it says of a file's configuration of the scheduler.
func (w *world) doctor(m manifest) string {
	w.Helper()
	holder, ok := find(w.T, m, "ConfigMap", func(c *corev1.ConfigMap) bool { return c.Data["scheduler.yaml"] != "" })
	if !ok {
		w.Fatalf("%s has no scheduler.yaml", m.path)
	}
	path := filepath.Join(w.TempDir(), "scheduler.yaml")
	w.Must(os.WriteFile(path, []byte(holder.Data["scheduler.yaml"]), 0o644))
	out, _ := exec.Command(outrigger.Binary(w), "doctor", path, "--agents", "gang", "--scheduler-config", path).CombinedOutput()
	return string(out) // the exit code is not 0 if it finds errors
}
