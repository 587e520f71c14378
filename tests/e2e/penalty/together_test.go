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
				PriorityClass(group.Class). // a group has no higher one than its pods
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

	looks := w.lookInTheGap(proxy, "gold", "job-1", before)
	after := []unit{{"default/s", 2000}, {"default/g", 1500}}
	w.untilQueue(after)
	// All three hear of what comes later, too.
	looks += w.lookInTheGap(proxy, "silver", "job-2", after)
	w.untilQueue([]unit{{"default/g", 1500}, {"default/s", 500}})
	w.untilCounted("silver", 1, 0)
	if looks == 0 {
		t.Error("no look at the queue came in time")
	}
}

// lookInTheGap starts a PodGroup of a class, which is away then, and looks at the queue as long as the value of a class
// that has gone is kept: a second. It returns how many looks were in time, in all of which the queue was the same.
func (w *world) lookInTheGap(proxy *faults.Proxy, class, job string, same []unit) (looks int) {
	w.Helper()
	let := make(chan struct{})
	held := proxy.Inject(faults.Rule{Match: penalty.Creates, Hold: let, Times: 1})
	defer held.Remove()
	defer close(let)
	was := time.Now() // the class was still there
	w.run(class, job)
	w.eventually(func(context.Context) error {
		if asked := time.Now(); w.class(class) != nil {
			was = asked
			return fmt.Errorf("class %s is still there", class)
		}
		if held.Hits() == 0 {
			return fmt.Errorf("class %s is not to be made again", class)
		}
		return nil
	})
	for time.Since(was) < 700*time.Millisecond {
		queue, err := w.queue()
		if time.Since(was) >= time.Second {
			break
		}
		if err != nil || !slices.Equal(queue, same) {
			w.Fatalf("in the gap of class %s the queue is %v, %v", class, queue, err)
		}
		looks++
	}
	w.Logf("looked %d times in the gap of class %s", looks, class)
	return looks
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
