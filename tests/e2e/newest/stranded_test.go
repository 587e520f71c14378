package newest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/kube"
)

const (
	strandedNodes  = 12
	devicesPerNode = 8
	// whatIsLeft is what a node must have free for its free devices to count: the size of a claim that is not rare.
	whatIsLeft = 4
)

// churn has claims come and go.
type churn struct {
	*scheduling.World
	random  *rand.Rand
	running []string
	size    map[string]int64
}

func newChurn(t *testing.T, withAgent bool) *churn {
	c := &churn{World: scheduling.New(t), random: rand.New(rand.NewPCG(1, 37)), size: map[string]int64{}}
	for i := range strandedNodes {
		node := fmt.Sprintf("n%02d", i)
		c.Nodes(kube.MakeNode(node).Resource(corev1.ResourceCPU, "64"))
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}}
		slice.Spec = resourceapi.ResourceSliceSpec{Driver: gpuDriver, NodeName: new(node),
			Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}
		for j := range devicesPerNode {
			slice.Spec.Devices = append(slice.Spec.Devices, resourceapi.Device{Name: fmt.Sprintf("g%d", j)})
		}
		_, err := c.Client.ResourceV1().ResourceSlices().Create(c.Ctx, slice, metav1.CreateOptions{})
		c.Must(err)
	}
	_, err := c.Client.ResourceV1().DeviceClasses().Create(c.Ctx,
		&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}, metav1.CreateOptions{})
	c.Must(err)
	config := c.SchedulerBase()
	if withAgent {
		server := c.Serve("devices", "--devices.dra")
		server.UntilReady(t)
		config = c.Config(map[string]string{"devices": server.URL})
	}
	c.StartScheduler(config)
	return c
}

// next creates a pod with a claim, and ends it if it is refused.
func (c *churn) next(name string) {
	c.Helper()
	sizes := []int64{1, 1, 1, 1, 2, 2, 2, 4, 4, 8}
	size := sizes[c.random.IntN(len(sizes))]
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "r",
		Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", Count: size}}}
	_, err := c.Client.ResourceV1().ResourceClaims("default").Create(c.Ctx, claim, metav1.CreateOptions{})
	c.Must(err)
	c.Pods(kube.MakePod(name).Request(corev1.ResourceCPU, "10m").ResourceClaim(name))
	c.size[name] = size
	pod := c.Until(name, "decided", func(pod *corev1.Pod) bool { return scheduling.IsBound(pod) || isRefused(pod) })
	if scheduling.IsBound(pod) {
		c.running = append(c.running, name)
	} else {
		c.end(name)
	}
}

// end removes a pod and its claim, for which no controller runs here.
func (c *churn) end(name string) {
	c.Helper()
	c.Must(c.Client.CoreV1().Pods("default").Delete(c.Ctx, name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}))
	claims := c.Client.ResourceV1().ResourceClaims("default")
	claim, err := claims.Get(c.Ctx, name, metav1.GetOptions{})
	c.Must(err)
	claim.Status = resourceapi.ResourceClaimStatus{}
	claim, err = claims.UpdateStatus(c.Ctx, claim, metav1.UpdateOptions{})
	c.Must(err)
	claim.Finalizers = nil
	_, err = claims.Update(c.Ctx, claim, metav1.UpdateOptions{})
	c.Must(err)
	c.Must(claims.Delete(c.Ctx, name, metav1.DeleteOptions{}))
	delete(c.size, name)
}

// endSome ends pods by chance until a third of the devices is free.
func (c *churn) endSome() {
	c.Helper()
	for {
		used := int64(0)
		for _, name := range c.running {
			used += c.size[name]
		}
		if used*3 <= strandedNodes*devicesPerNode*2 {
			return
		}
		i := c.random.IntN(len(c.running))
		c.end(c.running[i])
		c.running = append(c.running[:i], c.running[i+1:]...)
	}
}

// stranded is the share of devices that are free on nodes with few free ones.
func (c *churn) stranded() float64 {
	c.Helper()
	free := map[string]int64{}
	for i := range strandedNodes {
		free[fmt.Sprintf("n%02d", i)] = devicesPerNode
	}
	list, err := c.Client.ResourceV1().ResourceClaims("default").List(c.Ctx, metav1.ListOptions{})
	c.Must(err)
	for _, claim := range list.Items {
		if claim.Status.Allocation != nil {
			for _, result := range claim.Status.Allocation.Devices.Results {
				free[result.Pool]--
			}
		}
	}
	stranded := int64(0)
	for _, left := range free {
		if left < whatIsLeft {
			stranded += left
		}
	}
	return float64(stranded) / (strandedNodes * devicesPerNode)
}

// share has so many claims come, and returns the mean share of stranded devices over the second half.
func (c *churn) share(claims int) float64 {
	c.Helper()
	sum, count := 0.0, 0
	for i := range claims {
		c.next(fmt.Sprintf("c%03d", i))
		c.endSome()
		if i >= claims/2 && i%5 == 0 {
			sum += c.stranded()
			count++
		}
	}
	return sum / float64(count)
}

// Claims that come and go leave fewer devices on nodes that have too few for larger ones.
func TestFewerDevicesAreStrandedWithTheAgent(t *testing.T) {
	t.Parallel()
	claims := 100
	if text := os.Getenv("OUTRIGGER_CLAIMS"); text != "" {
		if _, err := fmt.Sscan(text, &claims); err != nil {
			t.Fatalf("OUTRIGGER_CLAIMS=%q: %v", text, err)
		}
	}
	alone := newChurn(t, false).share(claims)
	together := newChurn(t, true).share(claims)
	t.Logf("stranded after %d claims: %.1f %% of the devices without the agent, %.1f %% with it", claims, 100*alone, 100*together)
	// Where equal nodes are chosen by chance the two are near each other; to spread claims would strand far more.
	if together > 1.2*alone+0.01 {
		t.Errorf("%.1f %% of the devices are stranded with the agent, %.1f %% without", 100*together, 100*alone)
	}
}
