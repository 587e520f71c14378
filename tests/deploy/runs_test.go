package deploy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/containers"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/metricsapi"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// ownClass is a class that tests make, and base its value.
const (
	ownClass = "batch"
	base     = 1000
)

// run is a pod of a file's Deployment that runs, and what it runs for.
type run struct {
	*world
	pod       *containers.Pod
	scheduler string // by which pods choose it
}

// proof is what a file's pod has to do, with the rights that the file gives it, and what stays when the file is deleted.
type proof struct {
	prepare func(w *world) // before the file is applied; nil: nothing
	edits   [][2]string    // of the file: shorter times
	works   func(r *run)
	after   func(w *world) // when the pod has ended, before the file is deleted; nil: nothing
	left    []string       // in kube-system
}

// proofs are those of files, by name. A file of a scheduler that is not named places a pod, and leaves its Lease.
var proofs = map[string]proof{
	"extender.gang":                  {works: placesGang, left: []string{lease("outrigger")}},
	"extender.gang.qos":              {works: placesGang, left: []string{lease("outrigger")}},
	"extender.gang.safe.congestion":  {works: placesGang, left: []string{lease("outrigger")}},
	"queue-scheduler":                {works: placesGang, left: []string{lease("riya-scheduler")}},
	"extender.devices":               {prepare: installDevices, works: placesPod, left: []string{lease("outrigger"), lease("outrigger-devices")}},
	"extender.penalty":               {works: preempts, left: []string{lease("outrigger"), lease("outrigger-penalty")}},
	"extender.pigeon":                {works: placesPod, left: []string{lease("outrigger"), state("outrigger-pigeon")}},
	"extender.reward":                {works: placesPod, left: []string{lease("outrigger"), lease("outrigger-reward")}},
	"controller.penalty":             {prepare: installGroups, works: penalises, after: restoreClasses, left: []string{lease("outrigger-penalty")}},
	"controller.gang":                {works: releases, left: []string{lease("outrigger-gang")}},
	"controller.annotate-usage":      {prepare: installMetrics, edits: [][2]string{everySecond}, works: annotates, left: []string{lease("outrigger-annotate-usage")}},
	"controller.annotate-allocation": {works: annotates, left: []string{lease("outrigger-annotate-allocation")}},
}

// everySecond measures as often.
var everySecond = [2]string{`source: metrics"`, `source: metrics\nwindow: 4\ninterval: 1\nstep: 1"`}

func lease(name string) string { return "leases.coordination.k8s.io kube-system/" + name }

func state(name string) string { return "configmaps kube-system/" + name }

// Each Deployment's pod, started as it says: its containers become ready, do what they are for, are denied nothing, and
// end within the grace period with exit code 0.
func TestPodsRunAsTheirFilesSay(t *testing.T) {
	t.Parallel()
	for name, m := range manifests(t) {
		deployment := m.deployment(t)
		if deployment == nil {
			continue
		}
		scheduler := m.schedulerName(t)
		wanted, known := proofs[name]
		if !known && scheduler == "" {
			t.Errorf("%s: nobody says what it has to do", m.path)
			continue
		}
		if !known {
			wanted = proof{works: placesPod, left: []string{lease(scheduler)}}
		}
		t.Run(name, func(t *testing.T) {
			if name != "extender.gang" {
				scheduling.Long(t)
			}
			t.Parallel()
			w := newWorld(t)
			if wanted.prepare != nil {
				wanted.prepare(w)
			}
			w.makeRestricted()
			path := m.path
			if wanted.edits != nil {
				path = w.edited(name, wanted.edits)
			}
			before := w.objects()
			w.kubectl("apply", "-f", path)
			w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
			w.checkRestricted(deployment)
			pod := w.start(w.deployment(deployment.Namespace, deployment.Name))
			w.untilReady(pod)
			w.checkAddresses(pod)
			wanted.works(&run{w, pod, scheduler})
			w.Must(pod.Ready(w.Ctx))
			w.stop(pod)
			w.checkLogs(pod)
			if wanted.after != nil {
				wanted.after(w)
			}
			w.removeOwn()
			w.kubectl("delete", "-f", m.path)
			w.checkObjects(before, wanted.left...)
		})
	}
}

// restricted is a namespace in which pods must obey the standard of that name.
const restricted = "restricted"

func (w *world) makeRestricted() {
	w.Helper()
	_, err := w.Client.CoreV1().Namespaces().Create(w.Ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: restricted, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}, metav1.CreateOptions{})
	w.Must(err)
}

