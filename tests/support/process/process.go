// Package process runs children of a test: each in a process group of its own, with its output in
// a file, and never outliving the test binary.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Spec says what to run.
type Spec struct {
	// Name is used in messages and as the log's file name.
	Name string
	// Path and Args are the program and its arguments (without the program itself).
	Path string
	Args []string
	// Env is added to the environment of the test.
	Env []string
	// Dir is the working directory; empty means the one of the test.
	Dir string
	// LogDir is an existing folder for the log; a restarted process appends to its log.
	LogDir string
	// Stdin is what the child reads; nil: nothing.
	Stdin *os.File
	// Stdout and Stderr take the child's output and errors; nil: they go to the log.
	Stdout, Stderr *os.File
	// Files are what the child has open as 3, 4 and so on.
	Files []*os.File
}

// Process is a running or ended child. Its methods are safe for concurrent use.
type Process struct {
	Spec    Spec
	LogPath string

	cmd   *exec.Cmd
	start int64 // where in the log its lines begin: an earlier process of that name may have written others
	done  chan struct{}
	err   error // written before done is closed
}

// Start starts the child; its output goes to <LogDir>/<Name>.log.
func Start(spec Spec) (*Process, error) {
	logPath := filepath.Join(spec.LogDir, spec.Name+".log")
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", spec.Name, err)
	}
	defer log.Close()
	start, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", spec.Name, err)
	}

	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	cmd.Env = append(os.Environ(), spec.Env...)
	cmd.Stdout, cmd.Stderr = log, log
	if spec.Stdin != nil { // a nil *os.File in an io.Reader would not be nil
		cmd.Stdin = spec.Stdin
	}
	if spec.Stdout != nil {
		cmd.Stdout = spec.Stdout
	}
	if spec.Stderr != nil {
		cmd.Stderr = spec.Stderr
	}
	cmd.ExtraFiles = spec.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := startOnLastingThread(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	p := &Process{Spec: spec, LogPath: logPath, cmd: cmd, start: start, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// Pid returns the process id of the child, which is also the id of its process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the child has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running tells whether the child has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Kill sends SIGKILL to the whole process group and waits for the child to be gone.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// Stop sends SIGTERM, and SIGKILL if the child has not ended within grace. It returns what the
// child ended with: nil for exit code 0.
func (p *Process) Stop(grace time.Duration) error {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(grace):
		p.Kill()
	}
	p.signal(syscall.SIGKILL) // whoever is left in the group
	return p.err
}

// Wait returns what the child ended with, or the context's error if it does not end in time.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return fmt.Errorf("%s is still running: %w", p.Spec.Name, ctx.Err())
	}
}

// ExitError describes how an ended child went, with the end of its log; nil while it runs.
func (p *Process) ExitError() error {
	if p.Running() {
		return nil
	}
	err := p.err
	if err == nil {
		err = errors.New("exit status 0")
	}
	return fmt.Errorf("%s ended: %w; end of its log:\n%s", p.Spec.Name, err, p.LogTail(30))
}

// UntilLogged waits until the child's log has a text, or returns why that will not be: the child has ended, or the
// context has.
func (p *Process) UntilLogged(ctx context.Context, text string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		running := p.Running() // before the log is read: what an ended child has printed is all there
		log, err := os.ReadFile(p.LogPath)
		if err != nil {
			return fmt.Errorf("log of %s: %w", p.Spec.Name, err)
		}
		if bytes.Contains(log[min(p.start, int64(len(log))):], []byte(text)) {
			return nil
		}
		if !running {
			return fmt.Errorf("no %q: %w", text, p.ExitError())
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s has not printed %q: %w; end of its log:\n%s", p.Spec.Name, text, ctx.Err(), p.LogTail(30))
		}
	}
}

// LogTail returns the last lines of the log.
func (p *Process) LogTail(lines int) string {
	text, err := os.ReadFile(p.LogPath)
	if err != nil {
		return err.Error()
	}
	all := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}

func (p *Process) signal(signal syscall.Signal) {
	// ESRCH is the only failure possible: everybody in the group has ended.
	_ = syscall.Kill(-p.cmd.Process.Pid, signal)
}

// The kernel sends the parent-death signal when the *thread* that started a child ends, so one
// thread that never ends starts them all.
var starts = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

func startOnLastingThread(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	starts() <- func() { result <- cmd.Start() }
	return <-result
}
