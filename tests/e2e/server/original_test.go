package server

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// What the account of the original extenders may do, of what agents need.
var originalRights = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"*"}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}},
}

const originalConfiguration = `{apiVersion: v1, kind: ConfigMap, metadata: {name: my-scheduler-config}, data: {config.yaml: '
  {"apiVersion": "kubescheduler.config.k8s.io/v1alpha1", "kind": "KubeSchedulerConfiguration",
   "schedulerName": "my-scheduler",
   "algorithmSource": {"policy": {"configMap": {"namespace": "kube-system", "name": "my-scheduler-policy"}}},
   "leaderElection": {"leaderElect": true, "lockObjectName": "my-scheduler", "lockObjectNamespace": "kube-system"}}'}}
---
`

// A manifest of two extenders, as the original has it: the Policy is converted, the scheduler gets our
// account of the old name, and the agents get the original's variables, paths, rights and probes.
func TestOriginalExtendersRunWithOnlyTheirProgramsReplaced(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	w.Nodes(kube.MakeNode("free"), kube.MakeNode("congested"), kube.MakeNode("full"))
	for node, annotations := range map[string]map[string]string{
		"free":      {"congestion-factor": "0", "mean-free-cpu": "7000", "std-free-cpu": "10"},
		"congested": {"congestion-factor": "9", "mean-free-cpu": "7000", "std-free-cpu": "10"},
		"full":      {"congestion-factor": "0", "mean-free-cpu": "10", "std-free-cpu": "10"},
	} {
		w.Annotate(node, annotations)
	}
	config, err := w.Cluster.ConfigWithRules(w.Ctx, "original", originalRights...)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig("original", config)
	w.Must(err)
	safe := startOriginal(w, "safe", kubeconfig, "SAFEUTILIZATION=90", "SAFEPERCENTILE=30",
		"SAFEPRINTTABLE=false", "SAFEFORECASTWEIGHT=20", "LOG_LEVEL=TRACE")
	congestion := startOriginal(w, "congestion", kubeconfig, "CONGESTION_FACTOR_MAX=10", "LOG_LEVEL=ALERT")
	account, err := os.ReadFile("../../../deploy/service-account.yaml")
	w.Must(err)
	scheduler, err := w.Cluster.ConfigWithManifest(w.Ctx, account)
	w.Must(err)
	w.StartScheduler(fromPolicy(w, scheduler, originalConfiguration, fmt.Sprintf(`"extenders": [
	{"urlPrefix": "http://localhost:%d/scheduler", "filterVerb": "predicates/safe-overload",
	 "prioritizeVerb": "priorities/safe-overload", "preemptVerb": "", "bindVerb": "", "weight": 1,
	 "enableHttps": false, "nodeCacheCapable": false},
	{"urlPrefix": "http://localhost:%d/scheduler", "filterVerb": "", "prioritizeVerb": "priorities/congestion",
	 "preemptVerb": "", "bindVerb": "", "weight": 1000, "enableHttps": false, "nodeCacheCapable": false}]`,
		safe, congestion)))
	for _, name := range []string{"p", "q", "r"} {
		w.Pods(kube.MakePod(name).Scheduler("my-scheduler"))
		if pod := w.Until(name, "bound", scheduling.IsBound); pod.Spec.NodeName != "free" {
			t.Errorf("pod %s is on %s, want free", name, pod.Spec.NodeName)
		}
	}
}