// checkRestricted asks the API server whether the pod obeys.
func (w *world) checkRestricted(deployment *appsv1.Deployment) {
	w.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: deployment.Name}, Spec: deployment.Spec.Template.Spec}
	if _, err := w.Client.CoreV1().Pods(restricted).Create(w.Ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		w.Error(err)
	}
}

// removeOwn removes what the test itself has made.
func (w *world) removeOwn() {
	w.Helper()
	at, all := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}, metav1.ListOptions{}
	w.Must(w.Client.CoreV1().Pods(metav1.NamespaceDefault).DeleteCollection(w.Ctx, at, all))
	w.Must(w.Client.CoreV1().Nodes().DeleteCollection(w.Ctx, at, all))
	if err := w.Client.SchedulingV1().PriorityClasses().Delete(w.Ctx, ownClass, at); !apierrors.IsNotFound(err) {
		w.Must(err)
	}
}

// Of two replicas one acts; the other takes over when that one ends.
func TestReplicasTakeTurns(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	w := newWorld(t)
	m := manifests(t)["extender.gang"]
	w.kubectl("apply", "-f", m.path)
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	deployment := w.deployment("kube-system", m.deployment(t).Name)
	replicas := []*containers.Pod{w.start(deployment), w.start(deployment)}
	for _, replica := range replicas {
		w.untilReady(replica)
	}
	for turn := range replicas {
		(&run{w, nil, m.schedulerName(t)}).placesGangOf(fmt.Sprintf("turn-%d", turn))
		holder := w.holder("outrigger")
		leads := slices.IndexFunc(replicas, func(replica *containers.Pod) bool { return strings.HasPrefix(holder, replica.Name+"_") })
		if leads < 0 {
			t.Fatalf("the Lease is held by %s", holder)
		}
		w.stop(replicas[leads])
		w.checkLogs(replicas[leads])
		replicas = slices.Delete(replicas, leads, leads+1)
	}
}

// holder is who holds a Lease.
func (w *world) holder(name string) string {
	w.Helper()
	lease, err := w.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(w.Ctx, name, metav1.GetOptions{})
	w.Must(err)
	if lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

func (r *run) makePod(name string) *kube.PodBuilder {
	return kube.MakePod(name).Scheduler(r.scheduler).Request(corev1.ResourceCPU, "1")
}

// until waits for something that the API server tells.
func (r *run) until(what string, condition func(ctx context.Context) error) {
	r.Helper()
	if err := kube.Eventually(r.Ctx, scheduling.Patience, condition); err != nil {
		r.Fatalf("%s: %v", what, err)
	}
}

func placesPod(r *run) {
	r.Pods(kube.MakePod("other"), r.makePod("p"))
	r.Until("p", "bound", scheduling.IsBound)
	if pod := r.Tracker.Pod("default", "other"); scheduling.IsBound(pod) {
		r.Error("it took a pod of the cluster's own scheduler")
	}
}

func placesGang(r *run) {
	placesPod(r)
	r.placesGangOf("g")
}

func (r *run) placesGangOf(name string) {
	r.Helper()
	members := []string{name + "-0", name + "-1"}
	for _, member := range members {
		r.Pods(r.makePod(member).Label("podGroup", name).Label("minAvailable", "2"))
	}
	for _, member := range members {
		r.Until(member, "bound", scheduling.IsBound)
	}
}

// preempts asks the agent which pods may go for one that does not fit.
func preempts(r *run) {
	for _, name := range []string{"full-a", "full-b"} {
		r.Pods(r.makePod(name).Request(corev1.ResourceCPU, "6"))
		r.Until(name, "bound", scheduling.IsBound)
	}
	r.Pods(r.makePod("urgent").Request(corev1.ResourceCPU, "6").PriorityClass("system-cluster-critical"))
	r.Until("urgent", "bound", scheduling.IsBound)
}

// releases takes the gate of a pod that fits.
func releases(r *run) {
	r.Pods(kube.MakePod("p").Gate("outrigger.dev/queue"))
	r.Until("p", "released", func(pod *corev1.Pod) bool { return len(pod.Spec.SchedulingGates) == 0 })
}

// annotates writes annotations of each node.
func annotates(r *run) {
	r.until("annotations of all nodes", func(ctx context.Context) error {
		nodes, err := r.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		for _, node := range nodes.Items {
			if len(node.Annotations) == 0 {
				return fmt.Errorf("node %s has none", node.Name)
			}
		}
		return err
	})
}

// adminPorts are those of a pod's programs of ours, by container.
func adminPorts(pod *containers.Pod) map[string]int {
	ports := map[string]int{}
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if container.Name != "kube-scheduler" && container.ReadinessProbe != nil {
			ports[container.Name] = container.ReadinessProbe.HTTPGet.Port.IntValue()
		}
	}
	return ports
}

