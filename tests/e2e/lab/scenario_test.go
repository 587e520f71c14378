package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
)

// The scenario of docs/learn in each step. Steps whose pod stays pending run at once, and none of them gets node10 before
// each has seen its pod pending without it. In step 1 and 7 nobody else may create it.
func TestTheScenarioEndsInEachStepAsTheCourseSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const pending = "pod1 is pending, Unschedulable: 0/9 nodes are available: 9 node(s) were unschedulable."
	for _, round := range [][]int{{1}, {2, 3, 4, 5, 6}, {7}} {
		w.play(round, func(step int, lines []string) {
			if len(lines) != 5 {
				w.Errorf("step %d: the scenario has printed %q", step, lines)
				return
			}
			first, second := lines[2], lines[4]
			switch step {
			case 1:
				node, _ := strings.CutPrefix(first, "pod1 is bound to ")
				if len(node) != len("node0") || second != first {
					w.Errorf("step 1: want a cordoned node, have %q, and then %q", first, second)
				}
			case 7:
				if first != pending || second != "pod1 is bound to node10" {
					w.Errorf("step 7: want pending, then node10, have %q, then %q", first, second)
				}
			default:
				if first != pending || second != pending {
					w.Errorf("step %d: want pending, have %q, then %q", step, first, second)
				}
			}
		})
	}
}

// play runs the scenario in several steps at once, each in a namespace of its own, and takes away what it has made. All
// create node10 at the same time.
func (w *world) play(steps []int, judge func(step int, lines []string)) {
	w.Helper()
	program, err := scenario()
	w.Must(err)
	name := func(i int) string { return fmt.Sprintf("step-%d", steps[i]) }
	kubeconfigs, lines := make([]string, len(steps)), make([][]string, len(steps))
	server := w.startBarrier("node10", len(steps))
	for i, step := range steps {
		w.start(step, name(i))
		kubeconfigs[i] = w.kubeconfigIn(name(i), server)
	}
	var group sync.WaitGroup
	for i := range steps {
		group.Go(func() { lines[i] = w.run(program, kubeconfigs[i], name(i)) })
	}
	group.Wait()
	for i, step := range steps {
		judge(step, lines[i])
	}
	w.Must(w.Client.CoreV1().Nodes().DeleteCollection(w.Ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
}

// kubeconfigIn makes a namespace, and a kubeconfig that leads to it by way of that server.
func (w *world) kubeconfigIn(namespace, server string) string {
	w.Helper()
	_, err := w.Client.CoreV1().Namespaces().Create(w.Ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	w.Must(err)
	path, err := w.Cluster.WriteKubeconfig("scenario-"+namespace, &rest.Config{Host: server})
	w.Must(err)
	file, err := clientcmd.LoadFromFile(path)
	w.Must(err)
	file.Contexts[file.CurrentContext].Namespace = namespace
	w.Must(clientcmd.WriteToFile(*file, path))
	return path
}

// run returns the scenario's lines, without their mark.
func (w *world) run(program, kubeconfig, scheduler string) (lines []string) {
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	command := exec.CommandContext(ctx, program)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "SCHEDULER_NAME="+scheduler)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		w.Errorf("%s: the scenario: %v: %s%s", scheduler, err, out, stderr.Bytes())
	}
	for line := range strings.Lines(string(out)) {
		text, marked := strings.CutPrefix(strings.TrimSpace(line), "scenario: ")
		if !marked {
			w.Errorf("%s: no line of the scenario: %q", scheduler, line)
		}
		lines = append(lines, text)
	}
	return lines
}

// scenario builds docs/learn/scenario/main.go once and returns the program's path.
var scenario = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "outrigger-scenario-")
	if err != nil {
		return "", err
	}
	scenarioDir = dir
	command := os.Getenv("OUTRIGGER_GO")
	if command == "" {
		command = "go"
	}
	path := filepath.Join(dir, "scenario")
	out, err := exec.Command(command, "build", "-o", path, "../../../docs/learn/scenario/main.go").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the scenario does not compile: %w: %s", err, out)
	}
	return path, nil
})

var scenarioDir string // "": it is not built

func removeScenario() {
	if scenarioDir != "" {
		_ = os.RemoveAll(scenarioDir)
	}
}
