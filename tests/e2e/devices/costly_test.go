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
	"k8s.io/apimachinery/pkg/runtime/schema"

	"outrigger.dev/outrigger/tests/support/kube"
)

// Nearly a million units on each device, which is what one evaluation may cost.
const costly = "lists.range(280).all(x, lists.range(280).all(y, x + y >= 0))"

// One namespace's expressions, on devices of which no two are alike, do not hold up others.
func TestACostlyClaimOfOneNamespaceDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	s := newServing(t)
	s.make([3]string{"DeviceClass", "foozer", "spec: {driver: example.com-foozer, deviceType: foozer}"})
	for node := range 60 {
		name := fmt.Sprintf("n%d", node)
		s.Nodes(kube.MakeNode(name))
		devices := []string{}
		for device := range 8 {
			devices = append(devices, fmt.Sprintf(
				"{name: d%d, attributes: [{name: uuid, stringValue: %s-%d}]}", device, name, device))
		}
		s.make([3]string{"DevicePool", name, "spec: {nodeName: " + name +
			", driver: example.com-foozer, devices: [" + strings.Join(devices, ", ") + "]}"})
	}
	_, err := s.Client.CoreV1().Namespaces().Create(s.Ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other"}}, metav1.CreateOptions{})
	s.Must(err)
	_, err = s.Client.CoreV1().ServiceAccounts("other").Create(s.Ctx,
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	s.Must(err)
	for i := range 4 {
		s.make(claimOf(fmt.Sprintf("costly-%d", i), fmt.Sprintf("%s && %d == %d", costly, i, i))...)
	}
	_, err = s.kinds.dynamic.Resource(schema.GroupVersionResource{
		Group: "devmgmtproto.k8s.io", Version: "v1alpha1", Resource: kinds["DeviceClaim"].plural}).Namespace("other").Create(
		s.Ctx, object(t, "DeviceClaim", "plain", "spec: {deviceClass: foozer}"), metav1.CreateOptions{})
	s.Must(err)
	s.serve(nil)
	for i := range 4 {
		s.Pods(pod(fmt.Sprintf("costly-%d", i), fmt.Sprintf(`[{"name": "d", "claimName": "costly-%d"}]`, i)))
	}
	s.UntilEventWith("FailedScheduling", "take more time than it may use at once")
	s.Pods(pod("plain", `[{"name": "d", "claimName": "plain"}]`).Namespace("other"))
	s.Must(kube.Eventually(s.Ctx, 10*time.Second, func(ctx context.Context) error {
		plain, err := s.Client.CoreV1().Pods("other").Get(ctx, "plain", metav1.GetOptions{})
		if err == nil && plain.Spec.NodeName == "" {
			err = errors.New("pod other/plain is not bound")
		}
		return err
	}))
}
