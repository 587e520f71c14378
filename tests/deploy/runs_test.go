package deploy

import (
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

func TestRuns(t *testing.T) {
	w := newWorld(t)
	w.kubectl("apply", "-f", "../../deploy/queue-scheduler.yaml")
	w.Nodes(kube.MakeNode("a"))
	pod := w.start(w.deployment("kube-system", "riya-scheduler"))
	w.untilReady(pod)
	w.Pods(kube.MakePod("p").Scheduler("riya-scheduler"))
	w.Until("p", "bound", scheduling.IsBound)
	w.checkLogs(pod)
	w.stop(pod)
}
