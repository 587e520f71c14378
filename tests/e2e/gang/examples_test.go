package gang

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// example is a gang as a document shows it.
type example struct {
	name   string // where it stands
	groups []*unstructured.Unstructured
	pods   []*unstructured.Unstructured
}

func (e example) isUpstream() bool {
	return len(e.groups) > 0 && e.groups[0].GroupVersionKind().Group == upstream.resource.Group
}

var (
	headings = regexp.MustCompile(`(?m)^## `)
	blocks   = regexp.MustCompile("(?s)```yaml\n(.*?)```")
)

// examplesOf are the gangs in a document: all of a section together.
func examplesOf(t *testing.T, file string) (all []example) {
	t.Helper()
	text, err := os.ReadFile("../../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range headings.Split(string(text), -1) {
		title, _, _ := strings.Cut(section, "\n")
		one := example{name: file + " " + title}
		for _, block := range blocks.FindAllStringSubmatch(section, -1) {
			for _, document := range strings.Split(block[1], "---\n") {
				one.add(t, document)
			}
		}
		if len(one.pods) > 0 {
			all = append(all, one)
		}
	}
	return all
}

func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	object := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return object
}

// add adds what a document of YAML describes: of a Job its pods, since nobody runs Jobs here.
func (e *example) add(t *testing.T, text string) {
	t.Helper()
	object := unstructured.Unstructured{Object: parsed(t, text)}
	switch object.GetKind() {
	case "PodGroup":
		// Documents show the newest version.
		if object.GroupVersionKind().Group == upstream.resource.Group {
			object.SetAPIVersion(upstream.resource.GroupVersion().String())
		}
		e.groups = append(e.groups, &object)
	case "Pod":
		e.addPod(object.GetName(), object.Object["metadata"].(map[string]any), object.Object["spec"].(map[string]any))
	case "Job":
		job := object.Object["spec"].(map[string]any)
		template := job["template"].(map[string]any)
		metadata, _ := template["metadata"].(map[string]any)
		for i := range int(job["parallelism"].(float64)) {
			e.addPod(fmt.Sprintf("%s-%d", object.GetName(), i), metadata, template["spec"].(map[string]any))
		}
	}
}

func (e *example) addPod(name string, metadata, spec map[string]any) {
	pod := unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec}}
	pod = *pod.DeepCopy()
	pod.SetName(name)
	// The README shows the scheduler of deploy/extender.gang.yaml.
	unstructured.RemoveNestedField(pod.Object, "spec", "schedulerName")
	for _, key := range []string{"labels", "annotations"} {
		if values, is := metadata[key]; is {
			pod.Object["metadata"].(map[string]any)[key] = values
		}
	}
	e.pods = append(e.pods, &pod)
}

// Every example of the documents is a gang of just its pods: without the last of them nobody is bound.
func TestTheExamplesOfTheDocumentsAreGangs(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	withUpstream := knowsUpstreamGroups(t)
	w := &gangWorld{world: worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: upstreamServed(t)}))}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	for _, d := range dialects {
		w.definePodGroups(client, d)
	}
	w.slots("n", 12, 4)
	w.gang = w.serveGang()
	w.StartScheduler(w.Config(map[string]string{"gang": w.gang.URL}))

	examples := append(examplesOf(t, "docs/pod-groups.md"), examplesOf(t, "agents/gang/README.md")...)
	if len(examples) != 6 {
		t.Fatalf("%d examples were found, want each dialect, and labels in both documents", len(examples))
	}
	for i, one := range examples {
		if one.isUpstream() && !withUpstream {
			continue
		}
		w.checkIsAGang(client, fmt.Sprintf("example-%d", i), one)
	}
}

