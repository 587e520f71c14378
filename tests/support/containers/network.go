package containers

import (
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
)

// HostIP is the node's address, which pods reach.
const HostIP = "10.88.0.1"

const (
	bridge = "pods"
	// A bridge without an address of its own takes the lowest of its ports'. Where a pod comes or goes with that one, the
	// others do not reach the node until they ask for its address again: kube-scheduler has lost its Lease by then.
	bridgeAddress = "02:00:0a:58:00:01"
)

var lastIP atomic.Uint32

// network is that of one pod: a namespace with an address that the node and other pods reach.
type network struct{ name, ip string }

func newNetwork() (network, error) {
	n := lastIP.Add(1) + 1 // the first is the node's
	pod := network{fmt.Sprintf("pod%d", n), fmt.Sprintf("10.88.%d.%d", n>>8, n&255)}
	if err := ip("", "netns add "+pod.name, "link add "+pod.name+" type veth peer name eth0 netns "+pod.name,
		"link set "+pod.name+" master "+bridge+" up"); err != nil {
		return pod, err
	}
	return pod, ip(pod.name, "link set lo up", "addr add "+pod.ip+"/16 dev eth0", "link set eth0 up",
		"route add default via "+HostIP)
}

func (n network) path() string { return "/run/netns/" + n.name }

func (n network) remove() error { return ip("", "netns del "+n.name) }

// ip runs commands of ip in a network namespace; "": in that of the test.
func ip(namespace string, commands ...string) error {
	args := []string{"-batch", "-"}
	if namespace != "" {
		args = append([]string{"-n", namespace}, args...)
	}
	command := exec.Command("ip", args...)
	command.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(commands, "; "), err, out)
	}
	return nil
}
