package annotate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// usageFile is a file of what nodes use, for --source file. Once it has a text it is written again and again, since the
// time at which it was written is that of the measurement.
type usageFile struct {
	path string
	lock sync.Mutex
	text []byte
}

func newUsageFile(w *world) *usageFile {
	file := &usageFile{path: filepath.Join(w.TempDir(), "usage.json")}
	stop, stopped := make(chan struct{}), make(chan struct{})
	w.Cleanup(func() { close(stop); <-stopped })
	go func() {
		defer close(stopped)
		for again := time.NewTicker(200 * time.Millisecond); ; {
			select {
			case <-stop:
				again.Stop()
				return
			case <-again.C:
				if err := file.write(); err != nil {
					w.Error(err)
				}
			}
		}
	}()
	return file
}

func (f *usageFile) set(w *world, text []byte) {
	w.Helper()
	f.lock.Lock()
	f.text = text
	f.lock.Unlock()
	w.Must(f.write())
}

func (f *usageFile) write() error {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.text == nil {
		return nil
	}
	return errors.Join(os.WriteFile(f.path+".new", f.text, 0o644), os.Rename(f.path+".new", f.path))
}

// use replaces the file: millicores and MiB by node.
func (f *usageFile) use(w *world, used map[string][2]int) {
	w.Helper()
	nodes := map[string]map[string]string{}
	for node, amounts := range used {
		nodes[node] = map[string]string{"cpu": fmt.Sprintf("%dm", amounts[0]), "memory": fmt.Sprintf("%dMi", amounts[1])}
	}
	text, err := json.Marshal(map[string]any{"nodes": nodes})
	w.Must(err)
	f.set(w, text)
}

var measured = regexp.MustCompile(`^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/[2-4]s$`) // as much of the window as is known

// A window of four seconds of samples: mean and deviation are there once half of it is known, a node that the file
// loses keeps its values until --forget, and a file that cannot be read changes nothing.
func TestUsageOfAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a"), makeNode("b"))
	file := newUsageFile(w)
	file.use(w, map[string][2]int{"a": {1000, 4096}, "b": {7000, 8192}})
	began := time.Now()
	annotator := w.annotate("usage", "usage", "--source", "file", "--file", file.path, "--window", "4",
		"--interval", "1", "--step", "1", "--forget", "2", "--forecast", "false")
	written := w.node("a").Annotations["mean-free-cpu"]
	if soon := time.Since(began); written != "" && soon < 2*time.Second {
		t.Errorf("mean-free-cpu=%q after %v: before half a window was known", written, soon)
	}
	want := map[string]string{"mean-free-cpu": "7000", "std-free-cpu": "0", "mean-free-memory": fmt.Sprint(12 << 30),
		"std-free-memory": "0"}
	w.untilNode("a", want)
	w.untilNode("b", map[string]string{"mean-free-cpu": "1000", "mean-free-memory": fmt.Sprint(8 << 30)})
	if text := w.node("a").Annotations["outrigger.dev/usage-measured"]; !measured.MatchString(text) {
		t.Errorf("outrigger.dev/usage-measured is %q", text)
	}

	file.set(w, []byte(`{"nodes": [`))
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, untilNotReady(annotator, "values")))
	time.Sleep(3 * time.Second) // longer than --forget
	w.untilNode("a", want)

	file.use(w, map[string][2]int{"b": {3000, 8192}})
	w.untilNode("a", map[string]string{"mean-free-cpu": "", "std-free-cpu": "", "mean-free-memory": "",
		"std-free-memory": "", "outrigger.dev/usage-measured": ""})
	w.untilNode("b", map[string]string{"mean-free-cpu": "5000", "std-free-cpu": "0"})
	annotator.UntilReady(w)
	annotator.UntilMetricAbove(w, 0, "outrigger_annotate_missing_total", `node="a"`, `cause="no-series"`)
	annotator.UntilMetricAbove(w, 4, "outrigger_annotate_removed_total") // counted once answered
	if removed := annotator.Metric(w, "outrigger_annotate_removed_total"); removed != 5 {
		t.Errorf("%v annotations were removed, want 5", removed)
	}
}

