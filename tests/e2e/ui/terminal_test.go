package ui

import (
	"fmt"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/terminal"
)

// top shows the same in a terminal, of any size, and leaves it as it was.
func (s *stage) top(t *testing.T) {
	command := fmt.Sprintf(`before=$(stty -g); %s top --agent %s; echo "ended with $?"; [ "$before" = "$(stty -g)" ] && echo as before`,
		outrigger.Binary(t), s.agents.AdminURL)
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		width, height := size[0], size[1]
		screen := terminal.OpenScreen(t, width, height, command)
		screen.UntilText(vision.name)
		s.checkTop(t, screen, width, height)
		screen.Resize(100, 30)
		screen.Until("drawn anew", func(text string) bool {
			lines := strings.Split(text, "\n")
			return len(lines) >= 30 && strings.Contains(lines[29], "q ")
		})
		screen.UntilText(vision.name)
		s.checkTop(t, screen, 100, 30)
		screen.Press("n")
		screen.UntilText("cpu-001")
		screen.Press("q")
		screen.UntilText("as before")
		if text := screen.Text(); !strings.Contains(text, "ended with 0") || screen.IsAlternate() || !screen.HasCursor() {
			t.Errorf("after its end the terminal has\n%s\nthe whole screen: %v, cursor: %v", text, screen.IsAlternate(), screen.HasCursor())
		}
	}
}

// checkTop expects a header, the queue, and what is known of the nodes, each line of it in one of the terminal.
func (s *stage) checkTop(t *testing.T, screen *terminal.Screen, width, height int) {
	t.Helper()
	lines := screen.Lines()
	text := strings.Join(lines, "\n")
	if len(lines) != height || !strings.HasPrefix(lines[0], "outrigger top") || !strings.Contains(lines[height-1], "q ") {
		t.Errorf("of %d lines the first is %q, the last %q", len(lines), lines[0], lines[len(lines)-1])
	}
	for _, want := range []string{fmt.Sprint(nodes, " nodes"), "eu-west-1a", pretrain.unit(), "has a place"} {
		if !strings.Contains(text, want) {
			t.Errorf("%d to %d: no %q in\n%s", width, height, want, text)
		}
	}
	for _, line := range lines {
		if len([]rune(line)) > width {
			t.Errorf("of %d columns, a line has %d: %q", width, len([]rune(line)), line)
		}
		if strings.Contains(line, vision.unit()) && !strings.Contains(line, "has a place") {
			t.Errorf("%d columns: a row is broken: %q", width, line)
		}
	}
}
