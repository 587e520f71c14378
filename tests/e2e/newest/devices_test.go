package newest

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

const gpu = "example.com/gpu"

// offer makes a DeviceClass that serves an extended resource, and devices on nodes.
func (w *world) offer(devices int, nodes ...string) {
	w.Helper()
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu.example.com"}}
	class.Spec.ExtendedResourceName = new(gpu)
	_, err := w.Client.ResourceV1().DeviceClasses().Create(w.Ctx, class, metav1.CreateOptions{})
	w.Must(err)
	for _, node := range nodes {
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node + "-gpu"}}
		slice.Spec = resourceapi.ResourceSliceSpec{Driver: "gpu.example.com", NodeName: new(node),
			Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}
		for i := range devices {
			slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("gpu-%d", i)})
		}
		_, err := w.Client.ResourceV1().ResourceSlices().Create(w.Ctx, slice, metav1.CreateOptions{})
		w.Must(err)
	}
}

// Nodes need not have an extended resource that a DeviceClass serves: kube-scheduler allocates devices for it. A gang
// that requests it starts as a single pod does, and goes where the devices are.
func TestAGangWhoseResourcesAreDevicesStarts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.Nodes(kube.MakeNode("m").Resource(corev1.ResourceCPU, "4"))
	w.offer(3, "m")
	w.Pods(kube.MakePod("single").Request(corev1.ResourceCPU, "1").Request(gpu, "1"))
	w.Until("single", "bound", scheduling.IsBound)
	for i := range 2 {
		w.Pods(kube.MakePod(fmt.Sprintf("train-%d", i)).Request(corev1.ResourceCPU, "1").Request(gpu, "1").
			Label("podGroup", "train").Label("minAvailable", "2"))
	}
	began := time.Now()
	for _, pod := range w.untilRunning("train", 2) {
		if pod.Spec.NodeName != "m" {
			t.Errorf("%s is on node %s, which has no devices", pod.Name, pod.Spec.NodeName)
		}
	}
	t.Logf("whole after %.1f s", time.Since(began).Seconds())
}
