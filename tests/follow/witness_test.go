package follow

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/support/follower"
)

const (
	// witnessName is the node and the pod that a witness writes to, witnessLabel where.
	witnessName  = "witness"
	witnessLabel = "witness"
	// leeway is what a follower may be late beyond its staleness: this machine may be busy.
	leeway = 1500 * time.Millisecond
)

// witness numbers a node and a pod anew all the time, past every proxy, and holds the follower to
// its word: while it says that it is ready, it knows every number that was written longer ago than
// its staleness.
type witness struct {
	client   kubernetes.Interface
	follower *follower.Follower

	mutex   sync.Mutex // held in a round
	number  int
	written []writing
	lies    []string
}

type writing struct {
	number int
	at     time.Time
}

func newWitness(s *scene) *witness {
	w := &witness{client: s.Client, follower: s.follower, number: int(time.Now().Unix())}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				w.round(ctx)
			}
		}
	}()
	s.Cleanup(func() { cancel(); <-done }) // before the follower ends: cleanups run backwards
	return w
}

// pause holds the witness while what runs.
func (w *witness) pause(what func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	what()
}

// forget is for a server that was set back: what was written does not count any more. what is done
// while the witness is held.
func (w *witness) forget(what func()) {
	w.pause(func() {
		what()
		w.written = nil
	})
}

// check fails the test for every lie since the last check; it asks once more.
func (w *witness) check(s *scene) {
	s.Helper()
	w.pause(func() {
		w.ask(s.Ctx)
		for _, lie := range w.lies {
			s.Error(lie)
		}
		w.lies = nil
	})
}

func (w *witness) round(ctx context.Context) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.write(ctx)
	w.ask(ctx)
}

// ask has the follower say whether it is ready, and if so, what it knows.
func (w *witness) ask(ctx context.Context) {
	asked := time.Now()
	readiness, err := w.follower.Ready()
	if err == nil && readiness.Ready {
		var dump follower.Dump
		if dump, err = w.follower.Dump(); err == nil {
			w.compare(dump, asked)
		}
	}
	if err != nil && ctx.Err() == nil && len(w.lies) < 5 {
		w.lies = append(w.lies, err.Error())
	}
}

// write may fail: the server may be down.
func (w *witness) write(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	w.number++
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"%d"}}}`, witnessLabel, w.number)
	_, err := w.client.CoreV1().Nodes().Patch(ctx, witnessName, types.MergePatchType, patch, metav1.PatchOptions{})
	if err == nil {
		_, err = w.client.CoreV1().Pods("default").Patch(ctx, witnessName, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err == nil {
		w.written = append(w.written, writing{w.number, time.Now()})
	}
}

func (w *witness) compare(dump follower.Dump, asked time.Time) {
	due := 0
	for _, each := range w.written {
		if each.at.Before(asked.Add(-staleness - leeway)) {
			due = each.number
		}
	}
	known := map[string]map[string]string{}
	for _, node := range dump.Nodes {
		known["node "+node.Name] = node.Labels
	}
	for _, pod := range dump.Pods {
		known["pod "+pod.Name] = pod.Labels
	}
	for _, object := range []string{"node " + witnessName, "pod " + witnessName} {
		number, err := strconv.Atoi(known[object][witnessLabel])
		if due > 0 && (err != nil || number < due) && len(w.lies) < 5 {
			w.lies = append(w.lies, fmt.Sprintf("ready, but %s is at %d, and %d was written more than %v ago",
				object, number, due, staleness+leeway))
		}
	}
}
