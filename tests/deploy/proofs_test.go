package deploy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
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
	"queue-scheduler":                {works: explainsQueue, left: []string{lease("riya-scheduler")}},
	"extender.devices":               {prepare: installDevices, works: allocates, left: []string{lease("outrigger"), lease("outrigger-devices")}},
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

func lease(name string) string { return leaseIn(metav1.NamespaceSystem, name) }

func state(name string) string { return stateIn(metav1.NamespaceSystem, name) }

func leaseIn(namespace, name string) string {
	return "leases/" + namespace + "/" + name
}

func stateIn(namespace, name string) string { return "configmaps/" + namespace + "/" + name }

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

// explainsQueue tells which pods wait, on the pod's loopback, to which kubectl port-forward connects.
func explainsQueue(r *run) {
	placesGang(r)
	for name, priority := range map[string]string{"low": "1", "high": "2"} {
		r.Pods(r.makePod(name).Request(corev1.ResourceCPU, "100").Label("groupPriority", priority))
	}
	agent := fmt.Sprintf("http://127.0.0.1:%d", adminPorts(r.pod)["gang-qos"])
	r.until("explain queue", func(context.Context) error {
		command := []string{"netns", "exec", r.pod.NetworkNamespace(), outrigger.Binary(r), "explain", "queue", "--agent", agent}
		out, err := exec.Command("ip", command...).CombinedOutput()
		high, low := strings.Index(string(out), "default/high"), strings.Index(string(out), "default/low")
		if err != nil || high < 0 || low < high {
			return fmt.Errorf("not default/high before default/low: %w: %s", err, out)
		}
		return nil
	})
}

// allocates gives a pod the devices of its claim.
func allocates(r *run) {
	placesPod(r)
	const start = "../../agents/devices/examples/start/"
	devices := r.edited(start+"devices.yaml", [2]string{"NODE", "worker-1"})
	r.Nodes(kube.MakeNode("worker-1"))
	r.kubectl("apply", "-f", devices, "-f", start+"first.yaml")
	if pod := r.Until("first", "bound", scheduling.IsBound); pod.Spec.NodeName != "worker-1" {
		r.Errorf("it is on %s, where no device is", pod.Spec.NodeName)
	}
	r.kubectl("delete", "-f", devices, "-f", start+"first.yaml", "--grace-period=0", "--force")
	r.kubectl("delete", "deviceclaims", "--all", "-n", "default") // the pod owns it: no collector is here
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
