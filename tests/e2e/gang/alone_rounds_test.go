package gang

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// wholeWithin is how long a gang may be bound in part without an extender, while there is room, on a quiet machine: for
// so long a replica may hold the Lease, and about a second more.
const wholeWithin = (scheduling.LeaseSeconds + 1) * time.Second

// aloneRound is what happens in one round without an extender: all of it follows from its seed. There is room for all
// pods, also once a node is lost.
type aloneRound struct {
	seed    int64
	gangs   []roundGang
	singles int
	deaths  []aloneDeath
}

// aloneDeath is what is lost once so many members have come so far, and for how long.
type aloneDeath struct {
	victim, step string
	at           int
	pause        time.Duration
}

var (
	aloneVictims = []string{"agent", "scheduler", "both", "node", "cordon", "member"}
	aloneSteps   = []string{"nominated", "released", "bound"}
)

// Gangs are larger than what is written at once, so that what dies does so in the middle of a release.
const aloneNodes, aloneSlots = 6, 12

func newAloneRound(seed int64) *aloneRound {
	random := rand.New(rand.NewSource(seed))
	r := &aloneRound{seed: seed, singles: random.Intn(4)}
	left := (aloneNodes-2)*aloneSlots - r.singles
	for i := 0; left >= 2 && i < 4; i++ {
		size := min(2+random.Intn(30), left)
		gang := roundGang{name: fmt.Sprintf("s%d-g%d", seed, i), size: size, minimum: size, onLoss: "replace"}
		if random.Intn(3) == 0 {
			gang.minimum = 2 + random.Intn(size-1)
		}
		left -= size
		r.gangs = append(r.gangs, gang)
	}
	nodes := 0
	for range 1 + random.Intn(3) {
		victim := aloneVictims[random.Intn(len(aloneVictims))]
		if victim == "node" || victim == "cordon" {
			if nodes++; nodes > 1 {
				victim = "member"
			}
		}
		r.deaths = append(r.deaths, aloneDeath{victim: victim, step: aloneSteps[random.Intn(len(aloneSteps))],
			at: 1 + random.Intn(r.members()/2), pause: time.Duration(random.Intn(300)) * time.Millisecond})
	}
	return r
}

func (r *aloneRound) members() int {
	all := 0
	for _, gang := range r.gangs {
		all += gang.size
	}
	return all
}

func (r *aloneRound) String() string {
	text := fmt.Sprintf("seed %d: gangs of", r.seed)
	for _, gang := range r.gangs {
		text += fmt.Sprintf(" %d of %d", gang.minimum, gang.size)
	}
	text += fmt.Sprintf("; %d singles", r.singles)
	for _, death := range r.deaths {
		text += fmt.Sprintf("; %s lost when %d are %s, for %d ms", death.victim, death.at, death.step,
			death.pause.Milliseconds())
	}
	return text
}

// pods are all pods of the round; single pods, which nothing holds, compete for the places.
func (r *aloneRound) pods() []*kube.PodBuilder {
	lists := [][]*kube.PodBuilder{singles(fmt.Sprintf("s%d-single", r.seed), r.singles)}
	for _, gang := range r.gangs {
		lists = append(lists, gang.members(withoutExtender))
	}
	return interleaved(lists...)
}

// hasCome tells whether a member has come as far as that step.
func hasCome(pod *corev1.Pod, step string) bool {
	switch step {
	case "nominated":
		return pod.Status.NominatedNodeName != "" || pod.Spec.NodeName != ""
	case "released":
		return !isGated(pod)
	default:
		return pod.Spec.NodeName != ""
	}
}

// aloneWorld is where one round takes place.
type aloneWorld struct {
	*roundWorld
	random *rand.Rand
	agents []*outrigger.Server // two replicas
}

// Nothing holds a gang together after its release: whatever dies or is lost meanwhile, it is whole, or whole again
// soon.
func TestWithoutAnExtenderGangsSurviveSeededRounds(t *testing.T) {
	scheduling.Long(t)
	rounds, seed := numberOf(t, roundsEnv, 2), numberOf(t, seedEnv, 1)
	var longest []time.Duration
	lost := map[string]int{}
	for i := range rounds {
		r := newAloneRound(int64(seed + i))
		t.Run(fmt.Sprintf("seed-%d", r.seed), func(t *testing.T) {
			w := &aloneWorld{random: rand.New(rand.NewSource(r.seed)), roundWorld: &roundWorld{
				trappedWorld: &trappedWorld{gangWorld: &gangWorld{world: newWorld(t)}}, outcome: &outcome{}}}
			w.slots("n", aloneNodes, aloneSlots)
			w.agents = []*outrigger.Server{withoutExtender.serve(w.gangWorld), w.serveAlone("gang-b")}
			w.gang, _ = w.leaderOf(w.agents[0], w.agents[1])
			w.config = w.stockConfig()
			w.runScheduler()
			longest = append(longest, w.run(r))
			for _, death := range r.deaths {
				lost[death.victim+" ("+death.step+")"]++
			}
		})
	}
	slices.Sort(longest)
	if len(longest) > 0 {
		t.Logf("%d rounds: lost: %v; the gang that was in part for longest: median %.2f s, most %.2f s", len(longest), lost,
			longest[len(longest)/2].Seconds(), longest[len(longest)-1].Seconds())
	}
}