// What cannot be measured is named in the table, and the exit is good: nothing is wrong with the program.
func TestADryRunSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a"), makeNode("b"))
	file := newUsageFile(w)
	file.use(w, map[string][2]int{"a": {1000, 4096}})
	before := w.node("a").ResourceVersion
	args := []string{"annotate", "usage", "--source", "file", "--file", file.path, "--window", "4", "--interval", "1",
		"--step", "1", "--kubeconfig", w.kubeconfig("usage")} // it takes samples for two seconds
	table := string(outrigger.Run(w, append(args, "--dry-run")...))
	for _, part := range []string{"NODE", "SERIES", "MEAN-FREE-CPU", "7000", "no-series"} {
		if !strings.Contains(table, part) {
			t.Errorf("the table lacks %q:\n%s", part, table)
		}
	}
	if after := w.node("a").ResourceVersion; after != before {
		t.Errorf("a dry run wrote to the node")
	}
	t.Log("\n" + table)

	// For people: what each node uses, or the reason why that is not known.
	table = string(outrigger.Run(w, append(args, "--once", "-o", "table")...))
	for _, part := range []string{"NO VALUE", "12.5%", "25.0%", "name=a (node name)", "cpu and memory: no-series: "} {
		if !strings.Contains(table, part) {
			t.Errorf("the table lacks %q:\n%s", part, table)
		}
	}
	w.untilNode("a", map[string]string{"mean-free-cpu": "7000"}) // --once has written it
}

// One process writes; when it dies the other one takes over. Each has the rights of the manifest's account.
func TestOneReplicaWrites(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a"))
	first := w.annotate("first", "allocation")
	first.UntilMetricAbove(w, 0, "outrigger_annotate_leader")
	second := w.annotate("second", "allocation")
	second.UntilReady(w)
	w.untilNode("a", allocation(0, 0, 0))
	w.Pods(kube.MakePod("p").Node("a").Request(corev1.ResourceCPU, "1").Request(corev1.ResourceMemory, "1Gi"))
	w.untilNode("a", allocation(1000, 1<<30, 1))
	if written := second.Metric(w, "outrigger_annotate_patches_total"); written != 0 {
		t.Errorf("the process without the Lease wrote %v patches", written)
	}
	first.Kill()
	w.Must(w.Client.CoreV1().Pods("default").Delete(w.Ctx, "p", metav1.DeleteOptions{}))
	killed := time.Now()
	w.untilNode("a", allocation(0, 0, 0))
	t.Logf("the other one wrote %.1f s after the first was killed", time.Since(killed).Seconds())

	t.Run("AStoppedOneGivesTheLeaseBack", func(t *testing.T) {
		w.Must(second.Stop(scheduling.Patience))
		const name = "outrigger-annotate-allocation"
		lease, err := w.Client.CoordinationV1().Leases("kube-system").Get(w.Ctx, name, metav1.GetOptions{})
		w.Must(err)
		if holder := lease.Spec.HolderIdentity; holder != nil && *holder != "" {
			t.Errorf("the Lease was not given back: %s holds it", *holder)
		}
		w.annotate("third", "allocation").UntilMetricAbove(w, 0, "outrigger_annotate_leader")
	})
}

// Without the right to patch it says which is missing, in its log and on its page, and tries again.
func TestAMissingRightIsNamed(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.Nodes(makeNode("a"))
	missing := scheduling.Right{Group: "", Resource: "nodes", Verb: "patch"}
	kubeconfig := w.KubeconfigWithout("no-patch", []scheduling.Right{
		{Group: "", Resource: "nodes", Verb: "list"}, {Group: "", Resource: "nodes", Verb: "watch"}, missing,
		{Group: "", Resource: "pods", Verb: "list"}, {Group: "", Resource: "pods", Verb: "watch"},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "create"},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "get"},
		{Group: "coordination.k8s.io", Resource: "leases", Verb: "update"},
	}, missing)
	annotator := outrigger.Annotate(w, "no-patch", w.Cluster.LogDir(), "allocation", "--kubeconfig", kubeconfig)
	scheduling.CheckTells(t, missing, func() string {
		log, err := os.ReadFile(annotator.LogPath())
		w.Must(err)
		return string(log)
	})
	scheduling.CheckTells(t, missing, func() string { return scheduling.OnItsPage(annotator) })
}
