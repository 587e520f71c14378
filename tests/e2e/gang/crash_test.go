package gang

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/standin"
)

// W8: the agent is killed at any moment of a gang's life, and comes again. Once things settle every
// gang is whole, and nobody was bound twice.
func TestGangsBecomeWholeWheneverTheAgentIsKilled(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	eachMode(t, atOnce(wholeWheneverTheAgentIsKilled))
}

func wholeWheneverTheAgentIsKilled(t *testing.T, m mode) {
	t.Helper()
	const rounds, size = 4, 12
	w := m.newGangWorld(t, 2*size/4)
	random := rand.New(rand.NewSource(1))
	for round := range rounds {
		a, b := fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)
		began := time.Now()
		go func() {
			w.inParallel(4, interleaved(w.gangOf(a, size), w.gangOf(b, size)))
		}()
		for kills := 0; kills < 3; kills++ {
			time.Sleep(time.Duration(random.Intn(250)) * time.Millisecond)
			w.gang.Kill()
			time.Sleep(time.Duration(random.Intn(50)) * time.Millisecond)
			w.gang.Restart(t)
		}
		w.untilBoundOf(a+"-", size, began)
		took := w.untilBoundOf(b+"-", size, began)
		t.Logf("round %d: both whole %.2f s after they began to be made", round, took.Seconds())
		w.CheckSettled()
		w.deletePods(a + "-")
		w.deletePods(b + "-")
		w.untilGone(a+"-", b+"-")
	}
}

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

// A bound member that fails leaves a gang that cannot go on: where its policy is restart the rest is evicted,
// so that its controller makes all of it anew.
func TestTheRestOfAGangThatRestartsIsEvictedWhenAMemberFails(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 4
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", 1, size)
	w.gang = w.serveGang(partialSoon...)
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))
	_, err := standin.StartKubelet(w.Ctx, w.Client)
	w.Must(err)
	var pods []*kube.PodBuilder
	for i := range size {
		pods = append(pods, member("train", i, size).Annotation("outrigger.dev/on-member-loss", "restart"))
	}
	w.inParallel(size, pods)
	w.untilBoundOf("train-", size, time.Now())
	w.Until("train-000", "running", func(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
	began := time.Now()
	_, err = w.Client.CoreV1().Pods("default").Patch(w.Ctx, "train-000", types.MergePatchType,
		[]byte(`{"status":{"phase":"Failed"}}`), metav1.PatchOptions{}, "status")
	w.Must(err)
	w.untilGone("train-001", "train-002", "train-003")
	w.Within(8*time.Second, "the rest is gone", time.Since(began))
	w.UntilEventWith("GangPartial", "gang default/train is bound in part: 3 of 4 members run; the rest is evicted")
	if w.Tracker.Pod("default", "train-000") == nil {
		t.Error("the member that failed is gone, too: nobody is to see why")
	}
}
