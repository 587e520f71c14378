package terminal

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// Screen is a terminal that nobody sees, in which a program runs: tmux of its own.
type Screen struct {
	t      testing.TB
	socket string
}

// OpenScreen runs a command line of sh in a terminal of that size as long as the test runs, and what it leaves on the
// screen stays. Without tmux the test fails.
func OpenScreen(t testing.TB, width, height int, command string) *Screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatalf("%v: run scripts/setup --e2e", err)
	}
	s := &Screen{t: t, socket: filepath.Join(t.TempDir(), "tmux")}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() })
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height),
		command+"; exec cat") // which waits
	return s
}

// Lines are what the screen shows, without blanks at their ends.
func (s *Screen) Lines() []string {
	s.t.Helper()
	lines := strings.Split(strings.TrimSuffix(s.tmux("capture-pane", "-p"), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// Text is what the screen shows.
func (s *Screen) Text() string {
	s.t.Helper()
	return strings.Join(s.Lines(), "\n")
}

// Until waits until what the screen shows fits a condition; what names it in the error.
func (s *Screen) Until(what string, condition func(text string) bool) string {
	s.t.Helper()
	deadline := time.Now().Add(process.Patience)
	for {
		text := s.Text()
		if condition(text) {
			return text
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the screen is not %s:\n%s", what, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// UntilText waits until the screen shows a text.
func (s *Screen) UntilText(want string) string {
	s.t.Helper()
	return s.Until("one that shows "+want, func(text string) bool { return strings.Contains(text, want) })
}

// Press presses keys, as tmux names them: q, Enter, Up, C-c.
func (s *Screen) Press(keys ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// Resize gives the terminal another size.
func (s *Screen) Resize(width, height int) {
	s.t.Helper()
	s.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// IsAlternate tells whether a program has the whole screen, which gives back what was there before at its end.
func (s *Screen) IsAlternate() bool {
	s.t.Helper()
	return s.state("alternate_on")
}

// HasCursor tells whether the cursor is seen.
func (s *Screen) HasCursor() bool {
	s.t.Helper()
	return s.state("cursor_flag")
}

func (s *Screen) state(name string) bool {
	s.t.Helper()
	return strings.TrimSpace(s.tmux("display-message", "-p", "#{"+name+"}")) == "1"
}

func (s *Screen) tmux(args ...string) string {
	s.t.Helper()
	command := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...)
	var errors strings.Builder
	command.Stderr = &errors
	out, err := command.Output()
	if err != nil {
		s.t.Fatalf("tmux %v: %v: %s", args, err, errors.String())
	}
	return string(out)
}
