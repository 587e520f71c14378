package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/kube"
)

// stream is single pods that run for a while each and come all the time, so that some always wait for places, and gangs
// that come to a full cluster, one after another: each needs a part of it at once.
type stream struct {
	nodes, gangs, size int
	waiting            int           // single pods, always
	lasts              time.Duration // of a single pod
	reserveAfter       time.Duration
}

// streamWay is one way in which the scheduler asks the agent.
type streamWay struct {
	what    string
	beside  *mode
	patient bool      // members have preemptionPolicy Never: the scheduler does not clear their nominations
	seconds []float64 // from the first member to the last binding, of each gang and all rounds
	singles []float64 // that were bound in a second, by round
}

func newStreamWays() []*streamWay {
	return []*streamWay{
		{what: allAsked.name, beside: allAsked},
		{what: onlyGroups.name, beside: onlyGroups},
		{what: onlyGroups.name + ", preemptionPolicy Never", beside: onlyGroups, patient: true},
	}
}

func (w stream) measure(ctx context.Context, binary string, ways []*streamWay) error {
	for _, way := range ways {
		if err := w.run(ctx, binary, way); err != nil {
			return fmt.Errorf("stream, %s: %w", way.what, err)
		}
		of := way.seconds[len(way.seconds)-w.gangs:]
		fmt.Fprintf(os.Stderr, "stream, %s: gangs of %d whole after %.2f s (median %.2f, longest %.2f)\n", way.what, w.size, of,
			median(slices.Clone(of)), slices.Max(of))
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
	if way.patient {
		if err := s.createPatientClass(); err != nil {
			return err
		}
	}
	flow := s.startFlow(w)
	defer flow.stop()
	began, before := time.Now(), len(s.tracker.Bindings())
	for g := range w.gangs {
		if err := s.untilSome(func() bool { return s.bound("single-") >= w.nodes*slots }); err != nil {
			return err
		}
		if g == 0 {
			began, before = time.Now(), len(s.tracker.Bindings())
		}
		from := time.Now()
		if err := s.createPods(gangName(g), 0, w.size, w.size, true); err != nil {
			return err
		}
		if err := s.untilSome(func() bool { return s.bound(gangName(g)+"-") >= w.size }); err != nil {
			return err
		}
		way.seconds = append(way.seconds, time.Since(from).Seconds())
		if err := s.deleteGang(gangName(g), w.size); err != nil {
			return err
		}
	}
	singles := len(s.tracker.Bindings()) - before - w.gangs*w.size
	way.singles = append(way.singles, float64(singles)/time.Since(began).Seconds())
	return nil
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

// createPatientClass creates the PriorityClass of members, as high as pods without one.
func (s *stage) createPatientClass() error {
	never := corev1.PreemptNever
	s.priorityClass = "patient"
	_, err := s.client.SchedulingV1().PriorityClasses().Create(s.ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: s.priorityClass}, PreemptionPolicy: &never}, metav1.CreateOptions{})
	return err
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
