package scheduling

import (
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// Deployed is a scheduler with agents as its sidecar, or agents alone, as a file of deploy/ describes it.
type Deployed struct {
	File      string
	Namespace string
	Name      string // of the Deployment and the scheduler's ConfigMap
	Account   string // of both
	Agents    string // as serve has them
	Settings  string // the agents' ConfigMap
	Scheduler string // by which pods choose it; "": it is none
	Kinds     string // what has to be applied before, in deploy/; "": nothing
}

// QueueScheduler is the one that keeps a queue.
var QueueScheduler = Deployed{File: "queue-scheduler.yaml", Namespace: "kube-system", Name: "riya-scheduler",
	Account: "riya-sa", Agents: "gang,qos", Settings: "riya-agents", Scheduler: "riya-scheduler"}

// Penalty is no scheduler, but the agent alone.
var Penalty = Deployed{File: "penalty.yaml", Namespace: "kube-system", Name: "outrigger-penalty",
	Account: "outrigger-penalty", Agents: "penalty", Settings: "outrigger-penalty"}

// PenaltyScheduler is a scheduler that asks that agent before it preempts.
var PenaltyScheduler = Deployed{File: "penalty-scheduler.yaml", Namespace: "kube-system", Name: "penalty-scheduler",
	Account: "penalty-scheduler", Agents: "penalty", Settings: "outrigger-penalty", Scheduler: "penalty-scheduler",
	Kinds: "penalty.yaml"}

// Reward is a scheduler with the agent that learns from failures.
var Reward = Deployed{File: "reward.yaml", Namespace: "kube-system", Name: "reward-scheduler",
	Account: "reward-scheduler", Agents: "reward", Settings: "reward-agent", Scheduler: "reward-scheduler"}

// Pigeon is a scheduler with the agent that packs pods by their sizes.
var Pigeon = Deployed{File: "pigeon.yaml", Namespace: "kube-system", Name: "pigeon-scheduler",
	Account: "pigeon-scheduler", Agents: "pigeon", Settings: "pigeon-agent", Scheduler: "pigeon-scheduler"}

// Devices is a scheduler with the agent that allocates devices.
var Devices = Deployed{File: "devices.yaml", Namespace: "kube-system", Name: "device-scheduler",
	Account: "device-scheduler", Agents: "devices", Settings: "device-agent", Scheduler: "device-scheduler", Kinds: "devices"}

// Path is where the file is, seen from a folder of tests/e2e.
func (d Deployed) Path() string { return filepath.Join("../../../deploy", d.File) }

// StartDeployed runs the real scheduler and the agents with the configurations of a manifest that was applied, and
// with the rights of its service account; only addresses and the kubeconfig differ.
func (w *World) StartDeployed(d Deployed) (*outrigger.Server, *process.Process) {
	w.Helper()
	settings := filepath.Join(w.TempDir(), "outrigger.yaml")
	w.Must(os.WriteFile(settings, []byte(w.configMapValue(d, d.Settings, "outrigger.yaml")), 0o644))
	credentials, err := w.Cluster.ServiceAccountConfig(w.Ctx, d.Namespace, d.Account)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig(d.Name, credentials)
	w.Must(err)
	args := []string{"--config", settings, "--kubeconfig", kubeconfig}
	if strings.HasPrefix(d.Agents, "gang") { // they read the scheduler's file
		file := filepath.Join(w.TempDir(), "scheduler.yaml")
		w.Must(os.WriteFile(file, []byte(w.configMapValue(d, d.Name, "scheduler.yaml")), 0o644))
		args = append(args, "--scheduler-config", file)
	}
	agent := outrigger.Serve(w, d.Name+"-agents", w.Cluster.LogDir(), d.Agents, args...)
	agent.UntilReady(w)

	var config map[string]any
	w.Must(yaml.Unmarshal([]byte(w.configMapValue(d, d.Name, "scheduler.yaml")), &config))
	connection, _ := config["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{}
		config["clientConnection"] = connection
	}
	connection["kubeconfig"] = kubeconfig
	edited, err := yaml.Marshal(config)
	w.Must(err)
	edited = Edit(w.T, edited, func(extenders []any) {
		for _, extender := range extenders {
			extender.(map[string]any)["urlPrefix"] = agent.URL + d.path()
		}
	})
	return agent, w.Cluster.MustStartScheduler(w, d.Name, edited)
}

// path is that of the agent, or that of all agents of the process.
func (d Deployed) path() string {
	if strings.Contains(d.Agents, ",") {
		return ""
	}
	return "/" + d.Agents
}

func (w *World) configMapValue(d Deployed, name, key string) string {
	w.Helper()
	object, err := w.Client.CoreV1().ConfigMaps(d.Namespace).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	if object.Data[key] == "" {
		w.Fatalf("ConfigMap %s has no %s", name, key)
	}
	return object.Data[key]
}
