package apiserver

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
	"outrigger.dev/outrigger/tests/support/relay"
)

// everyKind is each kind that kube-scheduler watches.
var everyKind = map[schema.GroupVersion][]string{
	{Version: "v1"}: {"pods", "nodes", "namespaces", "services", "replicationcontrollers", "persistentvolumes",
		"persistentvolumeclaims"},
	{Group: "apps", Version: "v1"}:   {"replicasets", "statefulsets"},
	{Group: "policy", Version: "v1"}: {"poddisruptionbudgets"},
	{Group: "storage.k8s.io", Version: "v1"}: {"storageclasses", "csinodes", "csidrivers", "csistoragecapacities",
		"volumeattachments"},
	{Group: "resource.k8s.io", Version: "v1"}: {"resourceclaims", "resourceslices", "deviceclasses"},
}

// through is a client that reaches the server by a relay.
func through(t *testing.T, config *rest.Config, r *relay.Relay) kubernetes.Interface {
	t.Helper()
	changed := rest.CopyConfig(config)
	changed.Host = "http://" + r.Address()
	client, err := kube.NewClient(changed)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func config(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"v": value}}
}

func TestInformersOfAllKindsFollowThroughCutsAndAForgottenPast(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	c := startLab(t)
	r := relay.To(t, strings.TrimPrefix(c.Config.Host, "http://"))
	factory := informers.NewSharedInformerFactory(through(t, c.Config, r), 0)
	var all []informers.GenericInformer
	for group, resources := range everyKind {
		for _, resource := range resources {
			informer, err := factory.ForResource(group.WithResource(resource))
			if err != nil {
				t.Fatal(err)
			}
			_ = informer.Informer() // asked for, it is started
			all = append(all, informer)
		}
	}
	maps := factory.Core().V1().ConfigMaps()
	_ = maps.Informer()
	factory.Start(t.Context().Done())
	ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
	defer cancel()
	for _, informer := range all {
		if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
			t.Fatalf("the informer of %T has not begun", informer.Lister())
		}
	}
	sees := func(want map[string]string) error {
		seen, err := maps.Lister().ConfigMaps("default").List(labels.Everything())
		if err != nil {
			return err
		}
		values := map[string]string{}
		for _, one := range seen {
			values[one.Name] = one.Data["v"]
		}
		for name, value := range want {
			if values[name] != value {
				return fmt.Errorf("%s is %q in the cache, want %q", name, values[name], value)
			}
		}
		if len(values) != len(want) {
			return fmt.Errorf("%d in the cache, want %d: %v", len(values), len(want), values)
		}
		return nil
	}
	client := c.Client.CoreV1().ConfigMaps("default")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := client.Create(ctx, config("a", "1"), metav1.CreateOptions{})
	must(err)
	must(kube.Eventually(ctx, process.Patience, func(context.Context) error { return sees(map[string]string{"a": "1"}) }))
	r.Cut()
	_, err = client.Update(ctx, config("a", "2"), metav1.UpdateOptions{})
	must(err)
	must(kube.Eventually(ctx, process.Patience, func(context.Context) error { return sees(map[string]string{"a": "2"}) }))
	// More than the log keeps of the past: who comes back has to list anew.
	_, err = client.Create(ctx, config("big", "x"), metav1.CreateOptions{})
	must(err)
	r.Cut()
	large := strings.Repeat("y", 500_000)
	for i := range 300 {
		patch := fmt.Appendf(nil, `{"data":{"large":"%s%d"}}`, large, i)
		_, err = client.Patch(ctx, "big", types.MergePatchType, patch, metav1.PatchOptions{})
		must(err)
	}
	must(client.Delete(ctx, "a", metav1.DeleteOptions{}))
	must(kube.Eventually(ctx, process.Patience, func(context.Context) error { return sees(map[string]string{"big": "x"}) }))
}

// elect runs for a Lease until ctx ends, and closes leads when it has it.
func elect(ctx context.Context, client kubernetes.Interface, name string, leads chan struct{}) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "kube-system", Name: "someone"},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: name},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 200 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leads) },
			OnStoppedLeading: func() {},
		},
	})
}

func TestOfTwoThatRunForALeaseOneLeads(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	c := startLab(t)
	first, stop := context.WithCancel(t.Context())
	defer stop()
	one, two := make(chan struct{}), make(chan struct{})
	go elect(first, c.Client, "one", one)
	<-one
	go elect(t.Context(), c.Client, "two", two)
	select {
	case <-two:
		t.Fatal("both lead")
	case <-time.After(time.Second):
	}
	stop()
	select {
	case <-two:
	case <-time.After(process.Patience):
		t.Fatal("nobody leads after the first has let go")
	}
}
