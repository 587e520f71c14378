package bodies

import (
	"fmt"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nodeImages is the image list that a kubelet reports, largest first, each with digest and tag.
func nodeImages(i int) []v1.ContainerImage {
	services := []string{"storefront", "checkout", "inventory-sync", "fraud-score", "ledger", "mail-relay",
		"pricing", "search-index", "session-cache", "telemetry-agent", "image-resize", "audit-log", "router"}
	images := make([]v1.ContainerImage, imagesPerNode)
	for k := range images {
		name := fmt.Sprintf("images.example.internal/%s/%s", []string{"shop", "platform", "data"}[(i+k)%3],
			services[(i*7+k)%len(services)])
		digest := (uint64(i)+3)*0x9E3779B97F4A7C15 ^ uint64(k+1)*0xBF58476D1CE4E5B9
		images[k] = v1.ContainerImage{
			Names: []string{
				fmt.Sprintf("%s@sha256:%016x%016x%016x%016x", name, digest, digest*3, digest*5, digest*7),
				fmt.Sprintf("%s:v%d.%d.%d", name, 1+k%4, (i+k)%30, k%10),
			},
			SizeBytes: int64(imagesPerNode-k)*27_415_631 + int64(i%1000),
		}
	}
	return images
}

// nodeManagedFields is who owns which field of a node: the kubelet, the controller manager and the
// writer of the load annotations.
func nodeManagedFields(created metav1.Time) []metav1.ManagedFieldsEntry {
	beat := metav1.NewTime(created.Add(96 * time.Hour))
	var conditions strings.Builder
	for _, kind := range []string{"DiskPressure", "MemoryPressure", "PIDPressure", "Ready"} {
		fmt.Fprintf(&conditions, `,"k:{\"type\":\"%s\"}":{".":{},"f:lastHeartbeatTime":{},"f:lastTransitionTime":{},`+
			`"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}`, kind)
	}
	return []metav1.ManagedFieldsEntry{
		managed("kubelet", "", created, `{"f:metadata":{"f:annotations":{".":{},`+
			`"f:volumes.kubernetes.io/controller-managed-attach-detach":{}},"f:labels":{".":{},`+
			`"f:beta.kubernetes.io/arch":{},"f:beta.kubernetes.io/os":{},"f:kubernetes.io/arch":{},`+
			`"f:kubernetes.io/hostname":{},"f:kubernetes.io/os":{},"f:node.kubernetes.io/instance-type":{},`+
			`"f:topology.kubernetes.io/region":{},"f:topology.kubernetes.io/zone":{}}},"f:spec":{"f:providerID":{}}}`),
		managed("kube-controller-manager", "", created, `{"f:metadata":{"f:annotations":{"f:node.alpha.kubernetes.io/ttl":{}}},`+
			`"f:spec":{"f:podCIDR":{},"f:podCIDRs":{".":{},"v:\"172.20.0.0/24\"":{}},"f:taints":{}}}`),
		managed("outrigger-annotate", "", beat, `{"f:metadata":{"f:annotations":{"f:congestion-factor":{},`+
			`"f:forcasted-free-cpu":{},"f:forcasted-free-memory":{},"f:mean-free-cpu":{},"f:mean-free-memory":{},`+
			`"f:std-free-cpu":{},"f:std-free-memory":{}}}}`),
		managed("kubelet", "status", beat, `{"f:metadata":{"f:annotations":{"f:csi.volume.kubernetes.io/nodeid":{}}},`+
			`"f:status":{"f:allocatable":{"f:cpu":{},"f:ephemeral-storage":{},"f:memory":{},"f:pods":{}},`+
			`"f:capacity":{"f:cpu":{},"f:ephemeral-storage":{},"f:memory":{},"f:pods":{}},"f:conditions":{".":{}`+
			conditions.String()+`},"f:images":{},"f:nodeInfo":{"f:bootID":{},"f:containerRuntimeVersion":{},`+
			`"f:kernelVersion":{},"f:kubeletVersion":{},"f:machineID":{},"f:osImage":{},"f:systemUUID":{}},`+
			`"f:runtimeHandlers":{}}}`),
	}
}

func managed(manager, subresource string, at metav1.Time, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &at,
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
	}
}
