package bodies

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// start is when every made-up object was created.
var start = time.Date(2026, time.January, 15, 8, 0, 0, 0, time.UTC)

// imagesPerNode keeps a node at its size: a kubelet reports at most 50.
const imagesPerNode = 47

func newNode(seed uint64, i int) v1.Node {
	facts := FactsOf(seed, i)
	created := metav1.NewTime(start.Add(time.Duration(i) * time.Second))
	return v1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:              facts.Name,
			UID:               uidOf(seed, uint64(i), 1),
			ResourceVersion:   strconv.Itoa(48_000_000 + i*37),
			CreationTimestamp: created,
			Labels:            nodeLabels(facts.Name, i),
			Annotations:       nodeAnnotations(facts, i),
			ManagedFields:     nodeManagedFields(created),
		},
		Spec: v1.NodeSpec{
			PodCIDR:    cidr(i),
			PodCIDRs:   []string{cidr(i)},
			ProviderID: fmt.Sprintf("example://region-1/zone-%c/i-%017x", 'a'+rune(i%3), uint64(i)*2654435761),
			Taints:     nodeTaints(i, created),
		},
		Status: v1.NodeStatus{
			Capacity:    resources(cpuMillis, memoryBytes),
			Allocatable: resources(cpuMillis-cpuReserved, memoryBytes-memoryKept),
			Conditions:  nodeConditions(created),
			Addresses: []v1.NodeAddress{
				{Type: v1.NodeInternalIP, Address: fmt.Sprintf("10.%d.%d.%d", 16+i/62500, i/250%250, i%250+2)},
				{Type: v1.NodeHostName, Address: facts.Name},
				{Type: v1.NodeInternalDNS, Address: facts.Name},
			},
			DaemonEndpoints: v1.NodeDaemonEndpoints{KubeletEndpoint: v1.DaemonEndpoint{Port: 10250}},
			NodeInfo:        nodeInfo(seed, i),
			Images:          nodeImages(i),
			RuntimeHandlers: []v1.NodeRuntimeHandler{{Features: &v1.NodeRuntimeHandlerFeatures{
				RecursiveReadOnlyMounts: new(true), UserNamespaces: new(true)}}},
		},
	}
}

func cidr(i int) string { return fmt.Sprintf("172.%d.%d.0/24", 20+i/256, i%256) }

// uidOf is a UID that depends on nothing but its arguments.
func uidOf(seed, i, kind uint64) types.UID {
	h := (seed*0x9E3779B97F4A7C15 + i + 1) * 0xBF58476D1CE4E5B9
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		uint32(h>>32), uint16(h>>16), kind, uint16(h)&0xfff, (h^i)&0xffffffffffff))
}

func nodeLabels(name string, i int) map[string]string {
	zone := fmt.Sprintf("region-1%c", 'a'+rune(i%3))
	return map[string]string{
		"beta.kubernetes.io/arch":                  "amd64",
		"beta.kubernetes.io/os":                    "linux",
		"kubernetes.io/arch":                       "amd64",
		"kubernetes.io/os":                         "linux",
		"kubernetes.io/hostname":                   name,
		"node.kubernetes.io/instance-type":         "standard-32",
		"beta.kubernetes.io/instance-type":         "standard-32",
		"topology.kubernetes.io/region":            "region-1",
		"topology.kubernetes.io/zone":              zone,
		"failure-domain.beta.kubernetes.io/region": "region-1",
		"failure-domain.beta.kubernetes.io/zone":   zone,
		"topology.example.com/rack":                fmt.Sprintf("rack-%03d", i/40),
		"node-role.kubernetes.io/worker":           "",
		"example.com/node-pool":                    fmt.Sprintf("pool-%c", 'a'+rune(i%4)),
		"example.com/lifecycle":                    "on-demand",
		"example.com/kernel-release":               "6.1.0-28-cloud-amd64",
	}
}