// checkAddresses: the pod's address has metrics, and neither pages nor calls; kubectl port-forward finds the pages on the
// pod's own loopback.
func (w *world) checkAddresses(pod *containers.Pod) {
	w.Helper()
	ports := adminPorts(pod)
	if len(ports) == 0 {
		w.Errorf("pod %s has no admin port", pod.Name)
	}
	for container, port := range ports {
		admin := fmt.Sprintf("http://%s:%d", pod.IP(), port)
		if text := w.ask(http.MethodGet, admin+"/metrics", ""); !strings.Contains(text, "outrigger_build_info{") {
			w.Errorf("%s: /metrics: %.200s", container, text)
		}
		if response, err := http.Get(admin + "/version"); err != nil || response.StatusCode != http.StatusForbidden {
			w.Errorf("%s: a page at the pod's address: %v, %v", container, response, err)
		}
		calls := net.JoinHostPort(pod.IP(), strconv.Itoa(port-100))
		if connection, err := net.Dial("tcp", calls); err == nil {
			connection.Close()
			w.Errorf("%s: calls can be made at %s", container, calls)
		}
		page := fmt.Sprintf("http://127.0.0.1:%d/version", port)
		if out, err := exec.Command("ip", "netns", "exec", pod.NetworkNamespace(), "curl", "-sSf", page).CombinedOutput(); err != nil {
			w.Errorf("%s: a page on the pod's loopback: %v: %s", container, err, out)
		}
	}
}

func installMetrics(w *world) {
	metrics := metricsapi.ForTest(w.T, w.Client)
	for _, node := range []string{"a", "b"} {
		metrics.Set(node, metricsapi.Usage{Cpu: "500m", Memory: "1Gi"})
	}
}

func installDevices(w *world) { w.kubectl("apply", "-f", filepath.Join(folder, "devices")) }

func installGroups(w *world) {
	_, err := penalty.InstallGroups(w.Ctx, w.Cluster.Config)
	w.Must(err)
}

// penalises lowers the class of a group that starts, and gives it back when it is asked to.
func penalises(r *run) {
	_, err := r.Client.SchedulingV1().PriorityClasses().Create(r.Ctx, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: ownClass, Labels: map[string]string{"outrigger.dev/penalise": "true"}}, Value: base,
	}, metav1.CreateOptions{})
	r.Must(err)
	groups, err := penalty.InstallGroups(r.Ctx, r.Cluster.Config)
	r.Must(err)
	r.until("the agent has looked at what there is", func(ctx context.Context) error {
		metrics := fmt.Sprintf("http://%s:%d/metrics", r.pod.IP(), adminPorts(r.pod)["penalty"])
		if text := r.ask(http.MethodGet, metrics, ""); !strings.Contains(text, "outrigger_penalty_value{") {
			return errors.New("no class is known")
		}
		return nil
	})
	group := penalty.Group{Namespace: "default", Name: "g", Class: ownClass}
	r.Must(groups.Run(r.Ctx, group, penalty.Pending, penalty.Inqueue, penalty.Running))
	r.until("the class is lowered", func(ctx context.Context) error {
		class, err := r.Client.SchedulingV1().PriorityClasses().Get(ctx, ownClass, metav1.GetOptions{})
		if err == nil && class.Value >= base {
			err = fmt.Errorf("its value is %d", class.Value)
		}
		return err
	})
	r.kubectl("delete", "podgroups.scheduling.volcano.sh", "--all", "-n", "default")
}

// restoreClasses is what the head of the file says.
func restoreClasses(w *world) {
	kubeconfig, err := w.Cluster.WriteKubeconfig("admin", w.Cluster.Config)
	w.Must(err)
	outrigger.Run(w, "penalty", "restore", "--all", "--kubeconfig", kubeconfig)
	class, err := w.Client.SchedulingV1().PriorityClasses().Get(w.Ctx, ownClass, metav1.GetOptions{})
	w.Must(err)
	if class.Value != base {
		w.Errorf("restored to %d, not to %d", class.Value, base)
	}
}
