// Package server tests what all agents have in common under the real kube-scheduler: configurations,
// manifests, rights, certificates, and agents that are away. What counts is what the API server says in
// the end.
package server

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/pki"
	"outrigger.dev/outrigger/tests/support/process"
)

// The scheduler loads, completes and validates the file, builds itself with the extenders of it,
// writes what it understood and exits: no API server is needed for that.
func TestKubeSchedulerAcceptsThePrintedConfiguration(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	for _, row := range []struct {
		name      string
		base      []byte
		more      []string
		ignorable bool
	}{
		{"Plain", nil, nil, false},
		{"Ignorable", nil, []string{"--ignorable"}, true},
		{"MergedIntoAnExistingOne", w.SchedulerBase(), nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			args := append([]string{"--agents", "safe,congestion", "--full-nodes", "--weight", "7",
				"--url", "safe=http://127.0.0.1:4101", "--url", "congestion=http://127.0.0.1:4102"}, row.more...)
			config := outrigger.SchedulerConfig(t, row.base, args...)
			understood := understand(t, w, config)
			if len(understood.Extenders) != 2 {
				t.Fatalf("the scheduler knows %d extenders, want 2, of\n%s", len(understood.Extenders), config)
			}
			for i, prefix := range []string{"http://127.0.0.1:4101/safe", "http://127.0.0.1:4102/congestion"} {
				extender := understood.Extenders[i]
				if extender.URLPrefix != prefix || extender.PrioritizeVerb != "prioritize" || extender.Weight != 7 ||
					extender.NodeCacheCapable || extender.Ignorable != row.ignorable {
					t.Errorf("extender %d is %+v", i, extender)
				}
			}
			if understood.Extenders[0].FilterVerb != "filter" {
				t.Errorf("the safe agent is not asked to filter: %+v", understood.Extenders[0])
			}
			if row.base != nil && understood.PodMaxBackoffSeconds != nil && *understood.PodMaxBackoffSeconds != 2 {
				t.Errorf("a setting of the existing configuration is lost: %+v", understood)
			}
			if row.base != nil && (understood.ClientConnection.Kubeconfig == "" || *understood.LeaderElection.LeaderElect) {
				t.Errorf("the existing configuration is lost: %+v", understood)
			}
		})
	}
}

// The scheduler reads the files when it builds itself, and refuses to start if it cannot.
func TestKubeSchedulerAcceptsThePrintedTLS(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := scheduling.New(t)
	m := w.UseTLS(scheduling.Loopback, pki.Spec{Name: "scheduler"})
	files := schedulerv1.ExtenderTLSConfig{
		CertFile: m.Scheduler.CertFile(), KeyFile: m.Scheduler.KeyFile(), CAFile: m.Scheduler.CAFile()}
	named := files
	named.ServerName = "safe.agents"
	for _, row := range []struct {
		name string
		args []string
		want [2]*schedulerv1.ExtenderTLSConfig // of safe and congestion
	}{
		{"ForBothAgents", m.OfSchedulerConfig(), [2]*schedulerv1.ExtenderTLSConfig{&files, &files}},
		{"ANameForOne", append(m.OfSchedulerConfig(), "--tls-server-name", "safe=safe.agents"),
			[2]*schedulerv1.ExtenderTLSConfig{&named, &files}},
		{"ForOneAgent", []string{"--tls-ca", "congestion=" + m.Scheduler.CAFile()},
			[2]*schedulerv1.ExtenderTLSConfig{nil, {CAFile: m.Scheduler.CAFile()}}},
		{"Insecure", []string{"--tls-insecure"},
			[2]*schedulerv1.ExtenderTLSConfig{{Insecure: true}, {Insecure: true}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			args := append([]string{"--agents", "safe,congestion", "--full-nodes"}, row.args...)
			config := outrigger.SchedulerConfig(t, nil, args...)
			understood := understand(t, w, config)
			if len(understood.Extenders) != 2 {
				t.Fatalf("the scheduler knows %d extenders, want 2, of\n%s", len(understood.Extenders), config)
			}
			for i, extender := range understood.Extenders {
				want := row.want[i]
				if !reflect.DeepEqual(extender.TLSConfig, want) || extender.EnableHTTPS != (want != nil) ||
					strings.HasPrefix(extender.URLPrefix, "https://") != (want != nil) {
					t.Errorf("extender %d at %s: enableHTTPS is %v, tlsConfig %+v, want %+v",
						i, extender.URLPrefix, extender.EnableHTTPS, extender.TLSConfig, want)
				}
			}
		})
	}
}

func TestMergedConfigurationSchedulesPods(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	w.Nodes(kube.MakeNode("a"))
	w.StartScheduler(w.Config(map[string]string{"safe": w.Serve("safe").URL}))
	w.Pods(kube.MakePod("p"))
	w.UntilBound(1)
}

func understand(t *testing.T, w *scheduling.World, config []byte) *schedulerv1.KubeSchedulerConfiguration {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.yaml"), filepath.Join(dir, "out.yaml")
	w.Must(os.WriteFile(in, config, 0o644))
	scheduler, err := process.Start(process.Spec{
		Name: "scheduler", LogDir: dir, Path: w.Cluster.Binary("kube-scheduler"),
		Args: []string{"--config", in, "--master", w.Cluster.Config.Host, "--write-config-to", out, "--secure-port=0"},
	})
	w.Must(err)
	defer scheduler.Kill()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	if err := scheduler.Wait(ctx); err != nil {
		t.Fatalf("kube-scheduler refuses the configuration: %v:\n%s\nThe configuration:\n%s", err, scheduler.LogTail(5), config)
	}
	text, err := os.ReadFile(out)
	w.Must(err)
	var understood schedulerv1.KubeSchedulerConfiguration
	if err := yaml.Unmarshal(text, &understood); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &understood
}
