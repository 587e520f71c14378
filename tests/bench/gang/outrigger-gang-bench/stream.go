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

	"outrigger.dev/outrigger/tests/bench/sheet"
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

// streamRow is one way in which the scheduler asks the agent.
type streamRow struct {
	what    string
	beside  companion
	patient bool      // members have preemptionPolicy Never: the scheduler does not clear their nominations
	seconds []float64 // from the first member to the last binding, of each gang and all rounds
	singles []float64 // that were bound in a second, by round
}

func newStreamRows() []*streamRow {
	return []*streamRow{
		{what: "all pods are asked about", beside: agent},
		{what: "only groups", beside: askedAgent},
		{what: "only groups, preemptionPolicy Never", beside: askedAgent, patient: true},
	}
}

func (w stream) measure(ctx context.Context, binary string, rows []*streamRow) error {
	for _, row := range rows {
		if err := w.run(ctx, binary, row); err != nil {
			return fmt.Errorf("stream, %s: %w", row.what, err)
		}
		of := row.seconds[len(row.seconds)-w.gangs:]
		fmt.Fprintf(os.Stderr, "stream, %s: gangs of %d whole after %.2f s (median %.2f, longest %.2f)\n", row.what, w.size, of,
			median(slices.Clone(of)), slices.Max(of))
	}
	return nil
}

func (w stream) run(ctx context.Context, binary string, row *streamRow) error {
	s, err := newStage(ctx, binary, w.nodes, row.beside,
		"--gang.reserve-after", fmt.Sprint(int(w.reserveAfter.Seconds())))
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.startScheduler(); err != nil {
		return err
	}
	if row.patient {
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
		row.seconds = append(row.seconds, time.Since(from).Seconds())
		if err := s.deleteGang(gangName(g), w.size); err != nil {
			return err
		}
	}
	singles := len(s.tracker.Bindings()) - before - w.gangs*w.size
	row.singles = append(row.singles, float64(singles)/time.Since(began).Seconds())
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
			f.step(ctx)
			settle(ctx, 20*time.Millisecond)
		}
	}()
	return f
}

func (f *flow) stop() {
	f.cancel()
	f.done.Wait()
}

func (f *flow) step(ctx context.Context) {
	pods, now := f.s.client.CoreV1().Pods(metav1.NamespaceDefault), int64(0)
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
	_ = f.s.inParallel(8, len(over), func(i int) error {
		return pods.Delete(ctx, over[i], metav1.DeleteOptions{GracePeriodSeconds: &now})
	})
	more := max(0, f.stream.waiting-waiting)
	_ = f.s.inParallel(8, more, func(i int) error {
		pod := kube.MakePod(fmt.Sprintf("single-%06d", f.made+i)).Request(corev1.ResourceCPU, "1").Pod()
		_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		return err
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
	now := int64(0)
	err := s.inParallel(8, size, func(i int) error {
		return s.client.CoreV1().Pods(metav1.NamespaceDefault).Delete(s.ctx, fmt.Sprintf("%s-%03d", gang, i),
			metav1.DeleteOptions{GracePeriodSeconds: &now})
	})
	if err != nil {
		return err
	}
	return s.untilSome(func() bool { return s.bound(gang+"-") == 0 })
}

func (w stream) table(rows []*streamRow) sheet.Table {
	table := sheet.Table{
		Title: fmt.Sprintf("%d gangs of %d, one after another, beside a stream of single pods of %.0f s on %d places, "+
			"reserve-after %.0f s: s until a gang is whole", w.gangs, w.size, w.lasts.Seconds(), w.nodes*slots, w.reserveAfter.Seconds()),
		Header: []string{"", "median", "longest", "single pods/s meanwhile"},
	}
	for _, row := range rows {
		table.Rows = append(table.Rows, append([]string{row.what},
			sheet.Shorts(median(row.seconds), slices.Max(row.seconds), median(row.singles))...))
	}
	return table
}

// nominating is one gang whose members are nominated before the scheduler runs.
type nominating struct{ nodes int }

// nominated is how fast that went, and the processor time that it took.
type nominated struct {
	rate              float64 // members in a second
	apiServer, agents float64 // ms for each member
}

func (n nominating) measure(ctx context.Context, binary string) (got nominated, err error) {
	s, err := newStage(ctx, binary, n.nodes, askedAgent)
	if err != nil {
		return got, err
	}
	defer s.stop()
	size := n.nodes * slots
	// The last member is what the gang lacks until all others are known.
	if err := s.createPods("g", 0, size-1, size, true); err != nil {
		return got, err
	}
	settle(ctx, time.Second)
	before, err := s.effort()
	if err != nil {
		return got, err
	}
	began := time.Now()
	if err := s.createPods("g", size-1, size, size, true); err != nil {
		return got, err
	}
	if err := s.untilSome(func() bool { return s.nominated() == size }); err != nil {
		return got, err
	}
	got.rate = float64(size) / time.Since(began).Seconds()
	after, err := s.effort()
	spent := after.since(before)
	got.apiServer, got.agents = 1000*spent.apiServer/float64(size), 1000*spent.agent/float64(size)
	fmt.Fprintf(os.Stderr, "%d members nominated, %.0f a second; %.2f ms of the API server and %.2f of the agent for each\n",
		size, got.rate, got.apiServer, got.agents)
	return got, err
}

func (s *stage) nominated() int {
	count := 0
	for _, pod := range s.tracker.Pods() {
		if pod.Status.NominatedNodeName != "" {
			count++
		}
	}
	return count
}
