package queuewatch

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// criticalPriority is the least priority of pods that no queue holds.
const criticalPriority = 2_000_000_000

// Rank is the place of a pod or a gang in the order. The rules are written here a second time, from their
// description, so that a fault of the program is not repeated in its judge.
type Rank struct {
	NeverHeld     bool // critical pods, mirror pods, pods of a DaemonSet
	GroupPriority int64
	Priority      int32
	QOS           corev1.PodQOSClass
	Created       time.Time // seconds, as the API has them
	Name          string    // namespace/name
}

// RankOf returns the rank of a single pod.
func RankOf(pod *corev1.Pod) Rank {
	return Rank{
		NeverHeld: isNeverHeld(pod), GroupPriority: groupPriority(pod), Priority: priority(pod),
		QOS: pod.Status.QOSClass, Created: pod.CreationTimestamp.Time, Name: pod.Namespace + "/" + pod.Name,
	}
}

// RankOfGang returns the rank of a gang. Its groupPriority is that of its oldest member, its priority and
// its class are the lowest of its members.
func RankOfGang(name string, members []*corev1.Pod) Rank {
	rank := Rank{Name: name}
	for i, pod := range members {
		own := RankOf(pod)
		if i == 0 {
			own.Name, own.NeverHeld = name, false
			rank = own
			continue
		}
		rank.Priority = min(rank.Priority, own.Priority)
		if classPlace(own.QOS) > classPlace(rank.QOS) {
			rank.QOS = own.QOS
		}
		if own.Created.Before(rank.Created) {
			rank.Created, rank.GroupPriority = own.Created, own.GroupPriority
		}
	}
	return rank
}

// Before is true if a goes first.
func (a Rank) Before(b Rank) bool { return a.compare(b) < 0 }

func (a Rank) compare(b Rank) int {
	if a.NeverHeld != b.NeverHeld {
		if a.NeverHeld {
			return -1
		}
		return 1
	}
	return cmp.Or(
		cmp.Compare(b.GroupPriority, a.GroupPriority),
		cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(classPlace(a.QOS), classPlace(b.QOS)),
		a.Created.Compare(b.Created),
		cmp.Compare(a.Name, b.Name),
	)
}

// String names the rank's parts.
func (a Rank) String() string {
	if a.NeverHeld {
		return a.Name + " (never held)"
	}
	return fmt.Sprintf("%s (groupPriority %d, priority %d, %s, created %s)", a.Name, a.GroupPriority, a.Priority,
		a.QOS, a.Created.UTC().Format(time.TimeOnly))
}

func isNeverHeld(pod *corev1.Pod) bool {
	if priority(pod) >= criticalPriority || pod.Annotations[corev1.MirrorPodAnnotationKey] != "" {
		return true
	}
	for _, owner := range pod.OwnerReferences {
		if owner.Kind == "DaemonSet" && owner.Controller != nil && *owner.Controller {
			return true
		}
	}
	return false
}

// groupPriority is 0 if the label is not there, is no number, or needs more than 64 bits.
func groupPriority(pod *corev1.Pod) int64 {
	value, err := strconv.ParseInt(pod.Labels["groupPriority"], 10, 64)
	if err != nil {
		return 0
	}
	return value
}

func priority(pod *corev1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

func classPlace(class corev1.PodQOSClass) int {
	switch class {
	case corev1.PodQOSGuaranteed:
		return 0
	case corev1.PodQOSBurstable:
		return 1
	default:
		return 2
	}
}

// gangOf returns the gang of a pod as namespace/name, and its minimum; "" for a single pod.
func gangOf(pod *corev1.Pod) (name string, minimum int) {
	group := pod.Labels["podGroup"]
	minimum, err := strconv.Atoi(pod.Labels["minAvailable"])
	if group == "" || err != nil || minimum <= 0 {
		return "", 0
	}
	return pod.Namespace + "/" + group, minimum
}
