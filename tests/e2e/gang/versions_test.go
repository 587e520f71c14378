package gang

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// newVersionsWorld is a world whose API server has these arguments, with the agent and a scheduler without gates.
func newVersionsWorld(t *testing.T, serverArgs []string, args ...string) (*gangWorld, dynamic.Interface) {
	t.Helper()
	w := &gangWorld{world: worldOf(t, cluster.ForTestWith(t, cluster.Options{ServerArgs: serverArgs}))}
	client, err := dynamic.NewForConfig(w.Cluster.Config)
	w.Must(err)
	w.slots("n", 3, 4)
	askedAboutAll.start(w, args...)
	return w, client
}

// serves is the arguments of an API server that has the field and serves the group in one version, or in none.
func serves(version string) []string {
	args := []string{"--feature-gates=GenericWorkload=true"}
	if version != "" {
		args = append(args, "--runtime-config=scheduling.k8s.io/"+version+"=true")
	}
	return args
}

// inVersion is upstream's dialect in a version, with names of its own.
func inVersion(version string) dialect {
	d := upstream
	d.name, d.resource.Version = version, version
	return d
}

// An API server without the gate drops the field, and 1.33 has neither gate nor field: what names a group is single.
func TestUpstreamsGroupsThatAreAbsentHoldNobodyUp(t *testing.T) {
	t.Parallel()
	w, client := newVersionsWorld(t, nil)
	w.untilLogged("podgroups.scheduling.k8s.io: not installed")
	began := time.Now()
	w.join(client, upstream, "train", upstream.member("train", 0), upstream.member("train", 1))
	w.untilBoundOf("upstream-", 2, began)
	w.Pods(gangOf("labels", 3)[:2]...)
	w.waitingMessage("labels-000", "gang default/labels waits: members")
	began = time.Now()
	w.Pods(gangOf("labels", 3)[2])
	w.untilBoundOf("labels-", 3, began)
	w.CheckBoundOnce(5)
}

// A server that is restarted serves the group in one version after the other. Each is planned, and its status has
// the condition of that version; where none is served the group waits and says so.
func TestVersionsOfUpstreamsGroupsComeAndGoWhileTheAgentRuns(t *testing.T) {
	t.Parallel()
	if !knowsUpstreamGroups(t) {
		t.Log("this Kubernetes has no groups of its own in any version")
		return
	}
	if upstreamVersion() == "v1alpha2" { // the only one, without which an API server with the gate does not start
		w, client := newVersionsWorld(t, nil, "--gang.write-status")
		w.untilLogged("podgroups.scheduling.k8s.io: not installed")
		w.Must(w.Cluster.RestartServer(w.Ctx, serves("v1alpha2")))
		w.checkIsPlanned(client, inVersion("v1alpha2"), "gang")
		return
	}
	w, client := newVersionsWorld(t, serves(""), "--gang.write-status")
	early := inVersion("v1alpha3")
	w.join(client, early, "early", early.member("early", 0))
	w.waitingMessage(early.name+"-early-000", "gang default/early waits: PodGroups are not served")
	for i, version := range []string{"v1beta1", "v1alpha3"} {
		w.Must(w.Cluster.RestartServer(w.Ctx, serves(version)))
		w.checkIsPlanned(client, inVersion(version), fmt.Sprintf("gang%d", i))
	}
	w.create(client, early, early.object("default", "early", 1))
	w.Until(early.name+"-early-000", "bound", scheduling.IsBound)
}

// checkIsPlanned creates a gang of two without its last pod, which it waits for, and then is whole.
func (w *gangWorld) checkIsPlanned(client dynamic.Interface, d dialect, name string) {
	w.Helper()
	w.create(client, d, d.object("default", name, 2))
	w.join(client, d, name, d.member(name, 0))
	// The pod's condition may be of before the version was found: nothing wakes a pod for words alone.
	w.UntilEventWith("GangWaiting", "gang default/"+name+" waits: 1 of 2 members exist")
	want := "PodGroupInitiallyScheduled"
	if d.resource.Version == "v1alpha2" {
		want = "PodGroupScheduled"
	}
	w.untilCondition(client, d, name, want, "False")
	began := time.Now()
	w.join(client, d, name, d.member(name, 1))
	w.untilBoundOf(d.name+"-"+name+"-", 2, began)
	w.untilCondition(client, d, name, want, "True")
}

// untilCondition waits until the status of a group has the condition.
func (w *world) untilCondition(client dynamic.Interface, d dialect, name, kind, status string) {
	w.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for {
		group, err := client.Resource(d.resource).Namespace("default").Get(w.Ctx, name, metav1.GetOptions{})
		w.Must(err)
		conditions, _, err := unstructured.NestedSlice(group.Object, "status", "conditions")
		w.Must(err)
		for _, condition := range conditions {
			fields := condition.(map[string]any)
			if fields["type"] == kind && fields["status"] == status {
				return
			}
		}
		if time.Now().After(deadline) {
			w.Fatalf("the conditions of %s are %v, want %s=%s", name, conditions, kind, status)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Upstream lets it change from 1.37 on, and refuses that before. What is bound stays bound.
func TestTheMinimumOfUpstreamsGroupsMayChange(t *testing.T) {
	t.Parallel()
	if !knowsUpstreamGroups(t) {
		t.Log("this Kubernetes has no groups of its own in any version")
		return
	}
	w, client := newVersionsWorld(t, serves(upstreamVersion()))
	setMinimum := func(minimum int) error {
		patch := fmt.Sprintf(`{"spec":{"schedulingPolicy":{"gang":{"minCount":%d}}}}`, minimum)
		_, err := client.Resource(upstream.resource).Namespace("default").Patch(w.Ctx, "train",
			types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		return err
	}
	w.create(client, upstream, upstream.object("default", "train", 4))
	w.join(client, upstream, "train", upstream.member("train", 0), upstream.member("train", 1))
	w.untilLacks("train", 2, 4)
	began := time.Now()
	if err := setMinimum(2); upstreamVersion() == "v1alpha2" {
		if err == nil {
			t.Error("v1alpha2 lets minCount change: docs/pod-groups.md says that it does not")
		}
		w.join(client, upstream, "train", upstream.member("train", 2), upstream.member("train", 3))
		w.untilBoundOf("upstream-train-", 4, began)
		return
	} else {
		w.Must(err)
	}
	w.untilBoundOf("upstream-train-", 2, began)
	w.Must(setMinimum(3))
	w.takesTurns("single")
	if bound := w.bound("upstream-train-"); bound != 2 {
		t.Errorf("%d members are bound, want the 2 that were before the minimum rose", bound)
	}
	w.join(client, upstream, "train", upstream.member("train", 2))
	w.untilBoundOf("upstream-train-", 3, began)
	w.CheckBoundOnce(4)
}

// checkExplained runs "explain gang", which must have a text.
func (w *world) checkExplained(gang, want string) {
	w.Helper()
	if err := w.explains(gang, want); err != nil {
		w.Error(err)
	}
}

// untilExplained is checkExplained for what others are still at work on.
func (w *world) untilExplained(gang, want string) {
	w.Helper()
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error { return w.explains(gang, want) }))
}

func (w *world) explains(gang, want string) error {
	w.Helper()
	kubeconfig, err := w.Cluster.WriteKubeconfig("person", w.Cluster.Config)
	w.Must(err)
	text := string(outrigger.Run(w, "explain", "gang", gang, "-n", "default", "--kubeconfig", kubeconfig))
	if !strings.Contains(text, want) {
		return fmt.Errorf("explain gang %s does not say that %s:\n%s", gang, want, text)
	}
	return nil
}
