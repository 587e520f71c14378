package load

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// late keeps each event back for so long.
func late(by time.Duration) func() faults.Tamper {
	return func() faults.Tamper {
		return func(stream *faults.Stream, piece []byte) error {
			time.Sleep(by)
			return stream.Send(piece)
		}
	}
}

// A change of a node wakes the pod in the scheduler at once, which asks the agent before the agent has heard
// of the change: refused by what was, the pod would sleep for minutes.
func TestAPodIsCuredThoughItsAgentHearsOfTheCureAfterTheScheduler(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := scheduling.New(t)
	proxy := w.FaultyServer()
	proxy.Inject(faults.Rule{Match: faults.Watch("nodes"), Tamper: late(25 * time.Millisecond)})
	rights, err := w.Cluster.ConfigWithManifest(w.Ctx, outrigger.Run(w, "agents", "--rbac", "safe"))
	w.Must(err)
	node := kube.MakeNode("a")
	for key, value := range overloaded {
		node.Annotation(key, value)
	}
	w.Nodes(node)
	safe := outrigger.Serve(t, "safe", w.Cluster.LogDir(), "safe", "--safe.max-risk", "0.3",
		"--kubeconfig", w.KubeconfigThrough(proxy, "late", rights))
	safe.UntilReady(w)
	w.StartScheduler(w.Config(map[string]string{"safe": safe.URL}))
	// On a busy machine another event may come first and use up the wait: without it no pod at all is cured in time.
	cured, missed := 0, 0
	for i := 0; cured < 3 && missed < 3; i++ {
		name := fmt.Sprintf("p%d", i)
		w.Annotate("a", overloaded)
		time.Sleep(500 * time.Millisecond) // the agent hears of it, too
		w.Pods(kube.MakePod(name))
		w.Until(name, "refused", func(pod *corev1.Pod) bool {
			return riskReason.MatchString(kube.Condition(pod, corev1.PodScheduled).Message)
		})
		time.Sleep(time.Second) // the scheduler tries twice at once; then it is quiet
		began := time.Now()
		w.Annotate("a", idle)
		if !boundWithin(w, name, 10*time.Second) {
			missed++
			cure(w, "a", name)
			continue
		}
		cured++
		t.Logf("the cure after %.2f s", time.Since(began).Seconds())
	}
	if missed >= 3 {
		t.Errorf("%d pods sleep on though their node was cured", missed)
	}
}
