// Package containers plays a node: it runs the containers of pods by runc, as a kubelet would.
//
// What a manifest says is done: image, command, arguments, environment, user, rights, mounts, probes, sidecars, the
// order in which they end. Pods have addresses of their own in a network of the test's own, so that each port is free,
// and what a pod serves on its loopback is served to nobody else.
//
// Not imitated: images' layers and pulls, restarts, resources but memory, NetworkPolicies, DNS.
package containers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
)

// insideEnv tells the test program that it is in namespaces of its own; its value names its cgroup.
const insideEnv = "OUTRIGGER_CONTAINERS_CGROUP"

// cgroupPrefix begins the names of our cgroups; the process that removes it follows.
const cgroupPrefix = "outrigger-containers-"

// Main is the body of the TestMain of a package that runs containers: it runs the tests in namespaces of their own for
// processes, mounts and network. With the test program all that it has started ends, however it ends, and all mounts
// and addresses are gone. Clusters are shared (cluster.SharedForTest) and listen on HostIP. It returns the exit code.
func Main(m *testing.M) int {
	if os.Getenv(insideEnv) != "" {
		if err := enter(); err != nil {
			return complain(err)
		}
		return cluster.MainWith(m, cluster.Options{Address: HostIP})
	}
	code, err := again()
	if err != nil {
		return complain(err)
	}
	return code
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "error:", err)
	return 1
}

// again runs the test program once more, inside.
func again() (int, error) {
	if os.Getuid() != 0 {
		return 0, errors.New("running containers needs root")
	}
	for _, program := range []string{"runc", "ip", "ldd"} {
		if _, err := exec.LookPath(program); err != nil {
			return 0, fmt.Errorf("%w: run scripts/setup --images", err)
		}
	}
	removeCgroups()
	own := cgroupPrefix + strconv.Itoa(os.Getpid())
	inside := exec.Command("/proc/self/exe", os.Args[1:]...)
	inside.Args[0] = os.Args[0]
	inside.Stdin, inside.Stdout, inside.Stderr = os.Stdin, os.Stdout, os.Stderr
	inside.Env = append(os.Environ(), insideEnv+"="+own)
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
	}
	runtime.LockOSThread() // the signal comes when the thread ends that started the child
	err := inside.Run()
	removeCgroup(own)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil // -1: a signal
	}
	return 0, err
}

// enter makes the namespaces usable: their own /proc, an empty /run, a network with a bridge for pods.
func enter() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of our own: %w", err)
	}
	for dir, kind := range map[string]string{"/proc": "proc", "/run": "tmpfs"} {
		if err := syscall.Mount(kind, dir, kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	return ip("", "link set lo up", "link add "+bridge+" address "+bridgeAddress+" type bridge",
		"addr add "+HostIP+"/16 dev "+bridge, "link set "+bridge+" up")
}

// removeCgroups removes what test programs left that were killed together with the one that waited for them.
func removeCgroups() {
	for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
		left, _ := filepath.Glob(pattern + cgroupPrefix + "*") // the pattern is no wrong one
		for _, path := range left {
			pid := strings.TrimPrefix(filepath.Base(path), cgroupPrefix)
			if _, err := os.Readlink("/proc/" + pid + "/exe"); err != nil { // one that has ended, waited for or not
				removeCgroup(filepath.Base(path))
			}
		}
	}
}

// removeCgroup removes a cgroup in which nobody is any more, in all hierarchies.
func removeCgroup(name string) {
	for _, pattern := range []string{"/sys/fs/cgroup/", "/sys/fs/cgroup/*/"} {
		children, _ := filepath.Glob(pattern + name + "/*")
		parents, _ := filepath.Glob(pattern + name)
		for _, path := range append(children, parents...) {
			_ = os.Remove(path) // folders go, the kernel's files in them with them
		}
	}
}
