package process

import (
	"context"
	"errors"
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
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
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
	for deadline := time.Now().Add(Patience); grandchild == 0; {
		for _, c := range strings.TrimSpace(p.LogTail(1)) {
			grandchild = grandchild*10 + int(c-'0')
		}
		if time.Now().After(deadline) {
			t.Fatal("the child prints nothing")
		}
	}
	p.Kill()
	for deadline := time.Now().Add(Patience); syscall.Kill(grandchild, 0) == nil; {
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
	for deadline := time.Now().Add(Patience); p.LogTail(1) != "up"; {
		if time.Now().After(deadline) {
			t.Fatal("the child prints nothing")
		}
	}
	if err := p.Stop(Patience); err != nil {
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

func TestUntilLogged(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	spec := Spec{Name: "child", Path: "/bin/sh", Args: []string{"-c", "echo ready; exec sleep 600"}, LogDir: t.TempDir()}
	first, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	err = first.UntilLogged(ctx, "ready")
	first.Kill()
	if err != nil {
		t.Fatal(err)
	}

	// What the first one has printed is not meant.
	spec.Args = []string{"-c", "echo other"}
	second, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.UntilLogged(ctx, "ready"); err == nil || !strings.Contains(err.Error(), "child ended") {
		t.Errorf("of one that has ended without it: %v", err)
	}

	silent := start(t, "exec sleep 600")
	soon, cancelSoon := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancelSoon()
	if err := silent.UntilLogged(soon, "ready"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("of one that prints nothing: %v", err)
	}
}
