package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// calls prints how many calls there were, and how long they took.
func (p *printer) calls(s *stage) {
	calls, _ := s.recorder.Calls() // an error would have ended the play
	counts := map[string]int{}
	var times []time.Duration
	for _, c := range calls {
		counts[c.agent+" "+c.verb]++
		times = append(times, c.took)
	}
	slices.Sort(times)
	var parts []string
	for _, kind := range []string{"safe filter", "safe prioritize", "congestion prioritize"} {
		parts = append(parts, fmt.Sprintf("%s %d", kind, counts[kind]))
	}
	p.line("%d calls of kube-scheduler (%s).", len(times), strings.Join(parts, ", "))
	p.line("Median %.2f ms from the proxy to an agent and back, HTTP on the loopback included.",
		float64(times[len(times)/2].Microseconds())/1000)
}

// verdict prints what was not as promised, which is an error.
func (p *printer) verdict(r *report) error {
	for _, broken := range r.broken {
		p.line("%s %s", p.in(red, "NOT AS PROMISED:"), broken)
	}
	if len(r.broken) == 0 {
		p.line("%s", p.in(green, fmt.Sprintf("demo: all %d promises kept", r.promises)))
		return nil
	}
	return fmt.Errorf("%d of %d promises are broken", len(r.broken), r.promises)
}

// waitForCtrlC leaves everything running, with one more pending pod to play with.
func waitForCtrlC(ctx context.Context, s *stage, out *printer) error {
	pod := podSpec{name: "waiting", cpu: "6", memory: "2Gi"}.build()
	if _, err := s.cluster.Client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	kubeconfig, err := s.cluster.WriteKubeconfig("kubectl", s.cluster.Config)
	if err != nil {
		return err
	}
	out.line(`
The cluster runs until Ctrl-C; files and logs are in %s. In another terminal:

    export KUBECONFIG=%s
    alias kubectl=%s

    kubectl get pods -o wide
    kubectl describe pod waiting           # the agent's reason is in its events
    kubectl annotate node erratic mean-free-cpu=7500 std-free-cpu=100 --overwrite
    kubectl get pod waiting -o wide        # placed now
    curl -s %s/metrics | grep rejected

Agents: safe %s, congestion %s; the proxy that records is %s.`,
		s.dir, kubeconfig, s.cluster.Binary("kubectl"), s.agents["safe"].AdminURL,
		s.agents["safe"].URL, s.agents["congestion"].URL, s.recorder.URL)
	<-ctx.Done()
	return nil
}
