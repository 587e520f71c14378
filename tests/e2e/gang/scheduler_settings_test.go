package gang

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// A scheduler that samples offers a hundred nodes here (it never takes fewer), often without that of the plan: members are
// nominated for it, and tried there first.
func TestGangsAreWholeWhereTheSchedulerSamplesNodes(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const nodes, gangs, size = 200, 10, 40
	w := countedWorldOf(newWorld(t))
	w.slots("n", nodes, 4)
	w.gang = w.serveGang()
	w.StartScheduler(w.configOf(nil, "percentageOfNodesToScore: 20\n"))
	var lists [][]*kube.PodBuilder
	var names []string
	for g := range gangs {
		names = append(names, fmt.Sprintf("g%02d", g))
		lists = append(lists, gangOf(names[g], size))
	}
	began := time.Now()
	w.inParallel(8, interleaved(lists...))
	w.Within(6*time.Second, "all gangs are whole", w.untilBoundOf("g", gangs*size, began))
	w.CheckBoundOnce(gangs * size)
	w.checkCalls(mostCalls)
	if w.calls.widest >= nodes {
		t.Errorf("the scheduler has asked about %d of %d nodes at once: it does not sample", w.calls.widest, nodes)
	}
	w.Within(3*time.Second, "the gang that was bound in part for longest is whole", kube.LongestInPart(w.Tracker.Bindings(), names))
	written := w.gang.Metric(t, "outrigger_gang_nominations_total", `result="written"`)
	t.Logf("nominations written: %.0f", written)
	if written == 0 {
		t.Errorf("no member of %d was nominated", gangs*size)
	}
}

// schedulerFile is the path of a configuration for agents to read.
func (w *world) schedulerFile(config []byte) string {
	w.Helper()
	file := filepath.Join(w.TempDir(), "scheduler.yaml")
	w.Must(os.WriteFile(file, config, 0o600))
	return file
}

// oldSettings are those of a command line from before mode and --scheduler-config, without --gang. in front.
var oldSettings = []string{"only-groups=true", "gates=true", "unchecked=example.com/score", "bind-timeout=630", "claim-timeout=620",
	"nomination-grace=5", "partial-timeout=60", "nominate=all", "window=500", "ahead=2", "min-run-time=30",
	"without-extender=false"}

// oldConfig is what `scheduler-config --only-groups` wrote then.
func (w *world) oldConfig(url string) []byte {
	w.Helper()
	base := strings.Replace(string(w.SchedulerBase()), "podMaxBackoffSeconds: 2", "podMaxBackoffSeconds: 1", 1)
	return fmt.Appendf([]byte(base), `percentageOfNodesToScore: 100
extenders:
  - urlPrefix: %[1]s
    filterVerb: filter
    prioritizeVerb: prioritize
    weight: 1
    preemptVerb: preempt
    httpTimeout: 1s
    nodeCacheCapable: true
    managedResources: [{name: outrigger.dev/gang, ignoredByScheduler: true}]
  - urlPrefix: %[1]s
    bindVerb: bind
    httpTimeout: 10m30s
    nodeCacheCapable: true
    managedResources: [{name: outrigger.dev/gang-bind, ignoredByScheduler: true}]
`, url)
}

// nominate writes nominations as an agent does.
func (w *world) nominate(node string, pods ...*kube.PodBuilder) {
	w.Helper()
	for _, pod := range pods {
		_, err := w.Client.CoreV1().Pods("default").Patch(w.Ctx, pod.Pod().Name, types.MergePatchType,
			fmt.Appendf(nil, `{"status":{"nominatedNodeName":%q}}`, node), metav1.PatchOptions{}, "status")
		w.Must(err)
	}
}

// The new agent comes with the command line of the old one, and to the scheduler's file as it was: no pod is lost, every
// gang is whole in the end, and the log says of each setting what to do.
func TestAnOldSetupIsUpgradedInPlace(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 4
	w := &gangWorld{world: newWorld(t), mode: onlyMembersAsk}
	w.slots("n", 3, size)
	args := []string{"--gang.scheduler-names", "default-scheduler," + laterScheduler}
	for _, setting := range oldSettings {
		args = append(args, "--gang."+setting)
	}
	w.gang = w.serveGang(args...)
	w.StartScheduler(w.oldConfig(w.gang.URL))

	var runs []*kube.PodBuilder
	for i := range size {
		runs = append(runs, w.member("runs", i, size).Node("n000").Annotation(startedWith, fmt.Sprint(size)))
	}
	w.Pods(runs...)
	w.atBarrier("barrier", size)

	// The old agent ends in the middle of letting a gang go.
	w.gang.Kill()
	placed, waits := gatesAndMembers.gangOf("placed", size), gatesAndMembers.gangOf("waits", size)
	for i := range size / 2 {
		placed[i] = w.member("placed", i, size)
	}
	for _, pod := range waits { // else it could go where the barrier's gang is to, while that lacks its last member
		pod.NodeSelector("kubernetes.io/hostname", "n000")
	}
	w.Pods(append(placed, waits...)...)
	w.Until("waits-003", "made", func(*corev1.Pod) bool { return true })
	w.nominate("n001", placed...)
	before := slices.Concat(w.uids("runs-"), w.uids("placed-"), w.uids("waits-"))
	if bound := w.bound("barrier-"); bound != 0 {
		t.Errorf("%d members are bound though their gang waits", bound)
	}

	w.gang.Restart(t)
	began := time.Now()
	w.lastMemberComes("barrier", size)
	for _, gang := range []string{"barrier", "placed"} {
		t.Logf("%s is whole after %.2f s", gang, w.untilBoundOf(gang+"-", size, began).Seconds())
	}
	w.checkWhole(size, "runs", "barrier", "placed")
	w.checkHoldsNothing("waits-")
	if after := slices.Concat(w.uids("runs-"), w.uids("placed-"), w.uids("waits-")); !slices.Equal(before, after) {
		t.Errorf("the pods were %v and are %v", before, after)
	}
	w.deletePods("runs-")
	t.Logf("waits is whole after %.2f s", w.untilBoundOf("waits-", size, time.Now()).Seconds())
	w.checkWhole(size, "waits")
	w.CheckSettled()
	w.checkWarnsOfOldSettings()
}

func (w *gangWorld) checkWarnsOfOldSettings() {
	w.Helper()
	log, err := os.ReadFile(w.gang.LogPath())
	w.Must(err)
	for _, setting := range oldSettings {
		name, _, _ := strings.Cut("--gang."+setting, "=")
		if !slices.ContainsFunc(strings.Split(string(log), "\n"), func(line string) bool {
			return strings.Contains(line, " warn ") && strings.Contains(line, name) &&
				(strings.Contains(line, "leave it out") || strings.Contains(line, "is now --gang.mode=extender"))
		}) {
			w.Errorf("no line of the log says what to do with %s", name)
		}
	}
}
