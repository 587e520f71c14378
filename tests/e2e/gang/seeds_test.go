package gang

import (
	"fmt"
	"math/rand"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"outrigger.dev/outrigger/tests/support/kube"
)

// round is what happens in one of many rounds: all of it follows from its seed.
type round struct {
	seed     int64
	replicas bool // two schedulers with an agent each; the one that leads is who dies
	gangs    []roundGang
	singles  int
	deaths   []death
	loses    bool // members of a gang, in the end
	mode     mode
}

type roundGang struct {
	name          string
	size, minimum int
	onLoss        string // of a member
}

// steps are at whom somebody may die: calls of the scheduler and writes of the agent before they go through, and
// writes that were answered.
var steps = []string{"filter", "bind", "binding", "bound", "nomination", "nominated"}

// roundModes are those of rounds, by their seeds: two of them have two replicas.
var roundModes = []mode{askedAboutAll, gatesAndMembers, onlyMembersAsk, gatesAlone}

// death is who dies at which step, and for how long.
type death struct {
	victim, step string
	at           int
	pause        time.Duration
}

// isSure tells whether it comes to that: nobody is nominated who is bound before, and of gangs that are released
// all may be before the trap is set again.
func (d death) isSure() bool {
	return !strings.HasPrefix(d.step, "nominat") && !strings.HasPrefix(d.step, "release")
}

func (d death) String() string {
	return fmt.Sprintf("%s dies at %s %d, for %d ms", d.victim, d.step, d.at, d.pause.Milliseconds())
}

func newRound(seed int64) *round {
	random := rand.New(rand.NewSource(seed))
	r := &round{seed: seed, replicas: seed%2 == 0, singles: random.Intn(6), loses: random.Intn(2) == 0}
	for i := range 2 + random.Intn(4) {
		size := 2 + random.Intn(7)
		gang := roundGang{name: fmt.Sprintf("%sg%d", r.prefix(), i), size: size, minimum: size,
			onLoss: []string{"replace", "ignore", "restart"}[random.Intn(3)]}
		if random.Intn(2) == 0 {
			gang.minimum = 2 + random.Intn(size-1)
		}
		r.gangs = append(r.gangs, gang)
	}
	victims := []string{"server", "agent", "scheduler"}
	if r.replicas {
		victims = append(victims, "replica")
	}
	for range 1 + random.Intn(2) {
		victim := victims[random.Intn(len(victims))]
		if victim == "server" {
			victims = victims[1:] // after its second death everybody waits long before they follow it again
		}
		d := death{
			victim: victim,
			step:   steps[random.Intn(len(steps))],
			at:     1 + random.Intn(r.surelyBound()),
			pause:  time.Duration(random.Intn(300)) * time.Millisecond,
		}
		if !d.isSure() {
			d.at = min(d.at, 1+random.Intn(3)) // few are nominated before the scheduler asks by itself
		}
		r.deaths = append(r.deaths, d)
	}
	random.Intn(2) // rounds of a seed stay what they were
	r.mode = roundModes[(seed-1)/2%4]
	if r.mode.gated {
		r.stepOfReleases(random)
	}
	return r
}

// stepOfReleases has a death come at a release, every other time.
func (r *round) stepOfReleases(random *rand.Rand) {
	if random.Intn(2) == 0 {
		return
	}
	death := &r.deaths[random.Intn(len(r.deaths))]
	death.step = []string{"release", "released"}[random.Intn(2)]
	death.at = 1 + random.Intn(r.gangs[0].minimum)
}

// surelyBound is how many pods are bound at least, whoever comes first: when the next one does not fit,
// fewer slots are free than the largest gang has members.
func (r *round) surelyBound() int {
	all, largest := r.singles, 1
	for _, gang := range r.gangs {
		all += gang.size
		largest = max(largest, gang.minimum)
	}
	return min(all, roundSlots-largest+1)
}

// prefix begins the name of every pod of the round.
func (r *round) prefix() string { return fmt.Sprintf("s%d-", r.seed) }

func (r *round) String() string {
	var parts []string
	for _, gang := range r.gangs {
		parts = append(parts, fmt.Sprintf("%d of %d (%s)", gang.minimum, gang.size, gang.onLoss))
	}
	text := fmt.Sprintf("seed %d: gangs of %s; %d singles", r.seed, strings.Join(parts, ", "), r.singles)
	text += "; mode: " + r.mode.name
	if r.replicas {
		text += "; two replicas"
	}
	for _, death := range r.deaths {
		text += "; " + death.String()
	}
	return text
}

func (g roundGang) members(m mode) []*kube.PodBuilder {
	var pods []*kube.PodBuilder
	for i := range g.size {
		pods = append(pods, m.member(g.name, i, g.minimum).Annotation("outrigger.dev/on-member-loss", g.onLoss))
	}
	return pods
}

// pods are all pods of the round, as if all controllers worked at once.
func (r *round) pods() []*kube.PodBuilder {
	lists := [][]*kube.PodBuilder{singles(r.prefix()+"single", r.singles)}
	for _, gang := range r.gangs {
		lists = append(lists, gang.members(r.mode))
	}
	return interleaved(lists...)
}

// unsettled says what is not yet as it has to be in the end; "" if nothing.
func (r *round) unsettled(pods []*corev1.Pod) string {
	there, bound := map[string]int{}, map[string]int{} // by name without the last number
	free := roundSlots
	for _, pod := range pods {
		name := pod.Name[:strings.LastIndexByte(pod.Name, '-')]
		there[name]++
		if pod.Spec.NodeName != "" {
			bound[name]++
			free--
		}
	}
	single := r.prefix() + "single"
	if there[single] != r.singles {
		return fmt.Sprintf("%d of %d singles are there", there[single], r.singles)
	}
	if bound[single] < r.singles && free > 0 {
		return fmt.Sprintf("singles wait, though %d slots are free", free)
	}
	for _, gang := range r.gangs {
		if why := gang.unsettled(there[gang.name], bound[gang.name], free); why != "" {
			return fmt.Sprintf("gang %s (%d of %d): %s", gang.name, gang.minimum, gang.size, why)
		}
	}
	return ""
}

func (g roundGang) unsettled(there, bound, free int) string {
	if g.onLoss == "ignore" && bound > 0 {
		g.minimum = 1 // what is left runs on, and the others come one by one
	}
	switch {
	case there != g.size:
		return fmt.Sprintf("%d members are there", there)
	case bound > 0 && bound < g.minimum:
		return fmt.Sprintf("%d members are bound", bound)
	case bound == 0 && free >= g.minimum:
		return fmt.Sprintf("it waits, though %d slots are free", free)
	case bound >= g.minimum && bound < g.size && free > 0:
		return fmt.Sprintf("%d members are bound, though %d more slots are free", bound, free)
	default:
		return ""
	}
}

// ignoreExists turns "it is there already" into success.
func ignoreExists(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
