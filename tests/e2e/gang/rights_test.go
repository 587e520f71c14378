package gang

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	extender "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// deed is what makes an agent use a right, and where it says that it may not.
type deed struct {
	args  []string
	tells func(w *world, agent *outrigger.Server) string
	// makes is what it acts on, of that name, if agents before it have left nothing to do.
	makes func(m mode, name string) []*kube.PodBuilder
}

// deeds are by the right that they need.
var deeds = map[scheduling.Right]deed{
	right("", "pods", "get"):             {args: alone(), tells: whenBinding("unknown")},
	right("", "pods", "patch"):           {alone(), inItsLog, gatedGang},
	right("", "pods/binding", "create"):  {args: alone(), tells: whenBinding("single")},
	right("", "pods/status", "patch"):    {alone(), inItsLog, contestedGang},
	right("", "pods/eviction", "create"): {args: alone("--gang.preempt"), tells: inItsLog},
	right("coordination.k8s.io", "leases", "get"): {
		args: []string{"--gang.scheduler-lease", "kube-system/kube-scheduler"}, tells: whenBinding("single")},
	right("events.k8s.io", "events", "create"):                   {args: alone(), tells: inItsLog},
	right("events.k8s.io", "events", "patch"):                    {args: alone(), tells: whenToldAgain},
	right("scheduling.x-k8s.io", "podgroups/status", "patch"):    writesStatus,
	right("scheduling.sigs.k8s.io", "podgroups/status", "patch"): writesStatus,
	right("scheduling.volcano.sh", "podgroups/status", "patch"):  writesStatus,
	right("scheduling.volcano.sh", "podgroups", "patch"):         writesStatus,
	right("scheduling.k8s.io", "podgroups/status", "patch"):      writesStatus,
}

// contestedGang is a gang that is nominated.
func contestedGang(m mode, name string) []*kube.PodBuilder {
	return append(m.smallGang(name), contender(name+"-contender"))
}

var writesStatus = deed{args: alone("--gang.write-status"), tells: inItsLog}

func right(group, resource, verb string) scheduling.Right {
	return scheduling.Right{Group: group, Resource: resource, Verb: verb}
}

// aids are kinds without which the agent plans all the same.
var aids = []string{"persistentvolumes", "persistentvolumeclaims", "storageclasses", "resourceclaims", "deviceclasses"}

// untold are rights whose lack the agent does not tell, and why.
var untold = map[scheduling.Right]string{
	right("scheduling.volcano.sh", "podgroups", "get"): "it is used to tell why a write was refused: " +
		"without it the refusal is told as it came",
}

// What the agent may not do it says where people look: on its page, in an answer to the scheduler, in its log.
func TestAGangAgentThatLacksARightSaysWhichIsMissing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	modes := []mode{askedAboutAll}
	if scheduling.AllAreWanted() {
		modes = append(modes, onlyMembersAsk, gatesAlone, gatesAndMembers)
	}
	inModes(t, modes, atOnce(saysWhichRightIsMissing))
}

func saysWhichRightIsMissing(t *testing.T, m mode) {
	t.Helper()
	w := worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: withEveryGroup(t)}))
	served := w.createGroups()
	devices := w.servesDevices()
	w.createWhatIsActedOn(m)
	all := scheduling.RightsOf(t, "gang")
	checkAskedFor(t, all)
	for i, missing := range all {
		if !scheduling.IsSampled(i) {
			continue
		}
		// Who may not follow what this API server does not have misses nothing.
		if untold[missing] != "" || isOf(missing, upstream.resource) && !served || missing.Group == resourceClaims.Group && !devices {
			continue
		}
		t.Run(fmt.Sprintf("without %s %s", missing, missing.Group), func(t *testing.T) {
			name := fmt.Sprintf("gang-without-%d", i)
			needs := deedOf(t, missing)
			if needs.makes != nil {
				w.Pods(needs.makes(m, name)...)
			}
			agent := outrigger.Serve(t, name, w.Cluster.LogDir(), "gang",
				append([]string{"--kubeconfig", w.KubeconfigWithout(name, all, missing)}, m.with(needs.args)...)...)
			scheduling.CheckTells(t, missing, func() string { return needs.tells(w, agent) })
		})
	}
}

// checkAskedFor fails the test if it knows of rights that the agent does not ask for any more.
func checkAskedFor(t *testing.T, all []scheduling.Right) {
	t.Helper()
	known := slices.AppendSeq(slices.Collect(maps.Keys(deeds)), maps.Keys(untold))
	for _, one := range known {
		if !slices.Contains(all, one) {
			t.Errorf("the agent does not ask for %s %s", one, one.Group)
		}
	}
}

// withEveryGroup makes an API server serve upstream's groups too, where it can, and not stream lists: a watch
// would show all that a list does.
func withEveryGroup(t *testing.T) []string {
	t.Helper()
	return append(upstreamServed(t), "--feature-gates=WatchList=false")
}