// run returns for how long the gang that was bound in part for longest was so.
func (w *aloneWorld) run(r *aloneRound) time.Duration {
	w.Helper()
	w.Logf("%s", r)
	inPart := w.watchParts(r)
	stop := w.keep(r.pods())
	defer stop()
	for _, death := range r.deaths {
		w.untilCome(r, death)
		w.lose(r, death)
	}
	began := time.Now()
	w.untilBoundOf(fmt.Sprintf("s%d-", r.seed), r.members()+r.singles, began)
	settled := time.Since(began)
	longest, which := inPart()
	w.Logf("all bound %.2f s after the last loss; in part for longest: %s, %.2f s; %d pods were made anew",
		settled.Seconds(), which, longest.Seconds(), w.anew)
	w.Within(wholeWithin, "whole, the gang that was in part for longest: "+which, longest)
	w.CheckSettled()
	return longest
}

func (w *aloneWorld) isMember(r *aloneRound, pod *corev1.Pod) bool {
	return strings.HasPrefix(pod.Name, fmt.Sprintf("s%d-g", r.seed))
}

func (w *aloneWorld) untilCome(r *aloneRound, death aloneDeath) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Ctx, scheduling.Patience)
	defer cancel()
	w.Must(w.Tracker.Until(ctx, func() bool {
		count := 0
		for _, pod := range w.Tracker.Pods() {
			if w.isMember(r, pod) && hasCome(pod, death.step) {
				count++
			}
		}
		return count >= death.at
	}))
}

// lose takes something away, and brings back what comes back.
func (w *aloneWorld) lose(r *aloneRound, death aloneDeath) {
	w.Helper()
	switch death.victim {
	case "agent", "both":
		w.gang, _ = w.leaderOf(w.agents[0], w.agents[1])
		w.gang.Kill()
	case "node", "cordon":
		w.loseNode(death.victim == "node")
	case "member":
		var names []string
		for _, pod := range w.Tracker.Pods() {
			if w.isMember(r, pod) {
				names = append(names, pod.Name)
			}
		}
		w.deletePods(names[w.random.Intn(len(names))])
	}
	if death.victim == "scheduler" || death.victim == "both" {
		w.scheduler.Kill()
	}
	time.Sleep(death.pause)
	if death.victim == "scheduler" || death.victim == "both" {
		w.runScheduler()
	}
	if death.victim == "agent" || death.victim == "both" {
		w.gang.Restart(w)
	}
}

// loseNode cordons the node that most members want or have, or deletes it with its pods, as the controllers do.
func (w *aloneWorld) loseNode(deleted bool) {
	w.Helper()
	uses := map[string]int{}
	node := "n000"
	for _, pod := range w.Tracker.Pods() {
		of := max(pod.Spec.NodeName, pod.Status.NominatedNodeName)
		if of == "" {
			continue
		}
		if uses[of]++; uses[of] > uses[node] {
			node = of
		}
	}
	w.cordon(node, true)
	if !deleted {
		return
	}
	w.Must(w.Client.CoreV1().Nodes().Delete(w.Ctx, node, metav1.DeleteOptions{}))
	for _, pod := range w.Tracker.Pods() {
		if pod.Spec.NodeName == node {
			w.deletePod(pod.Namespace, pod.Name)
		}
	}
}

// watchParts follows from now on for how long gangs are bound in part, below their minimum. What it returns ends that.
func (w *aloneWorld) watchParts(r *aloneRound) func() (longest time.Duration, which string) {
	ctx, cancel := context.WithCancel(w.Ctx)
	var stopped sync.WaitGroup
	var longest time.Duration
	which := "none"
	stopped.Go(func() {
		since := map[string]time.Time{}
		for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
			for _, gang := range r.gangs {
				bound := w.bound(gang.name + "-")
				if bound == 0 || bound >= gang.minimum {
					delete(since, gang.name)
					continue
				}
				if _, known := since[gang.name]; !known {
					since[gang.name] = time.Now()
				}
				if took := time.Since(since[gang.name]); took > longest {
					longest, which = took, gang.name
				}
			}
		}
	})
	w.Cleanup(func() { cancel(); stopped.Wait() })
	return func() (time.Duration, string) {
		cancel()
		stopped.Wait()
		return longest, which
	}
}
