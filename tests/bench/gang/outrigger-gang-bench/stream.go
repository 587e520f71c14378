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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/kube"
)

// stream is single pods that run for a while each and come all the time, so that some always wait for places, and gangs
// that wait beside them: each needs a part of the cluster at once.
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
	seconds []float64 // until the first gang, and from the end of one to the next, of all rounds
	singles []float64 // that were bound in a second, by round
}

func newStreamRows() []*streamRow {
	return []*streamRow{
		{what: "all pods are asked about", beside: agent},
		{what: "only groups", beside: askedAgent},
	}
}

func (w stream) measure(ctx context.Context, binary string, rows []*streamRow) error {
	for _, row := range rows {
		if err := w.run(ctx, binary, row); err != nil {
			return fmt.Errorf("stream, %s: %w", row.what, err)
		}
		of := row.seconds[len(row.seconds)-w.gangs:]
		fmt.Fprintf(os.Stderr, "stream, %s: gangs of %d whole after %.2f s, the longest %.2f\n", row.what, w.size,
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
	flow := s.startFlow(w)
	defer flow.stop()
	if err := s.untilSome(func() bool { return s.bound("single-") >= w.nodes*slots }); err != nil {
		return err
	}
	if err := s.createGangs(8, w.gangs, w.size, true); err != nil {
		return err
	}
	began, before := time.Now(), len(s.tracker.Bindings())
	from := began
	for range w.gangs {
		var whole string
		err := s.untilSome(func() bool {
			for g := range w.gangs {
				if s.bound(gangName(g)+"-") == w.size {
					whole = gangName(g)
				}
			}
			return whole != ""
		})
		if err != nil {
			return err
		}
		row.seconds = append(row.seconds, time.Since(from).Seconds())
		if err := s.deleteGang(whole, w.size); err != nil {
			return err
		}
		from = time.Now()
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
		Title: fmt.Sprintf("%d gangs of %d wait beside a stream of single pods of %.0f s on %d places, reserve-after %.0f s: "+
			"s until the next is whole", w.gangs, w.size, w.lasts.Seconds(), w.nodes*slots, w.reserveAfter.Seconds()),
		Header: []string{"", "median", "longest", "single pods/s meanwhile"},
	}
	for _, row := range rows {
		table.Rows = append(table.Rows, append([]string{row.what},
			sheet.Shorts(median(row.seconds), slices.Max(row.seconds), median(row.singles))...))
	}
	return table
}

// nominating is one gang whose members are nominated before the scheduler runs: how many that are in a second.
type nominating struct{ nodes int }

func (n nominating) measure(ctx context.Context, binary string) (float64, error) {
	s, err := newStage(ctx, binary, n.nodes, askedAgent)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	size := n.nodes * slots
	if err := s.createGangs(1, 1, size, true); err != nil {
		return 0, err
	}
	count := func() int {
		nominated := 0
		for _, pod := range s.tracker.Pods() {
			if pod.Status.NominatedNodeName != "" {
				nominated++
			}
		}
		return nominated
	}
	if err := s.untilSome(func() bool { return count() > 0 }); err != nil {
		return 0, err
	}
	first, began := count(), time.Now()
	if err := s.untilSome(func() bool { return count() == size }); err != nil {
		return 0, err
	}
	rate := float64(size-first) / time.Since(began).Seconds()
	fmt.Fprintf(os.Stderr, "%d members nominated, %.0f a second\n", size, rate)
	return rate, nil
}
