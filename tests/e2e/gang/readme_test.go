package gang

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// The first commands of a section: lines that are indented by four blanks.
var commandBlock = regexp.MustCompile(`\n\n((?:    [^\n]+\n)+)`)

// commandsOf are those of a section of the README, without comments.
func commandsOf(t *testing.T, heading string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile("../../../agents/gang/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n"+heading+"\n")
	block := commandBlock.FindStringSubmatch(section)
	if !found || block == nil {
		t.Fatalf("there are no commands below %q", heading)
	}
	for line := range strings.Lines(block[1]) {
		command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
		commands = append(commands, strings.TrimSpace(command))
	}
	return commands
}

// commandWith is the only one that begins so.
func commandWith(t *testing.T, commands []string, begin string) []string {
	t.Helper()
	var found []string
	for _, command := range commands {
		if rest, ok := strings.CutPrefix(command, begin); ok {
			found = append(found, rest)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d commands begin with %q: %q", len(found), begin, commands)
	}
	return strings.Fields(found[0])
}

// checkCommands runs what the README says, as it is written, and asks the doctor whether scheduler and agent agree.
func checkCommands(t *testing.T, commands []string) {
	t.Helper()
	dir := t.TempDir()
	run := func(args ...string) string {
		command := exec.CommandContext(t.Context(), outrigger.Binary(t), args...)
		command.Dir = dir
		out, err := command.Output()
		if err != nil {
			t.Fatalf("outrigger %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	base := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("scheduler.yaml", base)
	config := commandWith(t, commands, "outrigger scheduler-config ")
	to := slices.Index(config, ">")
	if to < 0 || to != len(config)-2 {
		t.Fatalf("scheduler-config writes to no file: %q", config)
	}
	written := config[len(config)-1]
	write(written, run(append([]string{"scheduler-config"}, config[:to]...)...))
	settings := commandWith(t, commands, "outrigger serve ")
	file := slices.Index(settings, "--kubeconfig")
	settings = slices.Delete(settings, file, file+2)
	run(append([]string{"doctor", "--strict", written}, settings...)...)
}

func TestTheCommandsOfTheReadme(t *testing.T) {
	t.Parallel()
	commands := commandsOf(t, "## Use")
	if len(commands) != 5 {
		t.Errorf("%d commands, want 5: %q", len(commands), commands)
	}
	for _, command := range commands {
		if manifest, ok := strings.CutPrefix(command, "kubectl apply -f "); ok && manifest != "-" {
			if _, err := os.Stat("../../../" + manifest); err != nil {
				t.Error(err)
			}
		}
	}
	rights := commandWith(t, commands, "outrigger agents ")
	if !slices.Equal(rights, strings.Fields("gang --rbac | kubectl apply -f -")) {
		t.Errorf("rights come from %q", rights)
	}
	checkCommands(t, commands)
	checkCommands(t, commandsOf(t, "### All pods are asked about"))
}
