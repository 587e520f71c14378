package scheduling

import (
	"fmt"
	"strings"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// LeaseSeconds is for how long a replica holds its Lease.
const LeaseSeconds = 15

// ServeWithoutExtender starts a replica of agents that no scheduler calls, gang or qos or both (gang,qos), with exactly
// the rights of that mode, and waits until it is ready. Arguments are added to those of the mode; name is that of the
// replica.
func (w *World) ServeWithoutExtender(name, agents string, args ...string) *outrigger.Server {
	w.Helper()
	for agent := range strings.SplitSeq(agents, ",") {
		args = append(args, fmt.Sprintf("--%s.mode=alone", agent))
	}
	server := outrigger.ServeWithoutExtender(w, name, w.Cluster.LogDir(), agents,
		append(args, "--kubeconfig", w.KubeconfigWithoutExtender(agents))...)
	server.UntilReady(w)
	return server
}

// KubeconfigWithoutExtender returns the path of a kubeconfig with exactly the rights of agents that no scheduler calls;
// the same for all replicas.
func (w *World) KubeconfigWithoutExtender(agents string) string {
	w.Helper()
	if made := w.aloneConfigs[agents]; made != "" {
		return made
	}
	manifest := outrigger.Run(w, "agents", "--rbac", agents, "--mode", "alone")
	config, err := w.Cluster.ConfigWithManifest(w.Ctx, manifest)
	w.Must(err)
	kubeconfig, err := w.Cluster.WriteKubeconfig(strings.ReplaceAll(agents, ",", "-"), config)
	w.Must(err)
	if w.aloneConfigs == nil {
		w.aloneConfigs = map[string]string{}
	}
	w.aloneConfigs[agents] = kubeconfig
	return kubeconfig
}
