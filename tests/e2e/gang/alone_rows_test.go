package gang

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

// The rows of the other modes beside a scheduler that knows of no extender: W1 and W4, the others are long.
func TestWithoutAnExtenderOfGangsThatDoNotFitTogetherOneIsWhole(t *testing.T) {
	t.Parallel()
	twoThatDoNotFitTogether(t, withoutExtender)
}

func TestWithoutAnExtenderAGangThatIsOneSlotShortHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	oneSlotShort(t, withoutExtender)
}

func TestWithoutAnExtenderGangsFillACluster(t *testing.T) {
	scheduling.Long(t)
	t.Run("Arriving", func(t *testing.T) { gangsFillACluster(t, withoutExtender, false) })
	if scheduling.AllAreWanted() {
		t.Run("Backlog", func(t *testing.T) { gangsFillACluster(t, withoutExtender, true) })
	}
}

func TestWithoutAnExtenderGangsThatWaitTakeWhatIsFreed(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	gangsThatWait(t, withoutExtender)
}

func TestWithoutAnExtenderAGangGetsOneRack(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	oneRack(t, withoutExtender)
}

func TestWithoutAnExtenderAGangStartsWithTheNodeThatCompletesIt(t *testing.T) {
	scheduling.Long(t)
	nodeAfterNode(t, withoutExtender)
}

// All members are nominated before the first is released, and a gang without a place is not released at all.
func TestWithoutAnExtenderAGangIsReleasedOnlyWithAllOfItsPlaces(t *testing.T) {
	t.Parallel()
	w := newWorldWithoutExtender(t, 2)
	seen := w.watchReleases()
	w.Pods(withoutExtender.gangOf("short", 9)...)
	w.UntilEventWith("GangWaiting", "gang default/short waits: 9 members need cpu 1, memory 16Mi each, 8 fit")
	for i := range 3 {
		began, name := time.Now(), fmt.Sprintf("g%d", i)
		w.inParallel(4, withoutExtender.gangOf(name, 8))
		w.untilBoundOf(name+"-", 8, began)
		w.deletePods(name + "-")
		w.untilGone(name + "-")
	}
	if slices.ContainsFunc(w.Tracker.Pods(), func(pod *corev1.Pod) bool { return !isGated(pod) }) {
		t.Error("a gang without a place is released")
	}
	seen.check(t, 8)
}

// A gang waits, and keeps no place, until what its members claim is there.
func TestWithoutAnExtenderAGangWaitsForItsClaims(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	const size = 2
	w := newWorldWithoutExtender(t, 1)
	immediate := storagev1.VolumeBindingImmediate
	_, err := w.Client.StorageV1().StorageClasses().Create(w.Ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "at-once"}, Provisioner: "example.com/none",
		VolumeBindingMode: &immediate}, metav1.CreateOptions{})
	w.Must(err)
	members := withoutExtender.gangOf("train", size)
	members[1].Claim("data")
	w.Pods(members...)
	w.UntilEventWith("GangWaiting",
		"gang default/train waits: the PersistentVolumeClaim data of train-001 is not there")
	claims := w.Client.CoreV1().PersistentVolumeClaims("default")
	_, err = claims.Create(w.Ctx, kube.MakeClaim("data", "at-once"), metav1.CreateOptions{})
	w.Must(err)
	w.gang.UntilMetricAbove(t, 1, "outrigger_gang_gated", `by="claims"`)
	w.UntilEventWith("GangWaiting", "gang default/train waits: the PersistentVolumeClaim data of train-001 is not "+
		"bound, and its StorageClass at-once binds at once")
	// It keeps no place meanwhile.
	began := time.Now()
	w.Pods(withoutExtender.gangOf("other", 4)...)
	w.untilBoundOf("other-", 4, began)
	w.checkHoldsNothing("train-")
	w.deletePods("other-")
	w.bindByHand("data")
	t.Logf("whole %.2f s after its volume was bound", w.untilBoundOf("train-", size, time.Now()).Seconds())
}

