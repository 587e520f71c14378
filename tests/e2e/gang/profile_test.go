package gang

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// profiles are those of a scheduler; all but the first require a label of nodes that no pod names.
func profiles(hidden bool) string {
	const added = `
    pluginConfig:
      - name: NodeAffinity
        args:
          addedAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
                - matchExpressions: [{key: pool, operator: In, values: [batch]}]`
	text := "profiles:\n  - schedulerName: default-scheduler\n  - schedulerName: batch" + added + "\n  - schedulerName: hidden"
	if hidden {
		text += added
	}
	return text + "\n"
}

// What a profile adds keeps a gang of two from eight of ten nodes. One profile is as the agent has read it, the other is
// not: that stands for a filter that no plan knows.
func TestAGangGoesWhereItsProfileLetsIt(t *testing.T) {
	t.Parallel()
	const size = 2
	w := &gangWorld{world: newWorld(t)}
	for i := range 10 {
		node := kube.MakeNode(fmt.Sprintf("n%d", i)).Resource(corev1.ResourceCPU, "8")
		if i >= 8 { // no node of the plan can be exchanged for these
			node = kube.MakeNode(fmt.Sprintf("n%d", i)).Resource(corev1.ResourceCPU, "16").Label("pool", "batch")
		}
		w.Nodes(node)
	}
	w.gang = w.serveGang("--scheduler-config", w.schedulerFile([]byte("apiVersion: kubescheduler.config.k8s.io/v1\n"+
		"kind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n"+profiles(false))))
	w.StartScheduler(append(w.Config(map[string]string{"gang": w.gang.URL}), profiles(true)...))
	for _, profile := range []string{"batch", "hidden"} {
		began := time.Now()
		for _, pod := range gangOf(profile, size) {
			w.Pods(pod.Scheduler(profile))
		}
		w.Within(5*time.Second, "the gang of profile "+profile+" is whole", w.untilBoundOf(profile+"-", size, began))
	}
	for _, pod := range w.Tracker.Pods() {
		if !strings.HasPrefix(pod.Spec.NodeName, "n8") && !strings.HasPrefix(pod.Spec.NodeName, "n9") {
			t.Errorf("%s is on %s", pod.Name, pod.Spec.NodeName)
		}
	}
	w.CheckBoundOnce(2 * size)
}
