package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// whole is a lab with nodes, a real kube-scheduler and agents, as one command starts it.
type whole struct {
	*testing.T
	*cluster.Cluster
}

func startWhole(t *testing.T, args ...string) whole {
	t.Helper()
	return whole{t, startLab(t, append(args, "--scheduler", schedulerPath())...)}
}

func schedulerPath() string { return filepath.Join(os.Getenv(cluster.BinariesEnv), "kube-scheduler") }

func (w whole) create(pods ...*kube.PodBuilder) {
	w.Helper()
	for _, pod := range pods {
		one := pod.Pod()
		if one.Namespace == "" {
			one.Namespace = "default"
		}
		if _, err := w.Client.CoreV1().Pods(one.Namespace).Create(w.Context(), one, metav1.CreateOptions{}); err != nil {
			w.Fatal(err)
		}
	}
}

// until waits until a pod is as `is` says.
func (w whole) until(name, what string, is func(*corev1.Pod) bool) *corev1.Pod {
	w.Helper()
	var last *corev1.Pod
	err := kube.Eventually(w.Context(), process.Patience, func(ctx context.Context) error {
		pod, err := w.Client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		last = pod
		if !is(pod) {
			return fmt.Errorf("pod %s is not %s: %v", name, what, pod.Status)
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return last
}

func isIn(phase corev1.PodPhase) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool { return pod.Status.Phase == phase }
}

func TestTheRealSchedulerPlacesExplainsAndPreempts(t *testing.T) {
	t.Parallel()
	w := startWhole(t, "--nodes", "2,cpu=2,pods=10")
	for _, name := range []string{"a", "b"} {
		w.create(kube.MakePod(name).Request(corev1.ResourceCPU, "2").GracePeriod(0))
		w.until(name, "running", isIn(corev1.PodRunning))
	}
	w.create(kube.MakePod("waits").Request(corev1.ResourceCPU, "1"))
	refused := w.until("waits", "refused", func(pod *corev1.Pod) bool {
		return kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
	})
	if text := kube.Condition(refused, corev1.PodScheduled).Message; !strings.HasPrefix(text, "0/2 nodes are available: 2 Insufficient cpu.") {
		t.Errorf("the reason is %q", text)
	}
	err := kube.Eventually(t.Context(), process.Patience, func(ctx context.Context) error {
		events, err := w.Client.CoreV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=waits"})
		if err != nil {
			return err
		}
		for _, event := range events.Items {
			if event.Reason == "FailedScheduling" {
				return nil
			}
		}
		return errors.New("no Event FailedScheduling")
	})
	if err != nil {
		t.Error(err)
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000}
	if _, err := w.Client.SchedulingV1().PriorityClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	w.create(kube.MakePod("high").Request(corev1.ResourceCPU, "2").PriorityClass("high"))
	w.until("high", "running", isIn(corev1.PodRunning))
}

// Not beside others: agents have one port each.
func TestAGangRunsAndEndsOnTheLabAlone(t *testing.T) {
	w := startWhole(t, "--nodes", "4,cpu=1,racks=2", "--agents", "gang,qos")
	for i := range 4 {
		w.create(kube.MakePod(fmt.Sprintf("train-%d", i)).Request(corev1.ResourceCPU, "1").Label("podGroup", "train").
			Label("minAvailable", "4").Annotation("lab.outrigger.dev/duration", "1s"))
	}
	for i := range 4 {
		w.until(fmt.Sprintf("train-%d", i), "done", isIn(corev1.PodSucceeded))
	}
}

func TestWhatRunsBesideTheLabEndsWithIt(t *testing.T) {
	scheduling.Long(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) { endsWithTheLab(t, signal) })
	}
}

