package deploy

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/containers"
	"outrigger.dev/outrigger/tests/support/kube"
)

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
			t.Parallel()
			w := newWorld(t)
			if wanted.prepare != nil {
				wanted.prepare(w)
			}
			w.makeRestricted()
			path := w.edited(m.path, wanted.edits...)
			before := w.objects()
			w.kubectl("apply", "-f", path)
			w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
			w.checkRestricted(deployment)
			w.untilGranted(m)
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

// All agents that one scheduler can have, each in a container of its own, in a namespace that allows no more than they
// need: what is written goes there, too.
func TestAllAgentsRunInANamespaceOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRestricted()
	m := readManifest(t, w.rendered("gang,qos", "safe", "congestion", "reward", "pigeon", "penalty", "template",
		"--namespace", restricted, "--scheduler-name", "mine"))
	before := w.objects()
	w.kubectl("apply", "--validate=strict", "-f", m.path)
	w.untilGranted(m)
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	pod := w.start(w.deployment(restricted, "mine"))
	w.untilReady(pod)
	w.checkAddresses(pod)
	placesGang(&run{w, pod, "mine"})
	w.stop(pod)
	w.checkLogs(pod)
	w.removeOwn()
	w.kubectl("delete", "-f", m.path)
	w.checkObjects(before, leaseIn(restricted, "mine"), leaseIn(restricted, "outrigger-reward"),
		leaseIn(restricted, "outrigger-penalty"), stateIn(restricted, "outrigger-pigeon"))
}

// Of two replicas one acts; the other takes over when that one ends.
func TestReplicasTakeTurns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := manifests(t)["extender.gang"]
	w.kubectl("apply", "-f", m.path)
	w.Nodes(kube.MakeNode("a"), kube.MakeNode("b"))
	w.untilGranted(m)
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
