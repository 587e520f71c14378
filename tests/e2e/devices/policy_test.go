package devices

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/devicejudge"
	"outrigger.dev/outrigger/tests/support/kube"
	base "outrigger.dev/outrigger/tests/support/world"
)

// policy is the last part of the manifest.
const policy = "outrigger-device-claims"

var dry = []string{metav1.DryRunAll}

// A pod with claims whose scheduler does not call the agent would start without its devices.
func TestPodsThatWouldStartWithoutTheirDevicesAreRefused(t *testing.T) {
	w := base.Of(t, cluster.SharedForTest(t), 5*time.Minute)
	_, err := w.Client.CoreV1().ServiceAccounts("default").Create(w.Ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	w.Must(err)
	for _, each := range []*kube.PodBuilder{kube.MakePod("plain"), pod("early", embedded)} {
		_, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, each.Pod(), metav1.CreateOptions{})
		w.Must(err)
	}
	_, err = w.Cluster.Kubectl(w.Ctx, "apply", "-f", scheduling.Devices.Path())
	w.Must(err)
	removePolicyAfter(w)
	w.Must(kube.Eventually(w.Ctx, scheduling.Patience, func(context.Context) error {
		if dryCreate(w, pod("probe", embedded)) == nil {
			return errors.New("the policy does not work yet")
		}
		return nil
	}))

	for name, row := range map[string]struct {
		pod     *kube.PodBuilder
		refused bool
	}{
		"the default scheduler":          {pod("p", embedded), true},
		"another scheduler":              {pod("p", embedded).Scheduler("gang"), true},
		"the agent's scheduler":          {pod("p", embedded).Scheduler(scheduling.Devices.Scheduler), false},
		"no claims":                      {kube.MakePod("p"), false},
		"another annotation":             {kube.MakePod("p").Annotation("team", "red"), false},
		"an annotation that asks for no": {pod("p", ""), false},
	} {
		check(w, name, row.refused, dryCreate(w, row.pod))
	}
	claims := fmt.Sprintf("%q: %q", devicejudge.Annotation, embedded)
	for name, row := range map[string]struct {
		pod, subresource, annotation string
		refused                      bool
	}{
		"claims are added":                        {"plain", "", claims, true},
		"claims are added by the status":          {"plain", "status", claims, true},
		"another annotation is added":             {"plain", "", `"team": "red"`, false},
		"a pod from before is changed":            {"early", "", `"team": "red"`, false},
		"the status of a pod from before":         {"early", "status", `"team": "red"`, false},
		"a pod from before gets no claims":        {"early", "", fmt.Sprintf("%q: null", devicejudge.Annotation), false},
		"a pod from before asks for other claims": {"early", "", fmt.Sprintf("%q: \"[]\"", devicejudge.Annotation), true},
	} {
		below := strings.Fields(row.subresource)
		_, err := w.Client.CoreV1().Pods("default").Patch(w.Ctx, row.pod, types.MergePatchType,
			[]byte(`{"metadata": {"annotations": {`+row.annotation+`}}}`), metav1.PatchOptions{DryRun: dry}, below...)
		check(w, name, row.refused, err)
	}
}

func dryCreate(w base.World, pod *kube.PodBuilder) error {
	_, err := w.Client.CoreV1().Pods("default").Create(w.Ctx, pod.Pod(), metav1.CreateOptions{DryRun: dry})
	return err
}

// check expects a pod to be taken, or to be refused with what is to be done.
func check(w base.World, what string, refused bool, err error) {
	w.Helper()
	switch {
	case !refused && err != nil:
		w.Errorf("%s: %v", what, err)
	case refused && (err == nil || !strings.Contains(err.Error(), policy) ||
		!strings.Contains(err.Error(), "set schedulerName: outrigger in the pod or its template")):
		w.Errorf("%s: the pod is not refused with what is to be done: %v", what, err)
	}
}

// removePolicyAfter: the next test has the same control plane, whose reset leaves policies alone.
func removePolicyAfter(w base.World) {
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		policies := w.Client.AdmissionregistrationV1()
		err := errors.Join(
			policies.ValidatingAdmissionPolicyBindings().Delete(ctx, policy, metav1.DeleteOptions{}),
			policies.ValidatingAdmissionPolicies().Delete(ctx, policy, metav1.DeleteOptions{}),
			kube.Eventually(ctx, scheduling.Patience, func(context.Context) error {
				probe := pod("probe-after", embedded).Pod()
				_, err := w.Client.CoreV1().Pods("default").Create(ctx, probe, metav1.CreateOptions{DryRun: dry})
				return err
			}))
		if err != nil {
			w.Errorf("the policy is still there: %v", err)
		}
	})
}
