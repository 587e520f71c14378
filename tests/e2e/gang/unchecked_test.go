package gang

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/fakeextender"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// withManagedResource is the user's configuration with an extender of others that manages a resource.
func (w *world) withManagedResource() []byte {
	w.Helper()
	url := (&fakeextender.Extender{}).Serve(w, "127.0.0.1:0")
	return append(w.SchedulerBase(), []byte(`extenders:
- urlPrefix: `+url+`/score
  prioritizeVerb: prioritize
  weight: 1
  httpTimeout: 1s
  nodeCacheCapable: true
  managedResources: [{name: example.com/score, ignoredByScheduler: true}]
profiles:
- schedulerName: default-scheduler
  pluginConfig: [{name: NodeResourcesFit, args: {ignoredResourceGroups: [example.net]}}]
`)...)
}

// What kube-scheduler does not compare no node has: a single pod runs, and so does a gang whose agent knows of it.
func TestAGangStartsThoughNoNodeHasWhatIsNotCompared(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.slots("n", 2, 2)
	gang := w.serveGang("--gang.unchecked", "example.com/score,example.net/*")
	config := outrigger.SchedulerConfig(w, w.withManagedResource(), "--agents", "gang", "--url", "gang="+gang.URL)
	w.StartScheduler(config)
	asking := func(pod *kube.PodBuilder) *kube.PodBuilder {
		return pod.Request("example.com/score", "1").Request("example.net/licence", "3")
	}
	w.Pods(asking(slot("single")))
	w.Until("single", "bound", scheduling.IsBound)
	w.Pods(asking(member("train", 0, 2)), asking(member("train", 1, 2)))
	w.UntilBound(3)

	// What is compared, the gang waits for.
	w.Pods(member("short", 0, 2).Request("example.com/other", "1"), member("short", 1, 2).Request(corev1.ResourceCPU, "1"))
	w.UntilEventWith("GangWaiting", "gang default/short waits")
	if bound := w.bound("short-"); bound != 0 {
		t.Errorf("%d members of a gang that lacks a resource are bound", bound)
	}
}
