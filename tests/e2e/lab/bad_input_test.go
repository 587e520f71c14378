package lab

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// Nonsense is refused at the start, by name and reason.
func TestNonsenseIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "none")
	for _, row := range []struct {
		name  string
		args  []string
		code  int
		words []string // of the answer
	}{
		{"Step0", []string{"--step", "0"}, 2, []string{"--step", "0", "1", "7"}},
		{"Step8", []string{"--step", "8"}, 2, []string{"--step", "8", "1", "7"}},
		{"StepX", []string{"--step", "x"}, 2, []string{"--step", "x"}},
		{"StepMinus1", []string{"--step=-1"}, 2, []string{"--step", "-1"}},
		{"SeedX", []string{"--step", "1", "--seed", "x"}, 2, []string{"--seed", "x"}},
		{"NameThatIsNone", []string{"--step", "1", "--scheduler-name", "Not A Name"}, 2, []string{"--scheduler-name", "Not A Name"}},
		{"NoKubeconfig", []string{"--step", "1"}, 1, []string{"kubeconfig"}},
		{"NoSuchKubeconfig", []string{"--step", "1", "--kubeconfig", nowhere}, 1, []string{nowhere}},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), scheduling.Patience)
			defer cancel()
			command := exec.CommandContext(ctx, outrigger.Binary(t), append([]string{"lab", "scheduler"}, row.args...)...)
			command.Env = []string{"HOME=" + t.TempDir()} // nothing leads to a cluster
			out, err := command.CombinedOutput()
			if err == nil || ctx.Err() != nil {
				t.Fatalf("it has started: %v: %s", err, out)
			}
			if code := command.ProcessState.ExitCode(); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			for _, word := range row.words {
				if !strings.Contains(string(out), word) {
					t.Errorf("it does not name %q: %s", word, out)
				}
			}
			if lines := strings.Count(string(out), "\n"); lines > 3 {
				t.Errorf("an answer of %d lines: %s", lines, out)
			}
		})
	}
}

// An account without rights is named, and so is the right that it lacks. What the account may do later is done then.
func TestARightThatLacksIsNamed(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.Nodes(kube.MakeNode("worker"))
	kubeconfig, err := w.Cluster.WriteKubeconfig("powerless", w.Cluster.ConfigOf(cluster.Nobody))
	w.Must(err)
	s := w.startWith(kubeconfig, 7, "powerless")
	s.untilPrinted("needs the right to list nodes: ")
	s.create("powerless-pod1")
	_, err = w.Cluster.Kubectl(w.Ctx, "create", "clusterrolebinding", "powerless",
		"--clusterrole=system:kube-scheduler", "--user="+cluster.Nobody)
	w.Must(err)
	// And its node has no digit, so no plugin has it wait.
	if node := w.untilNode("powerless-pod1"); node != "worker" {
		w.Errorf("the pod is on %s", node)
	}
}