// startOriginal starts an agent as its image does, waits until the kubelet's probe would succeed and
// returns the port.
func startOriginal(w *scheduling.World, agent, kubeconfig string, env ...string) int {
	w.Helper()
	port, err := process.FreePort()
	w.Must(err)
	started, err := process.Start(process.Spec{
		Name: "original-" + agent, LogDir: w.Cluster.LogDir(), Path: outrigger.Binary(w),
		Args: []string{"serve", "--original", "--agents", agent, "--kubeconfig", kubeconfig},
		Env:  append(env, fmt.Sprintf("HTTP_PORT=%d", port), "OUTRIGGER_ADMIN_PORT=0"),
	})
	w.Must(err)
	w.Cleanup(started.Kill)
	client := http.Client{Timeout: time.Second}
	for {
		if response, err := client.Get(fmt.Sprintf("http://localhost:%d/version", port)); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return port
			}
		}
		if exit := started.ExitError(); exit != nil || w.Ctx.Err() != nil {
			w.Fatalf("%s does not answer its probe: %v\n%s", agent, exit, started.LogTail(5))
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// A kubelet that restarts agents whose view of the cluster is late would make it later.
func TestOriginalProbesSucceedWhileTheClusterIsAway(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	kubeconfig, err := w.Cluster.WriteKubeconfig("away", &rest.Config{Host: "http://127.0.0.1:1"})
	w.Must(err)
	for _, agents := range []string{"safe", "congestion", "pigeon", "reward", "devices", "gang,qos"} {
		startOriginal(w, agents, kubeconfig)
	}
}

// fromPolicy returns the configuration for a Policy with these fields, which stands after other documents.
func fromPolicy(w *scheduling.World, scheduler *rest.Config, others, fields string) []byte {
	w.Helper()
	policy := filepath.Join(w.TempDir(), "policy.yaml")
	w.Must(os.WriteFile(policy, []byte(others+`{"kind": "Policy", "apiVersion": "v1", `+fields+`}`), 0o644))
	kubeconfig, err := w.Cluster.WriteKubeconfig("scheduler", scheduler)
	w.Must(err)
	return outrigger.Run(w, "scheduler-config", "--from-policy", policy, "--kubeconfig", kubeconfig)
}

// Each plugin that a Policy names or leaves out is one that this kube-scheduler has.
func TestKubeSchedulerAcceptsWhatPoliciesAskFor(t *testing.T) {
	t.Parallel()
	w := scheduling.New(t)
	for _, row := range []struct{ name, fields, plugin string }{
		{"None", `"predicates": [], "priorities": []`, ""},
		{"AsKubeRL", `"predicates": [{"name": "PodFitsHostPorts"}, {"name": "PodFitsResources"},
			{"name": "NoDiskConflict"}, {"name": "MatchNodeSelector"}, {"name": "HostName"}],
			"priorities": [{"name": "LeastRequestedPriority", "weight": 1}, {"name": "EqualPriority", "weight": 1},
			{"name": "BalancedResourceAllocation", "weight": 1}, {"name": "ServiceSpreadingPriority", "weight": 1}],
			"hardPodAffinitySymmetricWeight": 10`, "PodTopologySpread"},
		{"All", `"predicates": [{"name": "GeneralPredicates"}, {"name": "CheckVolumeBinding"},
			{"name": "MatchInterPodAffinity"}, {"name": "EvenPodsSpread"}, {"name": "MaxEBSVolumeCount"},
			{"name": "NoVolumeZoneConflict"}, {"name": "NoDiskConflict"}, {"name": "CheckNodeCondition"}],
			"priorities": [{"name": "EvenPodsSpreadPriority", "weight": 2}, {"name": "NodeAffinityPriority", "weight": 1},
			{"name": "InterPodAffinityPriority", "weight": 3}, {"name": "TaintTolerationPriority", "weight": 1},
			{"name": "ImageLocalityPriority", "weight": 1}, {"name": "bins", "weight": 5, "argument": {
			"requestedToCapacityRatioArguments": {"shape": [{"utilization": 0, "score": 0},
			{"utilization": 100, "score": 10}], "resources": [{"name": "cpu", "weight": 3}]}}}],
			"hardPodAffinitySymmetricWeight": 7`, "ImageLocality"},
	} {
		t.Run(row.name, func(t *testing.T) {
			understood := understand(t, w, fromPolicy(w, w.Cluster.ConfigOf(cluster.SchedulerUser), "", row.fields))
			if row.plugin != "" && !scores(understood.Profiles[0].Plugins, row.plugin) {
				t.Errorf("%s does not score: %+v", row.plugin, understood.Profiles[0].Plugins.Score)
			}
		})
	}
}

func scores(plugins *schedulerv1.Plugins, name string) bool {
	for _, plugin := range plugins.Score.Enabled {
		if plugin.Name == name {
			return true
		}
	}
	return false
}
