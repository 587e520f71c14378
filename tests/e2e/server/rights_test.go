package server

import (
	"fmt"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// Every test here runs agents under exactly the rights that they ask for; this one takes each away.
func TestAnAgentThatLacksARightIsNotReadyAndSaysWhichIsMissing(t *testing.T) {
	t.Parallel()
	// Where lists are streamed a watch shows all that a list does.
	c := cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{"--feature-gates=WatchList=false"}})
	w := scheduling.Of(t, c)
	w.Nodes(kube.MakeNode("a"))
	for _, agent := range []string{"safe", "congestion"} {
		all := scheduling.RightsOf(t, agent)
		for missing := range all {
			if all[missing].Resource == "events" {
				continue // it writes one only where nothing is measured; who may not is told in the log
			}
			t.Run(fmt.Sprintf("%s without %s", agent, all[missing]), func(t *testing.T) {
				name := fmt.Sprintf("%s-without-%d", agent, missing)
				kubeconfig := w.KubeconfigWithout(name, all, all[missing])
				server := outrigger.Serve(t, name, w.Cluster.LogDir(), agent, "--kubeconfig", kubeconfig)
				scheduling.CheckTells(t, all[missing], func() string { return scheduling.OnItsPage(server) })
			})
		}
	}
}
