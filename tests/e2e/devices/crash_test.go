package devices

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/penalty"
)

// roundsEnv is how many rounds the agent is killed in; each begins at its seed.
const roundsEnv = "OUTRIGGER_DEVICE_ROUNDS"

func rounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv(roundsEnv)
	if text == "" {
		return 2
	}
	count, err := strconv.Atoi(text)
	if err != nil || count < 1 {
		t.Fatalf("%s is %q, want a number of rounds", roundsEnv, text)
	}
	return count
}

const lease = "outrigger-devices"

// removeLease lets the next agent lead at once: who held the Lease is dead.
func (s *serving) removeLease() {
	s.Helper()
	err := s.Client.CoordinationV1().Leases(metav1.NamespaceSystem).Delete(s.Ctx, lease, metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		s.Must(err)
	}
}

// Pods come and go, and the agent dies at some write, before it or before its answer: in the end each device is in one
// claim at most, and none is lost.
func TestNoDeviceIsLostOrGivenTwiceWhenTheAgentDies(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	s := newServing(t)
	s.Nodes(kube.MakeNode("n1"), kube.MakeNode("n2"))
	s.make(
		[3]string{"DeviceDriver", "example.com-foozer", "deviceTypes: [foozer]"},
		[3]string{"DeviceClass", "foozer", "spec: {driver: example.com-foozer, deviceType: foozer}"},
		[3]string{"DeviceClaim", "shared", "spec: {deviceClass: foozer}"})
	for _, node := range []string{"n1", "n2"} {
		for _, numa := range []string{"0", "1"} {
			s.make([3]string{"DevicePool", node + "-0" + numa, fmt.Sprintf(`spec: {nodeName: %s, driver: example.com-foozer,
				count: 2, attributes: [{name: numa, stringValue: %q}]}`, node, numa)})
		}
	}
	proxy := s.FaultyServer()
	writes := penalty.WatchWrites(proxy)
	// Claims that nobody finishes are given up soon.
	s.serve(proxy, "--devices.intent-deadline=5")
	for seed := 1; seed <= rounds(t); seed++ {
		s.dies(writes, int64(seed))
	}
}

// dies is one round. What is random follows from the seed; which write comes n-th depends on the scheduler, too.
func (s *serving) dies(writes *penalty.Writes, seed int64) {
	s.Helper()
	random := rand.New(rand.NewSource(seed))
	at, after := 1+random.Intn(12), random.Intn(2) == 1
	ended := writes.EndAt(at, after, s.agent.Kill)
	pods := []string{}
	for i := range 4 {
		claims := []string{
			`[{"name": "d", "claim": {"deviceClass": "foozer", "minDeviceCount": 3, "maxDeviceCount": 3}}]`,
			`[{"name": "d", "claimName": "shared"}]`,
			`[{"name": "d", "claim": {"claims": [{"deviceClass": "foozer"}]}}, {"name": "e", "claim": {"deviceClass": "foozer"}}]`,
		}[random.Intn(3)]
		name := fmt.Sprintf("round-%d-%d", seed, i)
		s.Pods(pod(name, claims))
		pods = append(pods, name)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
	}
	writes.Open() // it does not die from here on
	select {
	case <-ended:
		s.Logf("seed %d: died at write %d, %s, after it: %v", seed, at, writes.Ending(), after)
		s.removeLease()
		s.agent.Restart(s)
		s.agent.UntilReady(s)
	default:
		s.Logf("seed %d: there were not %d writes", seed, at)
	}
	s.untilTried()
	s.untilSound()
	s.remove(pods...)
	// A pod that the scheduler was about to bind may have got devices for a moment.
	for _, pool := range s.state().Pools {
		s.untilFree(pool.Name, 2)
	}
	s.untilSound()
}
