package scheduling

import (
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// Deployed is a scheduler with agents as its sidecar, or agents alone, as a file of deploy/ describes it. All its objects
// are named by it, in kube-system.
type Deployed struct {
	File      string
	Name      string // of the Deployment and its account
	Agents    string // as serve has them
	Scheduler string // by which pods choose it; "": it is none
}

func extender(agents string) Deployed {
	return Deployed{File: "extender." + strings.ReplaceAll(agents, ",", ".") + ".yaml", Name: "outrigger", Agents: agents,
		Scheduler: "outrigger"}
}

// QueueScheduler is the one that keeps a queue.
var QueueScheduler = Deployed{File: "queue-scheduler.yaml", Name: "riya-scheduler", Agents: "gang,qos",
	Scheduler: "riya-scheduler"}

// Penalty is no scheduler, but the agent alone.
var Penalty = Deployed{File: "controller.penalty.yaml", Name: "outrigger-penalty", Agents: "penalty"}

// Schedulers with one agent.
var (
	Safe    = extender("safe")
	Reward  = extender("reward")
	Pigeon  = extender("pigeon")
	Devices = extender("devices")
)

// Path is where the file is, seen from a folder of tests/e2e.
func (d Deployed) Path() string { return filepath.Join("../../../deploy", d.File) }

// Account returns the credentials of the account that the file makes.
func (w *World) Account(d Deployed) *rest.Config {
	w.Helper()
	credentials, err := w.Cluster.ServiceAccountConfig(w.Ctx, metav1.NamespaceSystem, d.Name)
	w.Must(err)
	return credentials
}

// WriteSettings writes the agents' settings of the file, and returns their path.
func (w *World) WriteSettings(d Deployed) string {
	w.Helper()
	return w.writeFile(d.Name+"-agents", "outrigger.yaml")
}

// StartDeployed runs the real scheduler and the agents with the configurations of a manifest that was applied, and
// with the rights of its service account; only addresses and the kubeconfig differ.
func (w *World) StartDeployed(d Deployed) (*outrigger.Server, *process.Process) {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig(d.Name, w.Account(d))
	w.Must(err)
	args := []string{"--config", w.WriteSettings(d), "--kubeconfig", kubeconfig}
	file := w.writeFile(d.Name+"-scheduler", "scheduler.yaml")
	if strings.HasPrefix(d.Agents, "gang") { // they read the scheduler's file
		args = append(args, "--scheduler-config", file)
	}
	agent := outrigger.Serve(w, d.Name+"-agents", w.Cluster.LogDir(), d.Agents, args...)
	agent.UntilReady(w)

	var config map[string]any
	text, err := os.ReadFile(file)
	w.Must(err)
	w.Must(yaml.Unmarshal(text, &config))
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

// writeFile writes what a ConfigMap has under that key, and returns the path.
func (w *World) writeFile(name, key string) string {
	w.Helper()
	object, err := w.Client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	if object.Data[key] == "" {
		w.Fatalf("ConfigMap %s has no %s", name, key)
	}
	file := filepath.Join(w.TempDir(), key)
	w.Must(os.WriteFile(file, []byte(object.Data[key]), 0o644))
	return file
}
