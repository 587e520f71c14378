package learn

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const scenarioHead = "func scenario() {\n"

// scenarioEnv names the environment variable with the number of the scenario that a program plays.
const scenarioEnv = "OUTRIGGER_LEARN_SCENARIO"

// BuildScenarios makes one program of docs/learn/scenario/main.go with other functions in the place of
// scenario(), and returns its path: linking one takes less time than linking each. An empty function is
// that file's own. dir is a folder that the caller removes; tests is the folder of the Go module.
func BuildScenarios(ctx context.Context, tests, dir string, functions []string) (string, error) {
	source, err := os.ReadFile(filepath.Join(tests, "../docs/learn/scenario/main.go"))
	if err != nil {
		return "", err
	}
	text, err := withScenarios(string(source), functions)
	if err != nil {
		return "", err
	}
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "scenarios")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return "", err
	}
	command := os.Getenv("OUTRIGGER_GO")
	if command == "" {
		command = "go"
	}
	build := exec.CommandContext(ctx, command, "build", "-o", program, file)
	build.Dir = tests
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("a scenario of a page does not compile: %w:\n%s", err, out)
	}
	return program, nil
}

// withScenarios puts the functions into the source, and a function that calls the one that the
// environment names by its number.
func withScenarios(source string, functions []string) (string, error) {
	start := strings.Index(source, scenarioHead)
	if start < 0 || strings.Count(source, scenarioHead) > 1 {
		return "", fmt.Errorf("the scenario's file does not have one %q", scenarioHead)
	}
	end := strings.Index(source[start:], "\n}\n")
	if end < 0 {
		return "", fmt.Errorf("the scenario's function has no end")
	}
	end += start + len("\n}\n")
	own := source[start:end]
	var calls, texts strings.Builder
	for i, function := range functions {
		if function == "" {
			function = own
		}
		name := fmt.Sprintf("scenario%d", i)
		fmt.Fprintf(&calls, "\tcase %q:\n\t\t%s()\n", fmt.Sprint(i), name)
		fmt.Fprintf(&texts, "\nfunc %s() {\n%s\n", name, strings.TrimPrefix(function, scenarioHead))
	}
	chooser := fmt.Sprintf("%s\tswitch os.Getenv(%q) {\n%s\t}\n}\n", scenarioHead, scenarioEnv, calls.String())
	return source[:start] + chooser + texts.String() + source[end:], nil
}
