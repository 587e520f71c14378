package apiserver

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// members are pods by what they name: the policies of deploy/member-policy.yaml, on the real server, and --gangs of the
// lab take the same for members.
func members() map[string]*kube.PodBuilder {
	gate := func(pod *corev1.Pod) {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "outrigger.dev/queue"}, {Name: "example.com/other"}}
	}
	return map[string]*kube.PodBuilder{
		"no-group":      kube.MakePod("no-group"),
		"by-label":      kube.MakePod("by-label").Label("podGroup", "g"),
		"empty-label":   kube.MakePod("empty-label").Label("podGroup", ""),
		"scheduling-x":  kube.MakePod("scheduling-x").Label("scheduling.x-k8s.io/pod-group", "g"),
		"sigs":          kube.MakePod("sigs").Label("pod-group.scheduling.sigs.k8s.io/name", "g"),
		"volcano":       kube.MakePod("volcano").Annotation("scheduling.k8s.io/group-name", "g"),
		"koordinator":   kube.MakePod("koordinator").Annotation("gang.scheduling.koordinator.sh/name", "g"),
		"bound":         kube.MakePod("bound").Label("podGroup", "g").Node("n"),
		"else":          kube.MakePod("else").Label("podGroup", "g").Scheduler("somebody"),
		"critical":      kube.MakePod("critical").Label("podGroup", "g").PriorityClass("system-node-critical"),
		"gated":         kube.MakePod("gated").Label("podGroup", "g").Change(gate),
		"with-requests": kube.MakePod("with-requests").Label("podGroup", "g").Request("outrigger.dev/gang", "1"),
		"daemon": kube.MakePod("daemon").Label("podGroup", "g").Change(func(pod *corev1.Pod) {
			pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "d", UID: "d"}}
		}),
	}
}

// parts are what a member gets.
type parts struct {
	Gates     []corev1.PodSchedulingGate
	Resources corev1.ResourceRequirements
}

func partsOn(ctx context.Context, c *cluster.Cluster, pod *corev1.Pod) (parts, error) {
	pod.Namespace = "default"
	made, err := c.Client.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return parts{}, err
	}
	return parts{made.Spec.SchedulingGates, made.Spec.Containers[0].Resources}, nil
}

func TestMembersGetWhatThePoliciesGiveThem(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	upstream, lab := cluster.ForTest(t), startLab(t, "--gangs")
	if text := kubectl(t, upstream, "../../../deploy", "apply -f member-policy.yaml"); text == "" {
		t.Fatal("nothing was applied")
	}
	// Policies work some moments after they are there.
	err := kube.Eventually(t.Context(), process.Patience, func(ctx context.Context) error {
		got, err := partsOn(ctx, upstream, kube.MakePod("probe").Label("podGroup", "g").Pod())
		if err == nil && (len(got.Gates) == 0 || len(got.Resources.Limits) == 0) {
			err = fmt.Errorf("the policies do not work yet: %v", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, pod := range members() {
		want, err := partsOn(t.Context(), upstream, pod.Pod())
		got, ours := partsOn(t.Context(), lab, pod.Pod())
		if (err == nil) != (ours == nil) {
			t.Errorf("%s: kube-apiserver says %v, the lab %v", name, err, ours)
		} else if err == nil && !reflect.DeepEqual(asText(want), asText(got)) {
			t.Errorf("%s: the policies give %v, the lab %v", name, asText(want), asText(got))
		}
	}
}

func asText(p parts) map[string]string {
	text := map[string]string{"gates": fmt.Sprint(p.Gates)}
	for name, amount := range p.Resources.Requests {
		text["request "+string(name)] = amount.String()
	}
	for name, amount := range p.Resources.Limits {
		text["limit "+string(name)] = amount.String()
	}
	return text
}
