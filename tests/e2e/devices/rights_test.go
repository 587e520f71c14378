package devices

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	extender "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// What the agent may not do it says where people look: on its page, in an answer to the scheduler, or in its log.
func TestAnAgentThatLacksARightSaysWhichIsMissing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	// Where lists are streamed a watch shows all that a list does.
	w := scheduling.Of(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: []string{"--feature-gates=WatchList=false"}}))
	s := &serving{World: w, kinds: installOn(w.World)}
	s.Nodes(kube.MakeNode("n1"))
	s.make([3]string{"DeviceDriver", "a", "deviceTypes: [foozer]"},
		[3]string{"DeviceClass", "foozer", "spec: {driver: a, deviceType: foozer}"},
		[3]string{"DevicePool", "n1", "spec: {nodeName: n1, driver: a, count: 4000}"})
	all := scheduling.GrantsOfAgent(t, "devices")
	rights := []scheduling.Right{}
	for _, each := range all {
		rights = append(rights, each.Right)
	}
	slices.SortFunc(rights, func(a, b scheduling.Right) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	_, err := w.Client.Discovery().ServerResourcesForGroupVersion("resource.k8s.io/v1")
	if err != nil { // before 1.34: these are not used
		rights = slices.DeleteFunc(rights, func(right scheduling.Right) bool { return right.Group == "resource.k8s.io" })
	}
	for i, missing := range slices.Compact(rights) {
		if !scheduling.IsSampled(i) {
			continue
		}
		t.Run(fmt.Sprintf("without %s %s", missing, missing.Group), func(t *testing.T) {
			name := fmt.Sprintf("without-%02d", i)
			part := s.in(t)
			part.removeLease()
			part.leavesWork(name)
			agent := outrigger.Serve(t, name, w.Cluster.LogDir(), "devices",
				"--kubeconfig", w.KubeconfigWithoutGrant(name, all, missing),
				"--devices.intent-deadline=5", "--devices.dra")
			began, turn := time.Now(), 0
			scheduling.CheckTells(t, missing, func() string {
				said := ""
				if time.Since(began) >= time.Duration(turn)*time.Second && part.hasSeen(name) {
					said = part.keepBusy(agent, name, turn)
					turn++
				}
				log, err := os.ReadFile(agent.LogPath())
				part.Must(err)
				return scheduling.OnItsPage(agent) + string(log) + said
			})
		})
	}
}

// in is the same for a part of a test.
func (s *serving) in(t *testing.T) *serving {
	w, k, part := *s.World, *s.kinds, *s
	w.T, k.T = t, t
	part.World, part.kinds = &w, &k
	return &part
}

const embedded = `[{"name": "d", "claim": {"deviceClass": "foozer"}}]`

// leavesWork makes what an agent that starts has to do: a pod that is bound past it, claims of pods that are gone, a claim
// that is invalid. One pod waits for devices that come later.
func (s *serving) leavesWork(name string) {
	s.Helper()
	s.Pods(pod(name+"-past", embedded).Node("n1"), pod(name+"-bound", embedded),
		pod(name+"-waits", fmt.Sprintf(`[{"name": "d", "claim": {"deviceClass": %q}}]`, name)))
	s.make([3]string{"DeviceClaim", name + "-gone", "spec: {deviceClass: foozer}"},
		[3]string{"DevicePrivilegedClaim", name + "-gone", "spec: {driver: a}"},
		[3]string{"DeviceClaim", name + "-broken", `spec: {deviceClass: foozer, constraints: "device."}`},
		[3]string{"DeviceClass", name, fmt.Sprintf("spec: {driver: %s, deviceType: foozer}", name)})
	gone := `status: {state: Allocated, nodeName: n1, podNames: [gone], pods: [{name: gone, uid: gone}],
		allocations: [{devicePoolName: n1, deviceCount: 1}]}`
	s.Must(s.kinds.setStatus("DeviceClaim", name+"-gone", gone))
	s.Must(s.kinds.setStatus("DevicePrivilegedClaim", name+"-gone", gone))
}

// hasSeen tells whether this test has seen the pods about which it asks.
func (s *serving) hasSeen(name string) bool {
	return s.Tracker.Pod("default", name+"-bound") != nil && s.Tracker.Pod("default", name+"-waits") != nil
}

// keepBusy makes an agent use its rights, and returns its answers. The claim is repaired and broken again: what is said
// twice is one Event that has become a series.
func (s *serving) keepBusy(agent *outrigger.Server, name string, turn int) string {
	s.Helper()
	bound := s.Tracker.Pod("default", name+"-bound")
	waits := s.Tracker.Pod("default", name+"-waits")
	switch turn {
	case 0, 1: // perhaps it is not ready yet
	case 2:
		s.make([3]string{"DevicePool", name, fmt.Sprintf("spec: {nodeName: n1, driver: %s, count: 1}", name)})
	default:
		patch := fmt.Sprintf(`{"spec": {"constraints": %q}}`, []string{"device.", "true"}[turn%2])
		_, err := s.kinds.client(kinds["DeviceClaim"]).Patch(s.Ctx, name+"-broken", types.MergePatchType, []byte(patch),
			metav1.PatchOptions{})
		s.Must(err)
	}
	nodes := []string{"n1"}
	return s.call(agent, "filter", extender.ExtenderArgs{Pod: waits, NodeNames: &nodes}) +
		s.call(agent, "bind", extender.ExtenderBindingArgs{PodName: bound.Name, PodNamespace: bound.Namespace,
			PodUID: bound.UID, Node: "n1"})
}

// call sends what a scheduler sends, and returns the answer, without the escapes of JSON.
func (s *serving) call(agent *outrigger.Server, verb string, args any) string {
	s.Helper()
	body, err := json.Marshal(args)
	s.Must(err)
	request, err := http.NewRequestWithContext(s.Ctx, http.MethodPost, agent.URL+"/devices/"+verb, bytes.NewReader(body))
	s.Must(err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	s.Must(err)
	return strings.ReplaceAll(string(text), `\"`, `"`)
}
