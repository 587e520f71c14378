package penalty_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/penalty"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/world"
)

func TestGroupsHistoryAndWritesOnARealAPIServer(t *testing.T) {
	w := world.New(t, 10*time.Minute)
	t.Run("groups", func(t *testing.T) { checkGroups(t, &w) })
	t.Run("history", func(t *testing.T) { checkHistory(t, &w) })
	t.Run("writes", func(t *testing.T) { checkWrites(t, &w) })
}

func checkGroups(t *testing.T, w *world.World) {
	for range 2 { // a cluster may have Volcano already
		groups, err := penalty.InstallGroups(w.Ctx, w.Cluster.Config)
		w.Must(err)
		group := penalty.Group{Namespace: "default", Name: fmt.Sprintf("g-%d", time.Now().UnixNano()), Class: "gold", Queue: "q"}
		w.Must(groups.Run(w.Ctx, group, penalty.Pending, penalty.Running))
		w.Must(groups.Annotate(w.Ctx, group, penalty.CountedAnnotation, "1 started"))
		if counted, err := groups.Counted(w.Ctx, group); err != nil || counted != "1 started" {
			t.Errorf("%q, %v", counted, err)
		}
		var text string
		w.Must(kube.Eventually(w.Ctx, process.Patience, func(ctx context.Context) (err error) {
			// Discovery, by which kubectl knows the kind, may hear of it after who serves it.
			text, err = w.Cluster.Kubectl(ctx, "get", "podgroups", group.Name, "--no-headers", "-o",
				"custom-columns=:.status.phase,:.spec.queue,:.spec.priorityClassName,:.spec.minMember")
			return err
		}))
		if fields := strings.Fields(text); !slices.Equal(fields, []string{penalty.Running, "q", "gold", "1"}) {
			t.Errorf("it is %q", text)
		}
		if err := groups.Enter(w.Ctx, penalty.Group{Namespace: "default", Name: "missing"}, penalty.Running); err == nil {
			t.Error("what is not there enters a phase")
		}
	}
}

func checkHistory(t *testing.T, w *world.World) {
	classes := w.Client.SchedulingV1().PriorityClasses()
	make := func(value int32) {
		_, err := classes.Create(w.Ctx, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: "gold"}, Value: value}, metav1.CreateOptions{})
		w.Must(err)
	}
	make(1)
	history, err := penalty.Follow(w.Ctx, w.Client, "gold")
	w.Must(err)
	for value := int32(2); value < 5; value++ {
		w.Must(classes.Delete(w.Ctx, "gold", metav1.DeleteOptions{}))
		make(value)
	}
	w.Must(kube.Eventually(w.Ctx, process.Patience, func(context.Context) error {
		made, err := history.Made()
		var values []int32
		for _, seen := range made {
			values = append(values, seen.Class.Value)
		}
		if err == nil && !slices.Equal(values, []int32{1, 2, 3, 4}) {
			err = fmt.Errorf("made were %v", values)
		}
		return err
	}))
	if seen, _ := history.Seen(); len(seen) != 7 {
		t.Errorf("%d events", len(seen))
	}
}

func checkWrites(t *testing.T, w *world.World) {
	proxy := w.FaultyServer()
	writes := penalty.WatchWrites(proxy)
	config := w.ConfigThrough(proxy, "through", rest.CopyConfig(w.Cluster.Config))
	create := func(name string) error {
		client, err := kube.NewClient(config)
		w.Must(err)
		ctx, cancel := context.WithTimeout(w.Ctx, 5*time.Second)
		defer cancel()
		_, err = client.CoreV1().ConfigMaps("default").Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		return err
	}
	exists := func(name string) bool {
		_, err := w.Client.CoreV1().ConfigMaps("default").Get(w.Ctx, name, metav1.GetOptions{})
		return err == nil
	}
	for _, after := range []bool{false, true} {
		prefix := fmt.Sprintf("after-%v-", after)
		ended := 0
		done := writes.EndAt(2, after, func() { ended++ })
		if err := create(prefix + "1"); err != nil || ended != 0 {
			t.Errorf("the first: %v, ended %d times", err, ended)
		}
		if err := create(prefix + "2"); err == nil || ended != 1 || exists(prefix+"2") != after {
			t.Errorf("the second, after its answer %v: %v, ended %d times, is there: %v", after, err, ended, exists(prefix+"2"))
		}
		<-done
		if err := create(prefix + "3"); err == nil || exists(prefix+"3") {
			t.Errorf("the third gets through: %v", err)
		}
		if log := writes.Log(); len(log) != 2 || log[1].String() != "POST configmaps" || log[1].Number != 2 {
			t.Errorf("the log is %v", log)
		}
		writes.Open()
		if err := create(prefix + "4"); err != nil || len(writes.Log()) != 1 {
			t.Errorf("the fourth: %v, log %v", err, writes.Log())
		}
	}
}
