package penalty

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// unit is a row of the page queue.
type unit struct {
	Unit     string
	Priority int64
}

// gang, qos and penalty in one process: a new value changes the order of the queue, the gap changes nothing.
func TestTheOrderOfGangsStandsStillInTheGap(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	w.Nodes(kube.MakeNode("full").Resource(corev1.ResourceCPU, "1"))
	w.create(class("gold", 3000), class("silver", 2000))
	for _, group := range []penalty.Group{groupOf("gold", "g"), groupOf("silver", "s")} {
		w.Must(w.groups.Run(w.Ctx, group, penalty.Pending))
		for i := range 2 {
			w.Pods(kube.MakePod(fmt.Sprintf("%s-%d", group.Name, i)).Request(corev1.ResourceCPU, "1").
				Annotation("scheduling.k8s.io/group-name", group.Name))
		}
	}
	proxy := w.FaultyServer()
	kubeconfig := w.KubeconfigThrough(proxy, "together", w.rightsOf("gang,qos,penalty"))
	w.agent = outrigger.Serve(w, "together", w.Cluster.LogDir(), "gang,qos,penalty", append([]string{
		"--kubeconfig", kubeconfig, "--gang.scheduler-lease", "none"},
		flags(settings{"start": "flat 1500", "floor": "101", "allow-crossing": "true"})...)...)
	w.agent.UntilReady(w)
	w.untilLeads(w.agent)
	w.untilLooked()
	before := []unit{{"default/g", 3000}, {"default/s", 2000}}
	w.untilQueue(before)

	let := make(chan struct{})
	held := proxy.Inject(faults.Rule{Match: penalty.Creates, Hold: let, Times: 1})
	w.run("gold", "job-1")
	w.eventually(func(context.Context) error {
		if held.Hits() == 0 || w.class("gold") != nil {
			return fmt.Errorf("the class is still there")
		}
		return nil
	})
	looks := 0
	for began := time.Now(); time.Since(began) < 500*time.Millisecond; looks++ {
		if queue, err := w.queue(); err != nil || !slices.Equal(queue, before) {
			t.Fatalf("in the gap the queue is %v, %v", queue, err)
		}
	}
	t.Logf("looked %d times in a gap of 0.5 s", looks)
	close(let)
	w.untilQueue([]unit{{"default/s", 2000}, {"default/g", 1500}})
	// All three hear of what comes later, too.
	w.run("silver", "job-2")
	w.untilQueue([]unit{{"default/g", 1500}, {"default/s", 500}})
	w.untilCounted("silver", 1, 0)
}

func (w *world) queue() ([]unit, error) {
	status, body := w.agent.Ask("/queue")
	var page struct{ Rows []unit }
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		return nil, fmt.Errorf("GET /queue: %d: %w: %s", status, err, body)
	}
	return page.Rows, nil
}

func (w *world) untilQueue(want []unit) {
	w.Helper()
	w.eventually(func(context.Context) error {
		queue, err := w.queue()
		if err == nil && !slices.Equal(queue, want) {
			err = fmt.Errorf("the queue is %v, want %v", queue, want)
		}
		return err
	})
}
