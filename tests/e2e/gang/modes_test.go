package gang

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// mode is how members wait for their turn, and what kube-scheduler asks about.
type mode struct {
	name           string
	args, config   []string // of the agent, and of scheduler-config
	gated, asksAll bool     // members wait with the gate; they ask for calls
	alone          bool     // no scheduler calls the agent
}

// readsMembersOnly has the agent read that the scheduler asks about members alone.
const readsMembersOnly = "--scheduler-config=testdata/members-only.yaml"

var (
	askedAboutAll   = mode{name: "all are asked about"}
	onlyMembersAsk  = mode{name: "only-groups", args: []string{readsMembersOnly}, config: []string{"--members-only"}, asksAll: true}
	gatesAlone      = mode{name: "gates", gated: true}
	gatesAndMembers = mode{name: "gates and only-groups", args: []string{readsMembersOnly},
		config: []string{"--members-only"}, gated: true, asksAll: true}
)

// eachMode runs a test in the mode that has all of the others; in all where that is wanted. A test for which another one
// is worth more names it: inModes(t, allModesOr(one), test).
func eachMode(t *testing.T, test func(t *testing.T, m mode)) {
	t.Helper()
	inModes(t, allModesOr(gatesAndMembers), test)
}

// allModesOr are these modes, or all where that is wanted.
func allModesOr(modes ...mode) []mode {
	if scheduling.AllAreWanted() {
		return []mode{askedAboutAll, onlyMembersAsk, gatesAlone, gatesAndMembers}
	}
	return modes
}

func inModes(t *testing.T, modes []mode, test func(t *testing.T, m mode)) {
	t.Helper()
	for _, m := range slices.CompactFunc(modes, func(a, b mode) bool { return a.name == b.name }) {
		t.Run(m.name, func(t *testing.T) { test(t, m) })
	}
}

// atOnce is a test that runs beside others.
func atOnce(test func(t *testing.T, m mode)) func(t *testing.T, m mode) {
	return func(t *testing.T, m mode) {
		t.Helper()
		t.Parallel()
		test(t, m)
	}
}

// dress gives pods what their templates have in the mode.
func (m mode) dress(pods ...*kube.PodBuilder) []*kube.PodBuilder {
	for _, pod := range pods {
		if m.gated {
			pod.Gate(queueGate)
		}
		if m.asksAll {
			asksFor(pod, callResource, bindCallResource)
		}
	}
	return pods
}

// contender is a pod that could take a place as far as its requests tell, and that kube-scheduler places nowhere: next to
// it members are nominated for their places.
func contender(name string) *kube.PodBuilder {
	return slot(name).NodeSelector("example.com/none", "none")
}

// with are the agent's arguments in the mode, none twice.
func (m mode) with(args []string) []string {
	for _, arg := range m.args {
		if !slices.Contains(args, arg) {
			args = append(slices.Clip(args), arg)
		}
	}
	return args
}

func (m mode) gangOf(gang string, size int) []*kube.PodBuilder { return m.dress(gangOf(gang, size)...) }

func (m mode) member(gang string, index, minimum int) *kube.PodBuilder {
	return m.dress(member(gang, index, minimum))[0]
}

// gangOf and member are those of the world's mode.
func (w *gangWorld) gangOf(gang string, size int) []*kube.PodBuilder {
	return w.mode.gangOf(gang, size)
}

func (w *gangWorld) member(gang string, index, minimum int) *kube.PodBuilder {
	return w.mode.member(gang, index, minimum)
}

// start starts the agent and the scheduler in the mode.
func (m mode) start(w *gangWorld, args ...string) {
	w.Helper()
	w.mode = m
	w.gang = m.serve(w, args...)
	w.StartScheduler(m.schedulerConfig(w))
}

// serve starts the agent in the mode.
func (m mode) serve(w *gangWorld, args ...string) *outrigger.Server {
	w.Helper()
	if m.alone {
		return w.serveAlone("gang", append(args, m.args...)...)
	}
	return w.serveGang(append(args, m.args...)...)
}

