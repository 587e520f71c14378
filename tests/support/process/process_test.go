package process

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func start(t *testing.T, script string) *Process {
	t.Helper()
	p, err := Start(Spec{Name: "child", Path: "/bin/sh", Args: []string{"-c", script}, LogDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func wait(t *testing.T, p *Process) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return p.Wait(ctx)
}

func TestOutputOfBothStreamsIsInTheLog(t *testing.T) {
	p := start(t, "echo one; echo two >&2")
	if err := wait(t, p); err != nil {
		t.Fatal(err)
	}
	if got := p.LogTail(10); got != "one\ntwo" {
		t.Errorf("log is %q", got)
	}
}

func TestFailureNamesExitCodeAndEndOfLog(t *testing.T) {
	p := start(t, "echo because; exit 3")
	_ = wait(t, p)
	err := p.ExitError()
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "because") {
		t.Errorf("ExitError() = %v", err)
	}
}

func TestKillEndsTheWholeProcessGroup(t *testing.T) {
	p := start(t, "sleep 600 & echo $!; wait")
	var grandchild int
	for deadline := time.Now().Add(10 * time.Second); grandchild == 0; {
		for _, c := range strings.TrimSpace(p.LogTail(1)) {
			grandchild = grandchild*10 + int(c-'0')
		}
		if time.Now().After(deadline) {
			t.Fatal("the child prints nothing")
		}
	}
	p.Kill()
	for deadline := time.Now().Add(10 * time.Second); syscall.Kill(grandchild, 0) == nil; {
		if isZombie(grandchild) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the grandchild outlives its group")
		}
	}
}

func TestStopAsksFirst(t *testing.T) {
	p := start(t, "trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.05; done")
	for deadline := time.Now().Add(10 * time.Second); p.LogTail(1) != "up"; {
		if time.Now().After(deadline) {
			t.Fatal("the child prints nothing")
		}
	}
	if err := p.Stop(10 * time.Second); err != nil {
		t.Errorf("Stop() = %v", err)
	}
	if got := p.LogTail(1); got != "asked" {
		t.Errorf("last line is %q", got)
	}
}

// isZombie tells whether nobody has collected the process yet, as in a container without an init.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}
