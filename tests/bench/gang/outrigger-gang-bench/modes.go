package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// extension is who answers the scheduler's calls.
type extension int

const (
	noExtender extension = iota
	doesNothing
	agentAnswers
)

// mode is what runs beside the scheduler, how both are set up, and what pods carry.
type mode struct {
	name     string
	extender extension
	agents   string   // that run; empty: none
	config   []string // more for scheduler-config
	settings []string // more for the agent
	asks     bool     // members ask for the agent's calls
	gated    bool     // members wait with the agent's gate
	upstream bool     // groups are upstream's, and kube-scheduler plans them itself
	anyNode  bool     // names of nodes say nothing to the lab's scheduler
}

// The modes that are measured.
var (
	stock         = &mode{name: "stock"}
	nothingBeside = &mode{name: "passing", extender: doesNothing, agents: "gang"}
	allAsked      = &mode{name: "all asked", extender: agentAnswers, agents: "gang"}
	membersOnly   = &mode{name: "members-only", extender: agentAnswers, agents: "gang",
		config: []string{"--members-only"}, asks: true}
	membersOnlyGated = &mode{name: "members-only, gates", extender: agentAnswers, agents: "gang",
		config: []string{"--members-only"}, asks: true, gated: true}
	alone       = &mode{name: "alone", agents: "gang", settings: []string{"--gang.mode=alone"}, gated: true}
	ownGates    = &mode{name: "own gates", upstream: true}
	queueAgents = &mode{name: "held", extender: agentAnswers, agents: "gang,qos"}
	labBeside   = &mode{name: "lab", anyNode: true}
)

// gangModes are those in which gang is used: by labels alone, and with gates.
var gangModes = []*mode{allAsked, membersOnlyGated, alone}

// singleModes are those that differ for pods without a group.
var singleModes = []*mode{membersOnly, allAsked, alone}

// queueGate is what gated members wait with.
const queueGate = "outrigger.dev/queue"

// refused is how many of the pods of gangs without places kube-scheduler refuses: all of them, or of gated ones the gang
// that is let go ahead, for autoscalers to see. Without an extender nothing would hold back a part of that.
func (m *mode) refused(gangs, size int) int {
	switch {
	case !m.gated:
		return gangs * size
	case m.extender == noExtender:
		return 0
	}
	return size
}

// member is a pod of a gang, as its template is in this mode.
func (m *mode) member(gang string, number, size int) *kube.PodBuilder {
	builder := kube.MakePod(memberName(gang, number)).Request(corev1.ResourceCPU, "1")
	if m.upstream {
		return builder.Change(func(pod *corev1.Pod) {
			pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &gang}
		})
	}
	builder.Label("podGroup", gang).Label("minAvailable", fmt.Sprint(size))
	if m.asks {
		builder.Request("outrigger.dev/gang", "0").Request("outrigger.dev/gang-bind", "0")
	}
	if m.gated {
		builder.Gate(queueGate)
	}
	return builder
}

// single is a pod without a group; the name is as that of a member.
func single(name string, number int) *kube.PodBuilder {
	return kube.MakePod(memberName(name, number)).Request(corev1.ResourceCPU, "1")
}

func gangName(number int) string { return fmt.Sprintf("g%03d", number) }

func memberName(gang string, number int) string { return fmt.Sprintf("%s-%03d", gang, number) }

// gangOfMember is the gang that a member's name says.
func gangOfMember(name string) string { return name[:strings.LastIndexByte(name, '-')] }