func endsWithTheLab(t *testing.T, signal syscall.Signal) {
	w := startWhole(t, "--nodes", "1", "--agents", "gang")
	w.create(kube.MakePod("a"))
	w.until("a", "running", isIn(corev1.PodRunning))
	children := childrenOf(t, w.ServerPid())
	if len(children) != 3 {
		t.Errorf("%d children run, want nodes, agents and the scheduler: %v", len(children), children)
	}
	if err := syscall.Kill(w.ServerPid(), signal); err != nil {
		t.Fatal(err)
	}
	err := kube.Eventually(t.Context(), process.Patience, func(context.Context) error {
		for _, pid := range children {
			if syscall.Kill(pid, 0) == nil {
				return fmt.Errorf("process %d still runs", pid)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Agents have one port each.
func TestASecondLabWithAgentsSaysWhoHasTheirPort(t *testing.T) {
	scheduling.Long(t)
	ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
	defer cancel()
	startWhole(t, "--agents", "gang")
	err := kube.Eventually(ctx, process.Patience, func(context.Context) error {
		agents, err := net.Dial("tcp", "127.0.0.1:9871")
		if err == nil {
			err = agents.Close()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	second := exec.CommandContext(ctx, outrigger.Binary(t), "lab", "apiserver", "--port", "0", "--scheduler", schedulerPath(),
		"--agents", "gang")
	output, err := second.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "outrigger serve has ended; its last words: ") || !strings.Contains(string(output), "9871") {
		t.Errorf("%v: %s", err, output)
	}
}

// childrenOf are the processes that a process has started.
func childrenOf(t *testing.T, pid int) (children []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		rest := string(text[strings.LastIndexByte(string(text), ')')+1:])
		var state string
		var parent int
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil || parent != pid || state == "Z" {
			continue
		}
		var child int
		if _, err := fmt.Sscan(string(text), &child); err == nil {
			children = append(children, child)
		}
	}
	return children
}

func TestSavedObjectsComeBackWhole(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	dir := writeFiles(t)
	c := startLab(t)
	for _, command := range []string{"apply -f manifests.yaml", "apply -f definition.yaml", "apply -f thing.yaml", "apply -f pod.yaml"} {
		if text := kubectl(t, c, dir, command); !strings.HasSuffix(text, "exit code 0\n") {
			t.Fatalf("kubectl %s: %s", command, text)
		}
	}
	kubeconfig, err := c.WriteKubeconfig("save", c.Config)
	if err != nil {
		t.Fatal(err)
	}
	saved := outrigger.Run(t, "lab", "save", "--kubeconfig", kubeconfig)
	file := filepath.Join(dir, "saved.yaml")
	if err := os.WriteFile(file, saved, 0o600); err != nil {
		t.Fatal(err)
	}
	again := startLab(t, "-f", file)
	for _, command := range []string{"get statefulset web -o yaml", "get thing t -o yaml", "get configmap settings -o yaml", "get pod one -o yaml"} {
		if want, got := kubectl(t, c, dir, command), kubectl(t, again, dir, command); want != got {
			t.Errorf("kubectl %s\n--- before:\n%s--- loaded:\n%s", command, want, got)
		}
	}
}

func TestWhatIsWrongIsSaidAtOnce(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	for name, row := range map[string]struct {
		args []string
		says string
	}{
		"a file that is not there": {[]string{"-f", "/nowhere.yaml"}, "/nowhere.yaml"},
		"a shape that is none":     {[]string{"--nodes", "six"}, "--nodes: "},
		"no scheduler":             {[]string{"--scheduler", "/nowhere"}, "kube-scheduler: cannot run /nowhere: No such file or directory"},
		"an agent that is none":    {[]string{"--scheduler", "/bin/true", "--agents", "gnag"}, "gnag"},
	} {
		run := exec.CommandContext(t.Context(), outrigger.Binary(t), append([]string{"lab", "apiserver", "--port", "0"}, row.args...)...)
		output, err := run.CombinedOutput()
		if err == nil || !strings.Contains(string(output), row.says) {
			t.Errorf("%s: %v, %q does not have %q", name, err, output, row.says)
		}
	}
}
