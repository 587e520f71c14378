package terminal

import (
	"strings"
	"testing"
)

func TestAScreenShowsWhatAProgramDoes(t *testing.T) {
	s := OpenScreen(t, 40, 10, `tput smcup civis; stty size; read line; stty size; read line; tput rmcup cnorm; echo "after $line"`)
	s.UntilText("10 40")
	if !s.IsAlternate() || s.HasCursor() {
		t.Errorf("the program has the whole screen: %v, cursor: %v", s.IsAlternate(), s.HasCursor())
	}
	s.Resize(60, 20)
	s.Press("Enter")
	s.UntilText("20 60")
	s.Press("x", "y", "Enter")
	s.UntilText("after xy")
	if s.IsAlternate() || !s.HasCursor() {
		t.Errorf("after it the whole screen is had: %v, cursor: %v", s.IsAlternate(), s.HasCursor())
	}
	if lines := s.Lines(); len(lines) != 20 || strings.Contains(s.Text(), "10 40") {
		t.Errorf("the screen is %q", lines)
	}
}
