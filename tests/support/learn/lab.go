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

// patience is how long something may take that takes a moment, or seconds, on a quiet machine: a slow one must not make
// a solution a wrong one.
const patience = 45 * time.Second

// quiet is how long nothing must happen: longer than the backoff after a first failure.
const quiet = 2 * time.Second

// lab is a cluster with the learner's scheduler.
type lab struct {
	ctx       context.Context
	cluster   *cluster.Cluster
	scheduler *process.Process
	created   map[string]time.Time // pods
}

// startLab creates the nodes, starts the scheduler, and waits until that knows them.
func startLab(ctx context.Context, c *cluster.Cluster, binary string, step int, nodes []*corev1.Node) (*lab, error) {
	l := &lab{ctx: ctx, cluster: c, created: map[string]time.Time{}}
	for _, node := range nodes {
		if err := l.createNode(node); err != nil {
			return nil, err
		}
	}
	rights, err := c.WriteKubeconfig("scheduler", c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, err
	}
	l.scheduler, err = process.Start(process.Spec{
		Name: "scheduler", Path: binary, LogDir: c.LogDir(),
		Args: []string{"lab", "scheduler", "--kubeconfig", rights, "--step", fmt.Sprint(step), "--verbose"},
	})
	if err != nil {
		return nil, err
	}
	if err := l.scheduler.UntilLogged(ctx, ReadyLine); err != nil {
		l.scheduler.Kill()
		return nil, err
	}
	return l, nil
}

func node(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func closedNode(name string) *corev1.Node {
	node := node(name)
	node.Labels = map[string]string{"closed": "true"}
	return node
}

func (l *lab) createNode(node *corev1.Node) error {
	_, err := l.cluster.Client.CoreV1().Nodes().Create(l.ctx, node, metav1.CreateOptions{})
	return err
}

func (l *lab) patchNode(name, patch string) error {
	_, err := l.cluster.Client.CoreV1().Nodes().Patch(
		l.ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

func (l *lab) pod(name string) error {
	pod := kube.MakePod(name).Pod()
	_, err := l.cluster.Client.CoreV1().Pods(pod.Namespace).Create(l.ctx, pod, metav1.CreateOptions{})
	l.created[name] = time.Now()
	return err
}

// until asks again and again until something holds, and reports whether it did before the limit was over.
func (l *lab) until(limit time.Duration, holds func() (bool, error)) (bool, error) {
	for end := time.Now().Add(limit); ; l.sleep(50 * time.Millisecond) {
		if held, err := holds(); held || err != nil {
			return held, err
		}
		if time.Now().After(end) {
			return false, nil
		}
	}
}

func (l *lab) sleep(length time.Duration) {
	select {
	case <-l.ctx.Done():
	case <-time.After(length):
	}
}

// nodeOf returns the pod's node, empty if it has none.
func (l *lab) nodeOf(pod string) (string, error) {
	found, err := l.cluster.Client.CoreV1().Pods("default").Get(l.ctx, pod, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return found.Spec.NodeName, nil
}

// waitBound waits until the pod has a node. It returns the node, empty if there is still none when patience is at its
// end, and how long after the pod's creation that was.
func (l *lab) waitBound(pod string) (node string, after time.Duration, err error) {
	_, err = l.until(patience, func() (bool, error) {
		node, err = l.nodeOf(pod)
		return node != "", err
	})
	return node, time.Since(l.created[pod]), err
}

// attempts returns what the scheduler has printed of each cycle of the pod that is over.
func (l *lab) attempts(pod string) (blocks []string) {
	text, err := os.ReadFile(l.scheduler.LogPath)
	if err != nil {
		return nil
	}
	all := strings.Split(string(text), "\n\n")
	for _, block := range all[:len(all)-1] { // a blank line ends each
		// A line of the log may come before it.
		if at := strings.Index("\n"+block, "\ndefault/"+pod+", attempt "); at >= 0 {
			blocks = append(blocks, block[at:])
		}
	}
	return blocks
}

// waitAttempts waits until the pod has had so many cycles, and reports whether it had.
func (l *lab) waitAttempts(pod string, count int) (bool, error) {
	return l.until(patience, func() (bool, error) { return len(l.attempts(pod)) >= count, l.ctx.Err() })
}
