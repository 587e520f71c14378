package devices

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/devicejudge"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

func memberOfTwo(gang, name string) *kube.PodBuilder {
	return kube.MakePod(name).Label("podGroup", gang).Label("minAvailable", "2").Request(corev1.ResourceCPU, "1")
}

// A scheduler has one bind verb, which gang and devices serve together in one process.
func TestGangsAndClaimsShareTheBindVerb(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	s := newServing(t)
	withFoozers(s)
	rights, err := s.Cluster.ConfigWithManifest(s.Ctx,
		outrigger.Run(s, "agents", "--rbac", "gang,devices", "--namespace", metav1.NamespaceSystem))
	s.Must(err)
	kubeconfig, err := s.Cluster.WriteKubeconfig("gang-and-devices", rights)
	s.Must(err)
	s.agent = outrigger.Serve(s, "gang-and-devices", s.Cluster.LogDir(), "gang,devices", "--kubeconfig", kubeconfig,
		"--gang.scheduler-lease", "none")
	s.agent.UntilReady(s)
	s.StartScheduler(outrigger.SchedulerConfig(s, s.SchedulerBase(), "--agents", "gang,devices", "--url", s.agent.URL))

	// Neither half nor whole.
	const claim = `[{"name": "d", "claim": {"deviceClass": "foozer"}}]`
	s.Pods(memberOfTwo("claims", "claims-0").Annotation(devicejudge.Annotation, claim),
		memberOfTwo("claims", "claims-1").Annotation(devicejudge.Annotation, claim))
	for _, name := range []string{"claims-0", "claims-1"} {
		s.untilRefused(name, "gangs with device claims are not planned yet")
	}
	s.Pods(memberOfTwo("plain", "plain-0"), pod("single", claim), memberOfTwo("plain", "plain-1"))
	for _, name := range []string{"plain-0", "plain-1", "single"} {
		s.untilOn(name, "")
	}
	s.untilClaim("single-d", "state", "Allocated")
	s.untilSound()
	for _, name := range []string{"claims-0", "claims-1"} {
		if found := s.Tracker.Pod("default", name); scheduling.IsBound(found) {
			t.Errorf("%s is bound to %s", name, found.Spec.NodeName)
		}
	}
	used := 0
	for _, pool := range s.state().Pools {
		used += len(pool.Status.Allocations)
	}
	if used != 1 {
		t.Errorf("pools have %d entries, want that of the single pod", used)
	}
}

// kube-scheduler does not start with two extenders that bind.
func TestTwoBindersAreFound(t *testing.T) {
	t.Parallel()
	write := func(name string, text []byte) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	gang := outrigger.SchedulerConfig(t, nil, "--agents", "gang")
	of := func(text []byte) string {
		_, entries, _ := strings.Cut(string(text), "\nextenders:\n")
		return entries
	}
	devices := outrigger.SchedulerConfig(t, nil, "--agents", "devices")
	apart := write("apart.yaml", append(gang, of(devices)...))
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"doctor", apart}, "error binders-several"},
		{[]string{"scheduler-config", "--agents", "devices", "--in", write("gang.yaml", gang)},
			"serve them in one process: --agents gang,devices"},
	} {
		out, err := exec.CommandContext(t.Context(), outrigger.Binary(t), row.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), row.says) {
			t.Errorf("outrigger %s: %v:\n%s\ndoes not say %q", row.args[0], err, out, row.says)
		}
	}
}
