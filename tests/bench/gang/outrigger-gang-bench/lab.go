package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// lab is what is measured of the lab's scheduler: pods that arrive, next to the same pods for kube-scheduler. Both have
// the same API server, one after the other, and no limit for their calls.
type lab struct{ nodes, pods, clients int }

// contender is one of the two schedulers, and what was measured of it.
type contender struct {
	name    string
	start   func(s *stage) (*process.Process, error)
	seconds []float64 // from the first pod's creation until all are bound
	cpu     []float64 // s, of the scheduler
}

type labReport struct{ stock, ours *contender }

func newLabReport() *labReport {
	return &labReport{
		stock: &contender{name: "kube-scheduler", start: (*stage).startStock},
		ours:  &contender{name: "step-7", start: (*stage).startLab},
	}
}

// measure has both schedulers take their turns, so many times.
func (l lab) measure(ctx context.Context, binary string, rounds int) (*labReport, error) {
	s, err := newStage(ctx, binary, l.nodes, labBeside)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	r := newLabReport()
	for round := range rounds {
		turns := []*contender{r.stock, r.ours}
		if round%2 == 1 { // neither is always first
			turns[0], turns[1] = turns[1], turns[0]
		}
		for _, turn := range turns {
			if err := l.bind(s, turn, round); err != nil {
				return nil, fmt.Errorf("round %d, %s: %w", round+1, turn.name, err)
			}
			last := len(turn.seconds) - 1
			fmt.Fprintf(os.Stderr, "round %d, %s: %d pods in %.2f s, %.0f a second, processor time %.2f s\n", round+1, turn.name,
				l.pods, turn.seconds[last], float64(l.pods)/turn.seconds[last], turn.cpu[last])
		}
	}
	return r, s.checkBoundOnce()
}

// bind measures one turn, and leaves the cluster without pods.
func (l lab) bind(s *stage, turn *contender, round int) (err error) {
	if s.scheduler, err = turn.start(s); err != nil {
		return err
	}
	bound := len(s.tracker.Bindings())
	// Its caches are filled once it has placed a pod.
	if err := s.createFor(turn.name, fmt.Sprintf("warm-up-%d", round)); err != nil {
		return err
	}
	if _, err := s.untilBound(bound + 1); err != nil {
		return errors.Join(err, s.scheduler.ExitError())
	}
	before, err := cpuOf(s.scheduler.Pid())
	if err != nil {
		return err
	}
	began := time.Now()
	err = s.inParallel(l.clients, l.pods, func(i int) error {
		return s.createFor(turn.name, fmt.Sprintf("r%d-%04d", round, i))
	})
	if err != nil {
		return err
	}
	last, err := s.untilBound(bound + 1 + l.pods)
	if err != nil {
		return errors.Join(err, s.scheduler.ExitError())
	}
	after, err := cpuOf(s.scheduler.Pid())
	turn.seconds = append(turn.seconds, last.Sub(began).Seconds())
	turn.cpu = append(turn.cpu, after-before)
	s.scheduler.Kill()
	return errors.Join(err, s.removePods())
}

func (s *stage) createFor(scheduler, name string) error {
	pod := kube.MakePod(scheduler + "-" + name).Scheduler(scheduler).Pod()
	_, err := s.client.CoreV1().Pods(pod.Namespace).Create(s.ctx, pod, metav1.CreateOptions{})
	return err
}

func (s *stage) removePods() error {
	now := int64(0)
	err := s.client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(s.ctx,
		metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	return s.tracker.Until(ctx, func() bool { return len(s.tracker.Pods()) == 0 })
}

// startStock starts kube-scheduler as it is by default, but for a limit of its calls.
func (s *stage) startStock() (*process.Process, error) {
	kubeconfig, err := s.cluster.WriteKubeconfig("scheduler", s.cluster.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, err
	}
	return s.cluster.StartScheduler("kube-scheduler", fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %s, qps: -1}
leaderElection: {leaderElect: false}
profiles: [{schedulerName: kube-scheduler}]
`, kubeconfig))
}

func (s *stage) startLab() (*process.Process, error) {
	kubeconfig, err := s.cluster.WriteKubeconfig("lab", s.cluster.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, err
	}
	return process.Start(process.Spec{Name: "lab", Path: s.binary, LogDir: s.cluster.LogDir(), Args: []string{
		"lab", "scheduler", "--step", "7", "--qps", "0", "--scheduler-name", "step-7", "--kubeconfig", kubeconfig}})
}

func (l lab) targets() []sheet.Target[*labReport] {
	return []sheet.Target[*labReport]{{
		What: "step 7, from creation to all bound, to kube-scheduler", AtMost: 1,
		Figure: func(r *labReport) (float64, bool) {
			return median(r.ours.seconds) / median(r.stock.seconds), len(r.stock.seconds) > 0
		},
	}}
}

func (l lab) section(rounds int, r *labReport) sheet.Section {
	table := sheet.Table{
		Title:  fmt.Sprintf("%d pods on %d nodes, s from the first pod's creation until all are bound", l.pods, l.nodes),
		Header: []string{"", "s", "pods/s", "processor time, s"},
	}
	for _, of := range []*contender{r.stock, r.ours} {
		table.Rows = append(table.Rows, append([]string{of.name}, sheet.Shorts(
			median(of.seconds), float64(l.pods)/median(of.seconds), median(of.cpu))...))
	}
	return sheet.Section{
		Heading: "The lab's scheduler",
		Text: fmt.Sprintf("Step 7 of the course and the stock kube-scheduler, which does much more for a pod, on the same "+
			"API server in turns. Calls have no limit. Median of %d rounds. Load before: %s.", rounds, sheet.Load()),
		Tables: []sheet.Table{table},
		Lines: []string{fmt.Sprintf("Step 7 takes %s of kube-scheduler's time, and %s of its processor time.",
			sheet.Short(median(r.ours.seconds)/median(r.stock.seconds)), sheet.Short(median(r.ours.cpu)/median(r.stock.cpu)))},
		Targets: sheet.Judge(l.targets(), r),
	}
}