func (m mode) schedulerConfig(w *gangWorld) []byte {
	w.Helper()
	if m.alone {
		return w.stockConfig()
	}
	return w.Config(map[string]string{"gang": w.gang.URL}, m.config...)
}

// waits waits until a member is told why its gang waits. Without calls nothing is written to pods that wait.
func (m mode) waits(w *gangWorld, pod, want string) {
	w.Helper()
	if !m.alone {
		w.waitingMessage(pod, want)
	}
}

// stockConfig is that of a scheduler whose configuration nobody can change, with the back-off that it has by default.
func (w *world) stockConfig() []byte {
	w.Helper()
	return []byte(strings.Replace(string(w.SchedulerBase()), "podMaxBackoffSeconds: 2", "podMaxBackoffSeconds: 10", 1))
}

// newGangWorld starts nodes of four slots each, the agent and the scheduler, in the usual mode.
func newGangWorld(t *testing.T, nodes int, args ...string) *gangWorld {
	t.Helper()
	return askedAboutAll.newGangWorld(t, nodes, args...)
}

func (m mode) newGangWorld(t *testing.T, nodes int, args ...string) *gangWorld {
	t.Helper()
	w := &gangWorld{world: newWorld(t)}
	w.slots("n", nodes, 4)
	m.start(w, args...)
	return w
}

// servesPolicies tells whether the API server has mutating policies in v1, that is without any switch.
func (w *world) servesPolicies() bool {
	w.Helper()
	served, err := w.Client.Discovery().ServerResourcesForGroupVersion("admissionregistration.k8s.io/v1")
	w.Must(err)
	return slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool {
		return r.Name == "mutatingadmissionpolicies"
	})
}

// install applies a file until the test ends; the cluster may be another test's then. The API server follows its
// policies: works says whether it has this one, by a pod of that name, and is to fail again in the end.
func (w *world) install(file string, works func(probe string) error) {
	w.Helper()
	_, err := w.Cluster.Kubectl(w.Ctx, "apply", "-f", file)
	w.Must(err)
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error { return works("probe") }))
	w.Cleanup(func() {
		if _, err := w.Cluster.Kubectl(w.Ctx, "delete", "--ignore-not-found", "-f", file); err != nil {
			w.Errorf("%s: %v", file, err)
			return
		}
		w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
			if works("probe-after") == nil {
				return fmt.Errorf("%s works though it is deleted", file)
			}
			return nil
		}))
	})
}

// isGating is an error until the API server gives a member the gate.
func (w *world) isGating(probe string) error {
	w.Helper()
	if found := gates(w.dryRun(member(probe, 0, 2))); !slices.Equal(found, []string{queueGate}) {
		return fmt.Errorf("the gates are %v", found)
	}
	return nil
}

// isAskingForCalls is an error until the API server gives a member both resources.
func (w *world) isAskingForCalls(probe string) error {
	w.Helper()
	if made := w.dryRun(member(probe, 0, 2)); !asksForBoth(made) {
		return fmt.Errorf("resources %v", made.Spec.Containers[0].Resources)
	}
	return nil
}

// dryRun is what the API server makes of a pod.
func (w *world) dryRun(builder *kube.PodBuilder) *corev1.Pod {
	w.Helper()
	pod := builder.Pod()
	made, err := w.Client.CoreV1().Pods(pod.Namespace).Create(w.Ctx, pod.DeepCopy(),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	w.Must(err)
	return made
}

// asksForBoth is true of a pod whose first container asks for none of each, in requests and limits.
func asksForBoth(pod *corev1.Pod) bool {
	resources := pod.Spec.Containers[0].Resources
	for _, name := range []corev1.ResourceName{callResource, bindCallResource} {
		for _, list := range []corev1.ResourceList{resources.Requests, resources.Limits} {
			if amount, ok := list[name]; !ok || !amount.IsZero() {
				return false
			}
		}
	}
	return true
}
