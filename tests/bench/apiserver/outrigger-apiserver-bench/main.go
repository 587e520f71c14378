// Command outrigger-apiserver-bench measures `outrigger lab apiserver` next to etcd and kube-apiserver: how soon it is
// ready, how fast it takes nodes and pods, with watchers too, how long the list of all pods takes, and what memory it
// wants. Both are asked the same by the same client, one after the other. scripts/bench --lab runs it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"outrigger.dev/outrigger/tests/bench/sheet"
	"outrigger.dev/outrigger/tests/support/cluster"
)

// figures are of one server.
type figures struct {
	ReadySeconds float64 `json:"readySeconds"`
	NodesSeconds float64 `json:"nodesSeconds"` // from the start of the program, nodes included
	PodsPerSec   float64 `json:"podsPerSecond"`
	ListSeconds  float64 `json:"listSeconds"`
	MegaBytes    float64 `json:"megaBytes"`
}

type report struct {
	Nodes    int             `json:"nodes"`
	Pods     int             `json:"pods"`
	Watchers int             `json:"watchers"`
	Real     figures         `json:"real"`
	Lab      figures         `json:"lab"`
	Verdicts []sheet.Verdict `json:"verdicts"`
}

var targets = []sheet.Target[report]{
	{What: "ready, ms", AtMost: 100, Figure: func(r report) (float64, bool) { return r.Lab.ReadySeconds * 1000, true }},
	{What: "with its nodes, s", AtMost: 2, Figure: func(r report) (float64, bool) { return r.Lab.NodesSeconds, r.Nodes >= 5000 }},
	{What: "pods created, times as fast", AtLeast: 5, Figure: func(r report) (float64, bool) {
		return r.Lab.PodsPerSec / r.Real.PodsPerSec, r.Real.PodsPerSec > 0
	}},
	{What: "memory, part of the real one's", AtMost: 0.25, Figure: func(r report) (float64, bool) {
		return r.Lab.MegaBytes / r.Real.MegaBytes, r.Pods >= 50_000
	}},
}

func main() {
	program := flag.String("outrigger", "", "the program")
	nodes := flag.Int("nodes", 5000, "nodes")
	pods := flag.Int("pods", 50_000, "pods")
	watchers := flag.Int("watchers", 10, "watches of all pods meanwhile")
	out := flag.String("out", "", "where apiserver.json goes")
	flag.Parse()
	r := report{Nodes: *nodes, Pods: *pods, Watchers: *watchers}
	var err error
	if r.Lab, err = measure(r, *program); err == nil {
		r.Real, err = measure(r, "")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "apiserver bench:", err)
		os.Exit(2)
	}
	r.Verdicts = sheet.Judge(targets, r)
	for _, of := range []struct {
		name string
		figures
	}{{"kube-apiserver and etcd", r.Real}, {"outrigger lab apiserver", r.Lab}} {
		fmt.Printf("%-24s ready %6.0f ms, %d nodes after %5.1f s, %6.0f pods/s, list of all %5.2f s, %5.0f MB\n", of.name,
			of.ReadySeconds*1000, r.Nodes, of.NodesSeconds, of.PodsPerSec, of.ListSeconds, of.MegaBytes)
	}
	for _, v := range r.Verdicts {
		fmt.Printf("%s %-32s %8.2f %s\n", v.Word(), v.Target, v.Figure, v.Limit())
	}
	if *out != "" {
		text, _ := json.MarshalIndent(r, "", "  ")
		if err := os.WriteFile(filepath.Join(*out, "apiserver.json"), append(text, '\n'), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	if sheet.Missed(r.Verdicts) {
		os.Exit(1)
	}
}

func measure(r report, program string) (f figures, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "outrigger-apiserver-bench-")
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(dir)
	var c *cluster.Cluster
	began := time.Now()
	if program != "" {
		c, err = cluster.StartLab(ctx, dir, program, cluster.Options{})
	} else {
		c, err = cluster.Start(ctx, dir, cluster.Options{})
	}
	if err != nil {
		return f, err
	}
	defer c.Stop()
	f.ReadySeconds = c.ReadyAfter.Seconds()
	if err := inParallel(r.Nodes, func(i int) error {
		_, err := c.Client.CoreV1().Nodes().Create(ctx, node(i), metav1.CreateOptions{})
		return err
	}); err != nil {
		return f, err
	}
	f.NodesSeconds = time.Since(began).Seconds()
	stop := watch(ctx, c.Client, r.Watchers)
	began = time.Now()
	if err := inParallel(r.Pods, func(i int) error {
		_, err := c.Client.CoreV1().Pods("default").Create(ctx, pod(i), metav1.CreateOptions{})
		return err
	}); err != nil {
		return f, err
	}
	f.PodsPerSec = float64(r.Pods) / time.Since(began).Seconds()
	stop()
	began = time.Now()
	if _, err := c.Client.CoreV1().RESTClient().Get().AbsPath("/api/v1/pods").SetHeader("Accept", "application/json").DoRaw(ctx); err != nil {
		return f, err
	}
	f.ListSeconds = time.Since(began).Seconds()
	f.MegaBytes, err = memoryOf(c.Pids()...)
	return f, err
}

// inParallel runs do for 0 to n-1, by 32 at once.
func inParallel(n int, do func(i int) error) error {
	next, failed := make(chan int), make(chan error, 1)
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// watch reads all pods n times over, and throws them away, until it is stopped.
func watch(ctx context.Context, client kubernetes.Interface, n int) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			stream, err := client.CoreV1().RESTClient().Get().AbsPath("/api/v1/pods").Param("watch", "true").Stream(ctx)
			if err != nil {
				return
			}
			defer stream.Close()
			for buffer := make([]byte, 1<<16); ; {
				if _, err := stream.Read(buffer); err != nil {
					return
				}
			}
		})
	}
	return func() {
		cancel()
		group.Wait()
	}
}

func node(i int) *corev1.Node {
	room := corev1.ResourceList{"cpu": resource.MustParse("32"), "memory": resource.MustParse("128Gi"), "pods": resource.MustParse("110")}
	name := fmt.Sprintf("node-%04d", i)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}},
		Status: corev1.NodeStatus{Allocatable: room, Capacity: room,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
}

func pod(i int) *corev1.Pod {
	container := corev1.Container{Name: "main", Image: "registry.example/app:1"}
	container.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%05d", i), Labels: map[string]string{"app": "bench"}},
		Spec:       corev1.PodSpec{SchedulerName: "nobody", Containers: []corev1.Container{container}},
	}
}

// memoryOf is what processes have in memory, in MB.
func memoryOf(pids ...int) (float64, error) {
	sum := 0.0
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				kilobytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				if err != nil {
					return 0, err
				}
				sum += kilobytes / 1024
			}
		}
	}
	return sum, nil
}