func nodeAnnotations(f Facts, i int) map[string]string {
	text := func(v int64) string { return strconv.FormatInt(v, 10) }
	return map[string]string{
		"congestion-factor":                      text(f.CongestionFactor),
		"mean-free-cpu":                          text(f.MeanFreeCPU),
		"std-free-cpu":                           text(f.StdFreeCPU),
		"forcasted-free-cpu":                     text(f.ForecastFreeCPU),
		"mean-free-memory":                       text(f.MeanFreeMemory),
		"std-free-memory":                        text(f.StdFreeMemory),
		"forcasted-free-memory":                  text(f.ForecastMemory),
		"kubeadm.alpha.kubernetes.io/cri-socket": "unix:///run/containerd/containerd.sock",
		"node.alpha.kubernetes.io/ttl":           "0",
		"volumes.kubernetes.io/controller-managed-attach-detach": "true",
		"csi.volume.kubernetes.io/nodeid": fmt.Sprintf(
			`{"disk.csi.example.com":"i-%017x","files.csi.example.com":"%s"}`, uint64(i)*2654435761, f.Name),
		"network.example.com/ipv4-address": fmt.Sprintf("10.%d.%d.%d/16", 16+i/62500, i/250%250, i%250+2),
		"network.example.com/vxlan-mac":    fmt.Sprintf("66:3a:%02x:%02x:9c:%02x", i>>8&255, i&255, i%97),
	}
}

func nodeTaints(i int, created metav1.Time) []v1.Taint {
	switch {
	case i%20 == 7:
		return []v1.Taint{{Key: "example.com/spot", Value: "true", Effect: v1.TaintEffectPreferNoSchedule}}
	case i%50 == 13:
		return []v1.Taint{{Key: "node.kubernetes.io/unschedulable", Effect: v1.TaintEffectPreferNoSchedule,
			TimeAdded: &created}}
	}
	return nil
}

func resources(cpu, memory int64) v1.ResourceList {
	return v1.ResourceList{
		v1.ResourceCPU:              *resource.NewMilliQuantity(cpu, resource.DecimalSI),
		v1.ResourceMemory:           resource.MustParse(strconv.FormatInt(memory/1024, 10) + "Ki"),
		v1.ResourceEphemeralStorage: resource.MustParse("515928320Ki"),
		v1.ResourcePods:             resource.MustParse("110"),
		"hugepages-1Gi":             resource.MustParse("0"),
		"hugepages-2Mi":             resource.MustParse("0"),
	}
}

func nodeConditions(created metav1.Time) []v1.NodeCondition {
	beat := metav1.NewTime(created.Add(96 * time.Hour))
	condition := func(kind v1.NodeConditionType, status v1.ConditionStatus, reason, message string) v1.NodeCondition {
		return v1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: message,
			LastHeartbeatTime: beat, LastTransitionTime: created}
	}
	return []v1.NodeCondition{
		condition(v1.NodeNetworkUnavailable, v1.ConditionFalse, "RoutesConfigured", "Routes are configured on this node"),
		condition(v1.NodeMemoryPressure, v1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(v1.NodeDiskPressure, v1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(v1.NodePIDPressure, v1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
		condition(v1.NodeReady, v1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"),
	}
}

func nodeInfo(seed uint64, i int) v1.NodeSystemInfo {
	id := strings.ReplaceAll(string(uidOf(seed, uint64(i), 2)), "-", "")
	return v1.NodeSystemInfo{
		MachineID: id, SystemUUID: string(uidOf(seed, uint64(i), 3)), BootID: string(uidOf(seed, uint64(i), 4)),
		KernelVersion: "6.1.0-28-cloud-amd64", OSImage: "Debian GNU/Linux 12 (bookworm)",
		ContainerRuntimeVersion: "containerd://2.1.4", KubeletVersion: "v1.36.3",
		OperatingSystem: "linux", Architecture: "amd64",
	}
}
