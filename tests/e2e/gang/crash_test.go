package gang

import (
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// A gang that is bound in part when the agent dies is made whole by the next one.
func TestAGangThatIsBoundInPartIsMadeWholeAfterARestart(t *testing.T) {
	const size = 8
	w := newGangWorld(t, 0)
	w.slots("n", 2, 4)
	// As an agent leaves it that dies between two bindings.
	var pods []*kube.PodBuilder
	for i := range size {
		pod := member("train", i, size)
		if i < 3 {
			pod.Node("n000")
		}
		pods = append(pods, pod)
	}
	w.Pods(slot("other"))
	w.Until("other", "bound", scheduling.IsBound)
	w.inParallel(4, pods)
	// One slot is taken: the gang waits in part, before everybody else, and says so.
	w.waitingMessage("train-007", "gang default/train waits: cpu")
	w.deletePods("other")
	w.untilBoundOf("train-", size, time.Now())
	w.CheckSettled()
	w.Pods(slot("later"))
	w.waitingMessage("later", "0/2 nodes are available")
}
