// Command record-calls writes the bodies of a real kube-scheduler's extender calls to files: seeds
// of the fuzzers (docs/fuzzing.md). It starts etcd, kube-apiserver and kube-scheduler with two
// extenders of its own, one that is sent whole nodes and one that is sent names, and lets pods be
// scheduled, refused and preempted.
//
//	OUTRIGGER_CONTROL_PLANE=$(scripts/control-plane | tail -n 1) \
//	  go -C tests run ./support/cmd/record-calls DIR
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

const limit = 3 * time.Minute

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: record-calls DIR")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	count, err := record(ctx, os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "record-calls:", err)
		os.Exit(1)
	}
	fmt.Printf("%d calls in %s\n", count, os.Args[1])
}

func record(ctx context.Context, out string) (count int, err error) {
	dir, err := os.MkdirTemp("", "outrigger-record-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c, err := cluster.Start(ctx, dir, cluster.Options{})
	if err != nil {
		return 0, err
	}
	defer c.Stop()
	tracker, err := kube.TrackPods(ctx, c.Client)
	if err != nil {
		return 0, err
	}
	recorder, err := startRecorder(out, c.Client)
	if err != nil {
		return 0, err
	}
	defer recorder.stop()
	if err := createObjects(ctx, c); err != nil {
		return 0, err
	}
	scheduler, err := startScheduler(c, recorder.URL)
	if err != nil {
		return 0, err
	}
	defer scheduler.Kill()
	if err := play(ctx, c, tracker); err != nil {
		return 0, err
	}
	return recorder.written()
}

func createObjects(ctx context.Context, c *cluster.Cluster) error {
	_, err := c.Client.SchedulingV1().PriorityClasses().Create(ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "urgent"}, Value: 1000,
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes() {
		if _, err := c.Client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func startScheduler(c *cluster.Cluster, url string) (*process.Process, error) {
	kubeconfig, err := c.WriteKubeconfig("scheduler", c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, err
	}
	return c.StartScheduler("kube-scheduler", fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  kubeconfig: %s
leaderElection:
  leaderElect: false
podMaxBackoffSeconds: 2
extenders:
- urlPrefix: %s/full
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  weight: 1
- urlPrefix: %s/names
  filterVerb: filter
  prioritizeVerb: prioritize
  preemptVerb: preempt
  bindVerb: bind
  nodeCacheCapable: true
  weight: 1
`, kubeconfig, url, url))
}

// play creates the pods one after the other, so that what is recorded is the same every time but
// for names and times that the API server makes up.
func play(ctx context.Context, c *cluster.Cluster, tracker *kube.Tracker) error {
	for _, step := range pods() {
		name := step.pod.Name
		if _, err := c.Client.CoreV1().Pods(metav1.NamespaceDefault).Create(ctx, step.pod, metav1.CreateOptions{}); err != nil {
			return err
		}
		err := tracker.Until(ctx, func() bool {
			pod := tracker.Pod(metav1.NamespaceDefault, name)
			if pod == nil {
				return false
			}
			if step.refused {
				return kube.Condition(pod, corev1.PodScheduled).Status == corev1.ConditionFalse
			}
			return pod.Spec.NodeName != ""
		})
		if err != nil {
			return fmt.Errorf("pod %s: %w", name, err)
		}
	}
	return nil
}