// bindByHand makes a volume of a claim that is there and binds them, as the volume controller does.
func (w *world) bindByHand(claim string) {
	w.Helper()
	claims := w.Client.CoreV1().PersistentVolumeClaims("default")
	of, err := claims.Get(w.Ctx, claim, metav1.GetOptions{})
	w.Must(err)
	_, err = w.Client.CoreV1().PersistentVolumes().Create(w.Ctx, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: claim + "-volume"},
		Spec: corev1.PersistentVolumeSpec{Capacity: of.Spec.Resources.Requests, AccessModes: of.Spec.AccessModes,
			StorageClassName: *of.Spec.StorageClassName,
			ClaimRef:         &corev1.ObjectReference{Kind: "PersistentVolumeClaim", Namespace: "default", Name: claim, UID: of.UID},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/tmp"}}}}, metav1.CreateOptions{})
	w.Must(err)
	_, err = claims.Patch(w.Ctx, claim, types.MergePatchType, fmt.Appendf(nil,
		`{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"%s-volume"}}`, claim),
		metav1.PatchOptions{})
	w.Must(err)
}

// What the plan does not see makes kube-scheduler refuse a member after its gang was released. Its place is held, it is
// planned elsewhere as soon as there is room, before others that wait, and then the place is free.
func TestWithoutAnExtenderAMemberThatIsRefusedComesFirstWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	const size, unseen = 4, "example.com/unseen"
	for _, never := range []bool{true, false} {
		t.Run(fmt.Sprintf("never preempts: %v", never), func(t *testing.T) {
			w := &gangWorld{world: newWorld(t)}
			// One slot a node. One of them lacks what the agent takes for a resource that kube-scheduler does not compare.
			for i := range size + 1 {
				node := kube.MakeNode(fmt.Sprintf("n%d", i)).Resource(corev1.ResourceCPU, "1")
				if i > 0 {
					node.Resource(unseen, "1")
				}
				w.Nodes(node)
			}
			patient := corev1.PreemptNever
			_, err := w.Client.SchedulingV1().PriorityClasses().Create(w.Ctx, &schedulingv1.PriorityClass{
				ObjectMeta: metav1.ObjectMeta{Name: "patient"}, PreemptionPolicy: &patient}, metav1.CreateOptions{})
			w.Must(err)
			withoutExtender.start(w, "--scheduler-config", w.schedulerFile([]byte(`apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [`+unseen+`]}}]
`)))
			last := fmt.Sprintf("n%d", size)
			w.Pods(slot("blocker").Pinned(last))
			w.untilBoundOf("blocker", 1, time.Now())
			members := withoutExtender.gangOf("train", size)
			for _, pod := range members {
				pod.Request(unseen, "1")
				if never {
					pod.PriorityClass("patient")
				}
			}
			w.Pods(members...)
			w.untilBoundOf("train-", size-1, time.Now())
			for _, pod := range members {
				w.Until(pod.Pod().Name, "bound or refused", func(pod *corev1.Pod) bool {
					return scheduling.IsBound(pod) || kube.Condition(pod, corev1.PodScheduled).Reason == corev1.PodReasonUnschedulable
				})
			}
			if !never {
				// kube-scheduler clears its nomination each time. That is no refusal at first, if the agent has not seen the
				// states between.
				w.gang.UntilMetricAbove(t, size+1, "outrigger_gang_nominations_total", `result="written"`)
			}
			w.Pods(withoutExtender.gangOf("other", 1)...)
			w.UntilEventWith("GangWaiting", "gang default/other waits")
			if w.bound("other-") != 0 {
				t.Error("another gang has the place of the member that was refused")
			}
			freed := time.Now()
			w.deletePods("blocker")
			w.Within(wholeWithin, "whole once there is room", w.untilBoundOf("train-", size, freed))
			w.untilBoundOf("other-", 1, freed)
			w.CheckSettled()
		})
	}
}
