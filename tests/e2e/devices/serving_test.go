package devices

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/devicejudge"
	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// serving is a control plane with the kinds, a kube-scheduler, and the agent.
type serving struct {
	*scheduling.World
	kinds  *world
	agent  *outrigger.Server
	rights *rest.Config
}

// newServing has neither nodes, agent nor scheduler yet.
func newServing(t *testing.T) *serving {
	t.Helper()
	w := scheduling.New(t)
	return &serving{World: w, kinds: installOn(w.World)}
}

// serve starts the agent, by a proxy unless that is nil, and the scheduler.
func (s *serving) serve(proxy *faults.Proxy, args ...string) {
	s.Helper()
	s.agent = s.replica("devices", proxy, args...)
	s.StartScheduler(s.Config(map[string]string{"devices": s.agent.URL}))
}

// replica starts an agent with exactly the rights that it asks for.
func (s *serving) replica(name string, proxy *faults.Proxy, args ...string) *outrigger.Server {
	s.Helper()
	if s.rights == nil {
		var err error
		s.rights, err = s.Cluster.ConfigWithManifest(s.Ctx,
			outrigger.Run(s, "agents", "--rbac", "devices", "--namespace", metav1.NamespaceSystem))
		s.Must(err)
	}
	kubeconfig := ""
	if proxy != nil {
		kubeconfig = s.KubeconfigThrough(proxy, name, s.rights)
	} else {
		var err error
		kubeconfig, err = s.Cluster.WriteKubeconfig(name, s.rights)
		s.Must(err)
	}
	agent := outrigger.Serve(s, name, s.Cluster.LogDir(), "devices", append([]string{"--kubeconfig", kubeconfig}, args...)...)
	agent.UntilReady(s)
	return agent
}

// make creates objects, each a kind, a name, and what follows its metadata.
func (s *serving) make(objects ...[3]string) {
	s.Helper()
	for _, each := range objects {
		_, err := s.kinds.create(object(s, each[0], each[1], each[2]))
		s.Must(err)
	}
}

// untilKnown waits until the agent has seen all objects that are there. A pod that is asked about before is refused for
// another reason, and nothing makes the scheduler try it again.
func (s *serving) untilKnown() {
	s.Helper()
	for _, kind := range []string{"DeviceDriver", "DeviceClass", "DevicePool", "DeviceClaim", "DevicePrivilegedClaim"} {
		resource := fmt.Sprintf(`resource="%s.devmgmtproto.k8s.io"`, kinds[kind].plural)
		s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(ctx context.Context) error {
			list, err := s.kinds.client(kinds[kind]).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			if known := s.agent.Metric(s, scheduling.NodesKnown, resource); known != float64(len(list.Items)) {
				return fmt.Errorf("the agent knows %v objects of %s, want %d", known, kind, len(list.Items))
			}
			return nil
		}))
	}
}

// pod needs nothing of a node but devices.
func pod(name, claims string) *kube.PodBuilder {
	return kube.MakePod(name).Annotation(devicejudge.Annotation, claims)
}

func (s *serving) claim(name string) *unstructured.Unstructured {
	s.Helper()
	claim, err := s.kinds.client(kinds["DeviceClaim"]).Get(s.Ctx, name, metav1.GetOptions{})
	s.Must(err)
	return claim
}

// untilClaim waits until a text of a claim's status is there.
func (s *serving) untilClaim(name, field, text string) {
	s.Helper()
	s.untilStatus("DeviceClaim", name, field, text)
}

func (s *serving) untilStatus(kind, name, field, text string) {
	s.Helper()
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(ctx context.Context) error {
		claim, err := s.kinds.client(kinds[kind]).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if is, _, _ := unstructured.NestedString(claim.Object, "status", field); !strings.Contains(is, text) {
			return fmt.Errorf("%s %s: status.%s is %q, want %q", kind, name, field, is, text)
		}
		return nil
	}))
}

// untilPool waits until the agent has written how many devices of a pool are free.
func (s *serving) untilPool(name string, free int64) {
	s.Helper()
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(ctx context.Context) error {
		pool, err := s.kinds.client(kinds["DevicePool"]).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if is, found, _ := unstructured.NestedInt64(pool.Object, "status", "freeDevices"); !found || is != free {
			return fmt.Errorf("pool %s has %d free devices, want %d", name, is, free)
		}
		return nil
	}))
}

// untilSound waits until pools, claims and pods agree, and nothing is under way any more.
func (s *serving) untilSound() {
	s.Helper()
	s.Must(kube.Eventually(s.Ctx, scheduling.Patience, func(ctx context.Context) error {
		state, err := devicejudge.Read(ctx, s.kinds.dynamic, s.Client)
		if err != nil {
			return err
		}
		if problems := devicejudge.Problems(state); len(problems) > 0 {
			return errors.New(strings.Join(problems, "\n"))
		}
		return nil
	}))
}

// untilRefused waits until the scheduler says of a pod that it fits nowhere, with these texts.
func (s *serving) untilRefused(name string, texts ...string) {
	s.Helper()
	s.Until(name, "refused with "+strings.Join(texts, ", "), func(pod *corev1.Pod) bool {
		condition := kube.Condition(pod, corev1.PodScheduled)
		for _, text := range texts {
			if condition.Reason != corev1.PodReasonUnschedulable || !strings.Contains(condition.Message, text) {
				return false
			}
		}
		return true
	})
}

// untilOn waits until a pod is bound, and expects that node unless it is empty.
func (s *serving) untilOn(name, node string) {
	s.Helper()
	bound := s.Until(name, "bound", scheduling.IsBound)
	if node != "" && bound.Spec.NodeName != node {
		s.Errorf("pod %s is on %s, want %s", name, bound.Spec.NodeName, node)
	}
}

func (s *serving) remove(pods ...string) {
	s.Helper()
	grace := int64(0)
	for _, name := range pods {
		s.Must(s.Client.CoreV1().Pods("default").Delete(s.Ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &grace}))
	}
}
