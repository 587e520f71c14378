package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// stream is single pods that run for a while each and come all the time, so that some always wait for places, and gangs
// that come to a full cluster, one after another: each needs a part of it at once.
type stream struct {
	nodes, gangs, size int
	waiting            int           // single pods, always
	lasts              time.Duration // of a single pod
	giveUp             time.Duration // on a gang
	reserveAfter       time.Duration
}

// streamWay is one mode, and what was measured in it.
type streamWay struct {
	beside  *mode
	seconds []float64 // from the first member to the last binding, of each gang and all rounds
	late    int       // gangs that were given up, and with each the others of its round
	singles []float64 // that were bound in a second, by round
}

func newStreamWays() []*streamWay {
	return []*streamWay{{beside: membersOnlyGated}, {beside: membersOnly}, {beside: alone}}
}

func (w stream) measure(ctx context.Context, binary string, ways []*streamWay) error {
	for _, way := range ways {
		from := len(way.seconds)
		if err := w.run(ctx, binary, way); err != nil {
			return fmt.Errorf("stream, %s: %w", way.beside.name, err)
		}
		fmt.Fprintf(os.Stderr, "stream, %s: gangs of %d whole after %.2f s; rounds given up so far: %d\n", way.beside.name, w.size,
			way.seconds[from:], way.late)
	}
	return nil
}

func (w stream) run(ctx context.Context, binary string, way *streamWay) error {
	s, err := newStage(ctx, binary, w.nodes, way.beside,
		"--gang.reserve-after", fmt.Sprint(int(w.reserveAfter.Seconds())))
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	flow := s.startFlow(w)
	defer flow.stop()
	if err := s.untilFull(w); err != nil {
		return err
	}
	began, before, members := time.Now(), s.tracker.BindingCount(), 0
	for g := range w.gangs {
		took, err := s.startBeside(w, gangName(g))
		if err != nil {
			return err
		}
		way.seconds = append(way.seconds, took.Seconds())
		if took >= w.giveUp {
			way.late++
			break
		}
		members += w.size
		if err := s.untilFull(w); err != nil {
			return err
		}
	}
	way.singles = append(way.singles, float64(s.tracker.BindingCount()-before-members)/time.Since(began).Seconds())
	return nil
}

// startBeside creates a gang, and deletes it once it is whole: after so long, or giveUp if it is not whole by then.
func (s *stage) startBeside(w stream, gang string) (time.Duration, error) {
	from := time.Now()
	if err := s.createPods(gang, 0, w.size, w.size, true); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithDeadline(s.ctx, from.Add(w.giveUp))
	defer cancel()
	if err := s.tracker.Until(ctx, func() bool { return s.bound(gang+"-") >= w.size }); err != nil {
		return w.giveUp, s.ctx.Err()
	}
	took := time.Since(from)
	return took, s.deleteGang(gang, w.size)
}

// untilFull waits until single pods have all places.
func (s *stage) untilFull(w stream) error {
	return s.untilSome(func() bool { return s.bound("single-") >= w.nodes*slots })
}

// flow keeps a stream going.
type flow struct {
	stream
	s      *stage
	cancel context.CancelFunc
	done   sync.WaitGroup
	placed map[string]time.Time
	made   int
}

func (s *stage) startFlow(w stream) *flow {
	ctx, cancel := context.WithCancel(s.ctx)
	f := &flow{stream: w, s: s, cancel: cancel, placed: map[string]time.Time{}}
	f.done.Add(1)
	go func() {
		defer f.done.Done()
		for ctx.Err() == nil {
			f.step()
			settle(ctx, 20*time.Millisecond)
		}
	}()
	return f
}

func (f *flow) stop() {
	f.cancel()
	f.done.Wait()
}

func (f *flow) step() {
	waiting := 0
	var over []string
	for _, pod := range f.s.tracker.Pods() {
		if !strings.HasPrefix(pod.Name, "single-") {
			continue
		}
		since, known := f.placed[pod.Name]
		switch {
		case pod.Spec.NodeName == "":
			waiting++
		case !known:
			f.placed[pod.Name] = time.Now()
		case time.Since(since) >= f.lasts:
			over = append(over, pod.Name)
		}
	}
	// What fails is done in the next step.
	_ = f.s.inParallel(8, len(over), func(i int) error { return f.s.deletePod(over[i]) })
	more := max(0, f.stream.waiting-waiting)
	_ = f.s.inParallel(8, more, func(i int) error {
		return f.s.createPod(kube.MakePod(fmt.Sprintf("single-%06d", f.made+i)).Request(corev1.ResourceCPU, "1"))
	})
	f.made += more
}

func (s *stage) untilSome(condition func() bool) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	return s.tracker.Until(ctx, condition)
}

func (s *stage) deleteGang(gang string, size int) error {
	err := s.inParallel(8, size, func(i int) error { return s.deletePod(memberName(gang, i)) })
	if err != nil {
		return err
	}
	return s.untilSome(func() bool { return s.bound(gang+"-") == 0 })
}
