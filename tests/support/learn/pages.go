// Package learn is about the pages of docs/learn: what they show of runs of the lab's scheduler, and how
// solutions of their exercises are judged.
package learn

import (
	"fmt"
	"regexp"
	"strings"
)

// Output is a block of a page that shows what a run prints. In the page it is
//
//	<!-- output: make start STEP=3 SEED=1 SCENARIO=mine.go -->
//	```
//	$ make start STEP=3 SEED=1 SCENARIO=mine.go
//	...
//	```
//
// SCENARIO names a block of Go of the same page, with the function scenario():
//
//	<!-- scenario: mine.go -->
//	```go
//	func scenario() {
type Output struct {
	// Command is what a reader runs.
	Command string
	// Step and Seed are the scheduler's.
	Step, Seed string
	// Scenario is the source of the function scenario(); empty: the one of docs/learn/scenario/main.go.
	Scenario string
	// Text is what the page says that the run prints.
	Text string

	first, last int // lines of the block between its fences
}

var (
	outputMarker   = regexp.MustCompile(`^<!-- output: (make start( [A-Z]+=\S+)*) -->$`)
	scenarioMarker = regexp.MustCompile(`^<!-- scenario: (\S+) -->$`)
)

// Outputs finds the blocks of a page.
func Outputs(page string) ([]Output, error) {
	lines := strings.Split(page, "\n")
	scenarios := map[string]string{}
	var outputs []Output
	for i, line := range lines {
		var err error
		if marker := scenarioMarker.FindStringSubmatch(line); marker != nil {
			err = addScenario(scenarios, marker[1], lines, i)
		} else if marker := outputMarker.FindStringSubmatch(line); marker != nil {
			outputs, err = addOutput(outputs, scenarios, marker[1], lines, i)
		} else if strings.HasPrefix(line, "<!-- output") || strings.HasPrefix(line, "<!-- scenario") {
			err = fmt.Errorf("%s is no marker", line)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return outputs, nil
}

// Rewrite returns the page with other texts in its blocks, one for each of Outputs.
func Rewrite(page string, outputs []Output, texts []string) string {
	lines := strings.Split(page, "\n")
	var result []string
	at := 0
	for i, output := range outputs {
		result = append(result, lines[at:output.first]...)
		result = append(result, "$ "+output.Command, texts[i])
		at = output.last
	}
	return strings.Join(append(result, lines[at:]...), "\n")
}

func addScenario(scenarios map[string]string, name string, lines []string, marker int) error {
	first, last, err := block(lines, marker, "```go")
	if err != nil {
		return err
	}
	source := strings.Join(lines[first:last], "\n")
	if !strings.HasPrefix(source, scenarioHead) {
		return fmt.Errorf("the block does not begin with %q", scenarioHead)
	}
	scenarios[name] = source
	return nil
}

func addOutput(outputs []Output, scenarios map[string]string, command string, lines []string, marker int) ([]Output, error) {
	output := Output{Command: command, Step: "7"}
	for _, word := range strings.Fields(command)[2:] {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "STEP":
			output.Step = value
		case "SEED":
			output.Seed = value
		case "SCENARIO":
			if output.Scenario = scenarios[value]; output.Scenario == "" {
				return nil, fmt.Errorf("the page has no scenario %s before this line", value)
			}
		default:
			return nil, fmt.Errorf("make start knows no %s", name)
		}
	}
	var err error
	if output.first, output.last, err = block(lines, marker, "```"); err != nil {
		return nil, err
	}
	text := lines[output.first:output.last]
	if len(text) > 0 && text[0] == "$ "+command {
		text = text[1:]
	}
	output.Text = strings.Join(text, "\n")
	return append(outputs, output), nil
}

// block finds the lines between the fences that follow a marker.
func block(lines []string, marker int, fence string) (first, last int, err error) {
	if marker+1 >= len(lines) || lines[marker+1] != fence {
		return 0, 0, fmt.Errorf("no block with %s follows", fence)
	}
	first = marker + 2
	for last = first; last < len(lines); last++ {
		if lines[last] == "```" {
			return first, last, nil
		}
	}
	return 0, 0, fmt.Errorf("the block has no end")
}
