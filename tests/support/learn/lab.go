package learn

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// patience is how long a pod may take that is bound in a moment, or within seconds, on a quiet machine.
const patience = 15 * time.Second

// lab is a cluster with the learner's scheduler.
type lab struct {
	ctx       context.Context
	cluster   *cluster.Cluster
	scheduler *process.Process
	created   map[string]time.Time // pods
}

func startLab(ctx context.Context, c *cluster.Cluster, binary string, step int) (*lab, error) {
	rights, err := c.WriteKubeconfig("scheduler", c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, err
	}
	scheduler, err := process.Start(process.Spec{
		Name: "scheduler", Path: binary, LogDir: c.LogDir(),
		Args: []string{"lab", "scheduler", "--kubeconfig", rights, "--step", fmt.Sprint(step)},
	})
	return &lab{ctx, c, scheduler, map[string]time.Time{}}, err
}

// nodes creates nodes, and gives the scheduler time to hear of them.
func (l *lab) nodes(names ...string) error {
	for _, name := range names {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := l.cluster.Client.CoreV1().Nodes().Create(l.ctx, node, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	l.settle()
	return nil
}

// settle gives the scheduler time to hear of nodes: it hears of pods by another stream.
func (l *lab) settle() { l.sleep(500 * time.Millisecond) }

func (l *lab) sleep(length time.Duration) {
	select {
	case <-l.ctx.Done():
	case <-time.After(length):
	}
}

func (l *lab) pod(name string) error {
	pod := kube.MakePod(name).Pod()
	_, err := l.cluster.Client.CoreV1().Pods(pod.Namespace).Create(l.ctx, pod, metav1.CreateOptions{})
	l.created[name] = time.Now()
	return err
}

func (l *lab) patchNode(name, patch string) error {
	_, err := l.cluster.Client.CoreV1().Nodes().Patch(
		l.ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// waitBound waits until the pod has a node, or the limit is over since the call. It returns the node, empty
// if there is none, and how long after the pod's creation that was.
func (l *lab) waitBound(name string, limit time.Duration) (node string, after time.Duration, err error) {
	for end := time.Now().Add(limit); ; l.sleep(50 * time.Millisecond) {
		pod, err := l.cluster.Client.CoreV1().Pods("default").Get(l.ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", 0, err
		}
		if pod.Spec.NodeName != "" || time.Now().After(end) {
			return pod.Spec.NodeName, time.Since(l.created[name]), nil
		}
	}
}

// attempts counts how often the scheduler has found no node for the pod: it prints a line each time.
func (l *lab) attempts(pod string) int {
	text, err := os.ReadFile(l.scheduler.LogPath)
	if err != nil {
		return 0
	}
	return strings.Count("\n"+string(text), "\ndefault/"+pod+": ")
}