// deedOf is what needs the right: all rights to follow are needed at once.
func deedOf(t *testing.T, missing scheduling.Right) deed {
	t.Helper()
	if missing.Verb == "list" || missing.Verb == "watch" {
		if slices.Contains(aids, missing.Resource) {
			return deed{args: alone(), tells: inItsLog}
		}
		return deed{args: alone(), tells: onItsPage}
	}
	deed, known := deeds[missing]
	if !known {
		t.Fatalf("nothing here makes the agent %s", missing)
	}
	return deed
}

// smallGang is a gang for which there is always room.
func (m mode) smallGang(name string) []*kube.PodBuilder {
	return each(m.gangOf(name, 2), func(pod *kube.PodBuilder) { pod.Request(corev1.ResourceCPU, "0") })
}

// gatedGang is one with the gate, in every mode.
func gatedGang(m mode, name string) []*kube.PodBuilder {
	m.gated = true
	return m.smallGang(name)
}

// alone are the arguments of an agent beside which no scheduler runs.
func alone(more ...string) []string {
	return append([]string{"--gang.scheduler-lease", "none"}, more...)
}

func onItsPage(_ *world, agent *outrigger.Server) string { return scheduling.OnItsPage(agent) }

func inItsLog(w *world, agent *outrigger.Server) string {
	text, err := os.ReadFile(agent.LogPath())
	w.Must(err)
	return string(text)
}

// whenToldAgain is its log, while a gang waits for one reason and another in turn: the event that tells the first
// one again becomes a series.
func whenToldAgain(w *world, agent *outrigger.Server) string {
	log := inItsLog(w, agent)
	pods := w.Client.CoreV1().Pods("default")
	last := short(2).Pod()
	switch {
	case !strings.Contains(log, "gang default/short waits"):
	case w.Tracker.Pod("default", last.Name) == nil:
		if _, err := pods.Create(w.Ctx, last, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
			w.Must(err)
		}
	default:
		if err := pods.Delete(w.Ctx, last.Name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			w.Must(err)
		}
	}
	return log
}

// short is a member of a gang of three for which there is never room.
func short(index int) *kube.PodBuilder {
	return member("short", index, 3).Request(corev1.ResourceCPU, "100")
}

// whenBinding is the error of a call of the scheduler to bind a pod.
func whenBinding(name string) func(*world, *outrigger.Server) string {
	return func(w *world, agent *outrigger.Server) string {
		if err := w.bindCall(w.Ctx, agent, name, "wide"); err != nil {
			return err.Error()
		}
		return ""
	}
}

// bindCall asks an agent to bind a pod, as a scheduler does, and returns the error that it answers with.
func (w *world) bindCall(ctx context.Context, agent *outrigger.Server, name, node string) error {
	args := extender.ExtenderBindingArgs{PodNamespace: "default", PodName: name, PodUID: "unknown", Node: node}
	if pod := w.Tracker.Pod("default", name); pod != nil {
		args.PodUID = pod.UID
	}
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, agent.URL+"/gang/bind", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var result extender.ExtenderBindingResult
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		return err
	}
	if result.Error != "" {
		return errors.New(result.Error)
	}
	return nil
}

// createWhatIsActedOn makes gangs that have places for which they may be nominated, a single pod, a gang that
// lacks a member, and one that gets places if another one is evicted.
func (w *world) createWhatIsActedOn(m mode) {
	w.Helper()
	w.priorityClasses(map[string]int32{"low": 10, "high": 1000})
	w.Nodes(kube.MakeNode("full").Resource(corev1.ResourceCPU, "4"),
		kube.MakeNode("wide").Resource(corev1.ResourceCPU, "3"))
	for i := range 4 {
		w.Pods(member("cheap", i, 4).PriorityClass("low").Node("full"), m.member("dear", i, 4).PriorityClass("high"))
	}
	w.Pods(append(m.gangOf("fits", 2), slot("single"), short(0), short(1))...)
	w.haveRunLong()
}

// createGroups makes a group of each dialect with an object, and a member of each. It returns whether there
// could be one of upstream's.
func (w *world) createGroups() bool {
	w.Helper()
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	for _, d := range dialects {
		w.definePodGroups(client, d)
	}
	for _, d := range dialects {
		w.create(client, d, d.object("default", "train", 3))
		w.Pods(d.member("train", 0))
	}
	if !knowsUpstreamGroups(w.T) {
		return false
	}
	w.create(client, upstream, upstream.object("default", "train", 3))
	w.join(client, upstream, "train", upstream.member("train", 0))
	return true
}

func isOf(r scheduling.Right, kind schema.GroupVersionResource) bool {
	resource, _, _ := strings.Cut(r.Resource, "/")
	return r.Group == kind.Group && resource == kind.Resource
}

var resourceClaims = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}

// servesDevices tells whether the API server has ResourceClaims as they are from Kubernetes 1.34 on.
func (w *world) servesDevices() bool {
	w.Helper()
	groups, err := w.Client.Discovery().ServerGroups()
	w.Must(err)
	return slices.ContainsFunc(groups.Groups, func(group metav1.APIGroup) bool {
		return group.Name == resourceClaims.Group && slices.ContainsFunc(group.Versions,
			func(version metav1.GroupVersionForDiscovery) bool { return version.Version == resourceClaims.Version })
	})
}
