package follower

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Address is one of a node's.
type Address struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

// Life is how a pod fares; times are in seconds since 1970, 0 where there is none.
type Life struct {
	Created   int64       `json:"created"`
	Scheduled int64       `json:"scheduled"` // since when PodScheduled is True
	Started   int64       `json:"started"`
	Ended     int64       `json:"ended"` // of a finished pod: when the last of its containers ended
	Reason    string      `json:"reason"`
	States    []Container `json:"states"` // init containers first
}

// Container is the state of a container.
type Container struct {
	Name         string `json:"name"`
	Init         bool   `json:"init"`
	Restarts     int32  `json:"restarts"`
	RunningSince int64  `json:"runningSince"`
	Waiting      string `json:"waiting"` // the reason
	End          *End   `json:"end"`
	LastEnd      *End   `json:"lastEnd"`
}

// End is how a container ended.
type End struct {
	ExitCode int32  `json:"exitCode"`
	Reason   string `json:"reason"`
	Started  int64  `json:"started"`
	Finished int64  `json:"finished"`
}

func seconds(at metav1.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.Unix()
}

func endOf(state *corev1.ContainerStateTerminated) *End {
	if state == nil {
		return nil
	}
	return &End{state.ExitCode, state.Reason, seconds(state.StartedAt), seconds(state.FinishedAt)}
}

func containerOf(status corev1.ContainerStatus, init bool) Container {
	c := Container{Name: status.Name, Init: init, Restarts: status.RestartCount,
		End: endOf(status.State.Terminated), LastEnd: endOf(status.LastTerminationState.Terminated)}
	if status.State.Running != nil {
		c.RunningSince = seconds(status.State.Running.StartedAt)
	}
	if status.State.Waiting != nil {
		c.Waiting = status.State.Waiting.Reason
	}
	return c
}

func lifeOf(pod *corev1.Pod) Life {
	life := Life{Created: seconds(pod.CreationTimestamp), Reason: pod.Status.Reason, States: []Container{}}
	if pod.Status.StartTime != nil {
		life.Started = seconds(*pod.Status.StartTime)
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionTrue {
			life.Scheduled = seconds(condition.LastTransitionTime)
		}
	}
	for _, status := range pod.Status.InitContainerStatuses {
		life.States = append(life.States, containerOf(status, true))
	}
	for _, status := range pod.Status.ContainerStatuses {
		life.States = append(life.States, containerOf(status, false))
	}
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		for _, c := range life.States {
			if c.End != nil {
				life.Ended = max(life.Ended, c.End.Finished)
			}
		}
	}
	return life
}

// text is for comparing: nil and empty lists are the same.
func (l Life) text() string {
	if l.States == nil {
		l.States = []Container{}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func addressesOf(node *corev1.Node) []Address {
	var addresses []Address
	for _, address := range node.Status.Addresses {
		addresses = append(addresses, Address{string(address.Type), address.Address})
	}
	return addresses
}

func readyOf(node *corev1.Node) string {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return string(condition.Status)
		}
	}
	return string(corev1.ConditionUnknown)
}
