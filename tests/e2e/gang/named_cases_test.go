package gang

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// namedCase is a row of the table of scheduler-plugins' integration test TestCoschedulingPlugin: one node of
// 300 Mi, pods in the order of their creation, and who is bound in the end; nobody else is.
type namedCase struct {
	name      string
	minimums  map[string]int64 // of the groups
	resources bool             // groups say what their members ask for together
	pods      []*kube.PodBuilder
	bound     []string // groups and single pods
}

// share is so many members of a group, of so much memory each.
func share(group string, count int, memory, class string) []*kube.PodBuilder {
	pods := make([]*kube.PodBuilder, 0, count)
	for i := range count {
		pods = append(pods, kube.MakePod(fmt.Sprintf("%s-%d", group, i)).PriorityClass(class).
			Request(corev1.ResourceMemory, memory).Label(dialects[0].label, group))
	}
	return pods
}

// regular are single pods of 100 Mi.
func regular(class string, names ...string) []*kube.PodBuilder {
	pods := make([]*kube.PodBuilder, 0, len(names))
	for _, name := range names {
		pods = append(pods, kube.MakePod(name).PriorityClass(class).Request(corev1.ResourceMemory, "100Mi"))
	}
	return pods
}

func namedCases() []namedCase {
	small, large := share("pg1", 3, "50Mi", "mid"), share("pg2", 4, "100Mi", "mid")
	third := share("pg3", 4, "100Mi", "mid")
	low, high := share("pg1", 3, "100Mi", "mid"), share("pg2", 3, "50Mi", "high")
	two := map[string]int64{"pg1": 3, "pg2": 4}
	three := map[string]int64{"pg1": 3, "pg2": 4, "pg3": 4}
	equal := map[string]int64{"pg1": 3, "pg2": 3}
	return []namedCase{
		{"equal priority, sequentially pg1 meet min and pg2 not meet min", two, false,
			append(small[:3:3], large...), []string{"pg1"}},
		{"equal priority, not sequentially pg1 meet min and pg2 not meet min", two, false,
			interleaved(small, large), []string{"pg1"}},
		{"equal priority, not sequentially pg1 not meet min and 3 regular pods", map[string]int64{"pg1": 4}, false,
			interleaved(small, regular("mid", "p2", "p3")), []string{"p2", "p3"}},
		{"different priority, sequentially pg1 meet min and pg2 meet min", equal, false,
			append(low[:3:3], high...), []string{"pg2"}},
		{"different priority, not sequentially pg1 meet min and pg2 meet min", equal, false,
			interleaved(low, high), []string{"pg2"}},
		{"different priority, not sequentially pg1 meet min and 3 regular pods", map[string]int64{"pg1": 3}, false,
			interleaved(small, regular("high", "p2", "p3", "p4")), []string{"p2", "p3", "p4"}},
		{"equal priority, not sequentially pg1 meet min and p2 p3 not meet min", three, false,
			interleaved(small, large, third), []string{"pg1"}},
		{"equal priority, not sequentially pg1 meet min and p2 p3 not meet min, pgs have min resources", three, true,
			interleaved(small, large, third), []string{"pg1"}},
		{"equal priority, not sequentially pg1 meet min and pg2 not meet min, pgs have min resources", two, true,
			interleaved(small, large), []string{"pg1"}},
	}
}

func TestGangsOfTheTableOfCoscheduling(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := &gangWorld{world: newWorld(t)}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	w.definePodGroups(client, dialects[0])
	w.priorityClasses(map[string]int32{"mid": 100, "high": 1000})
	w.gang = w.serveGang()
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))
	for i, row := range namedCases() {
		t.Run(row.name, func(t *testing.T) { w.play(t, client, i, row) })
	}
}

// play lets all pods wait for the node, so that whom it is given is not a matter of who came first. Pods have names of
// their own in each row: kube-scheduler loses one that has the name of another that it is still at work on.
func (w *gangWorld) play(t *testing.T, client dynamic.Interface, number int, row namedCase) {
	node, prefix := fmt.Sprintf("node-%d", number), fmt.Sprintf("r%d-", number)
	pods := make([]*kube.PodBuilder, 0, len(row.pods))
	for _, builder := range row.pods {
		named := builder.Pod() // other rows have the same
		named.Name = prefix + named.Name
		pods = append(pods, kube.MakePod(named.Name).Change(func(pod *corev1.Pod) { *pod = *named }))
	}
	for group, minimum := range row.minimums {
		object := dialects[0].object("default", group, minimum)
		if row.resources {
			object.Object["spec"].(map[string]any)["minResources"] = map[string]any{"memory": fmt.Sprintf("%dMi", 100*minimum)}
		}
		w.create(client, dialects[0], object)
		defer func() {
			w.Must(client.Resource(dialects[0].resource).Namespace("default").Delete(w.Ctx, group, metav1.DeleteOptions{}))
		}()
	}
	w.Pods(pods...)
	// The agent follows each kind by itself: it could hear of the node before the last pod or its group.
	w.untilKnown("pods", len(pods))
	w.untilKnown("podgroups."+dialects[0].resource.Group, len(row.minimums))
	w.Nodes(kube.MakeNode(node).Resource(corev1.ResourceMemory, "300Mi"))
	isWanted := func(pod string) bool {
		for _, name := range row.bound {
			if pod == prefix+name || strings.HasPrefix(pod, prefix+name+"-") {
				return true
			}
		}
		return false
	}
	for _, builder := range pods {
		name := builder.Pod().Name
		w.Until(name, "settled", func(pod *corev1.Pod) bool {
			message := kube.Condition(pod, corev1.PodScheduled).Message
			return scheduling.IsBound(pod) || !isWanted(name) && strings.Contains(message, "0/1 nodes")
		})
	}
	for _, pod := range w.Tracker.Pods() {
		if scheduling.IsBound(pod) != isWanted(pod.Name) {
			t.Errorf("pod %s is bound: %t, want %t", pod.Name, scheduling.IsBound(pod), isWanted(pod.Name))
		}
	}
	w.clear(node)
}

// untilKnown waits until the agent knows so many objects of a kind, no more and no less.
func (w *gangWorld) untilKnown(resource string, count int) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
		known := w.gang.Metric(w, scheduling.NodesKnown, fmt.Sprintf("resource=%q", resource))
		if known != float64(count) {
			return fmt.Errorf("%v %s are known, want %d", known, resource, count)
		}
		return nil
	}))
}

// clear leaves neither pods nor the node, also for the agent.
func (w *gangWorld) clear(node string) {
	w.Helper()
	w.deletePods("")
	w.untilGone("")
	w.Must(w.Client.CoreV1().Nodes().Delete(context.WithoutCancel(w.Ctx), node, metav1.DeleteOptions{}))
	w.untilKnown("pods", 0)
	w.untilKnown("nodes", 0)
}