// checkIsAGang creates an example in a namespace of its own, its last pod later.
func (w *gangWorld) checkIsAGang(client dynamic.Interface, namespace string, one example) {
	w.Helper()
	_, err := w.Client.CoreV1().Namespaces().Create(w.Ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	w.Must(err)
	for _, group := range one.groups {
		group.SetNamespace(namespace)
		w.create(client, dialect{name: one.name, resource: group.GroupVersionKind().GroupVersion().WithResource("podgroups")}, group)
	}
	pods := client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(namespace)
	create := func(pod *unstructured.Unstructured) {
		_, err := pods.Create(w.Ctx, pod, metav1.CreateOptions{})
		w.Must(err)
	}
	last := len(one.pods) - 1
	for _, pod := range one.pods[:last] {
		create(pod)
	}
	// What it lacks is "members", or still its PodGroup where that was seen after the pods. Pods with the gate are not told.
	w.untilAll(namespace, one.pods[:last], one.name+": waits", func(pod *corev1.Pod) bool {
		scheduled := kube.Condition(pod, corev1.PodScheduled)
		return scheduled.Reason == corev1.PodReasonSchedulingGated ||
			strings.Contains(scheduled.Message, "gang "+namespace+"/train waits: ")
	})
	create(one.pods[last])
	w.untilAll(namespace, one.pods, one.name+": bound", func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })
}

// untilAll waits until a condition holds for all of these pods.
func (w *world) untilAll(namespace string, pods []*unstructured.Unstructured, what string, condition func(*corev1.Pod) bool) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	err := w.Tracker.Until(ctx, func() bool {
		for _, each := range pods {
			pod := w.Tracker.Pod(namespace, each.GetName())
			if pod == nil || !condition(pod) {
				return false
			}
		}
		return true
	})
	if err != nil {
		w.Fatalf("%s: %v\n%s", what, err, kube.Summary(w.Tracker.Pods()))
	}
}

// The first commands of a section: lines that are indented by four blanks.
var commandBlock = regexp.MustCompile(`\n\n((?:    [^\n]+\n)+)`)

// commandsOf are those of a section of the README, without comments.
func commandsOf(t *testing.T, heading string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile("../../../agents/gang/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n"+heading+"\n")
	block := commandBlock.FindStringSubmatch(section)
	if !found || block == nil {
		t.Fatalf("there are no commands below %q", heading)
	}
	for line := range strings.Lines(block[1]) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		commands = append(commands, strings.TrimSpace(command))
	}
	return commands
}

// commandWith is the only one that begins so.
func commandWith(t *testing.T, commands []string, begin string) []string {
	t.Helper()
	var found []string
	for _, command := range commands {
		if rest, ok := strings.CutPrefix(command, begin); ok {
			found = append(found, rest)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d commands begin with %q: %q", len(found), begin, commands)
	}
	return strings.Fields(found[0])
}

// checkCommands runs what the README says, as it is written, and asks the doctor whether scheduler and agent agree.
func checkCommands(t *testing.T, commands []string) {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) string {
		command := exec.CommandContext(t.Context(), outrigger.Binary(t), args...)
		command.Dir = dir
		out, err := command.Output()
		if err != nil {
			t.Fatalf("outrigger %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	base := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("scheduler.yaml", base)
	config := commandWith(t, commands, "outrigger scheduler-config ")
	to := slices.Index(config, ">")
	if to < 0 || to != len(config)-2 {
		t.Fatalf("scheduler-config writes to no file: %q", config)
	}
	written := config[len(config)-1]
	write(written, run(append([]string{"scheduler-config"}, config[:to]...)...))
	settings := commandWith(t, commands, "outrigger serve ")
	file := slices.Index(settings, "--kubeconfig")
	settings = slices.Delete(settings, file, file+2)
	run(append([]string{"doctor", "--strict", written}, settings...)...)
}

func TestTheCommandsOfTheReadme(t *testing.T) {
	t.Parallel()
	commands := commandsOf(t, "## Use")
	if len(commands) != 4 {
		t.Errorf("%d commands, want 4: %q", len(commands), commands)
	}
	for _, command := range commands {
		if manifest, ok := strings.CutPrefix(command, "kubectl apply -f "); ok && manifest != "-" {
			if _, err := os.Stat("../../../" + manifest); err != nil {
				t.Error(err)
			}
		}
	}
	rights := commandWith(t, commands, "outrigger agents ")
	if !slices.Equal(rights, strings.Fields("gang --rbac | kubectl apply -f -")) {
		t.Errorf("rights come from %q", rights)
	}
	checkCommands(t, commands)
	checkCommands(t, commandsOf(t, "### Calls for all pods"))
}
