package learn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"outrigger.dev/outrigger/tests/support/cluster"
	"outrigger.dev/outrigger/tests/support/process"
)

// grace is how long the scheduler may take to end.
const grace = 10 * time.Second

// ReadyLine begins what the scheduler logs once it knows all nodes and pods, and schedules.
const ReadyLine = "lab scheduler: step "

// scenarioMark begins each line that a scenario prints.
const scenarioMark = "scenario: "

// Play runs a scenario with a step of the scheduler as `make start` does, and returns what both print on
// standard output: the scheduler's log, which has the time of day, is not part of it.
// binary is the program under test, scenarios a program of BuildScenarios, number the scenario's.
func Play(ctx context.Context, c *cluster.Cluster, binary, scenarios string, number int, output Output) (string, error) {
	printed, err := os.Create(filepath.Join(c.Dir, "printed.txt"))
	if err != nil {
		return "", err
	}
	defer printed.Close()
	schedules, err := startScheduler(c, binary, printed, output)
	if err != nil {
		return "", err
	}
	defer schedules.Kill()
	if err := schedules.UntilLogged(ctx, ReadyLine); err != nil {
		return "", err
	}
	admin, err := c.WriteKubeconfig("scenario", c.Config)
	if err != nil {
		return "", err
	}
	plays, err := process.Start(process.Spec{
		Name: "scenario", Path: scenarios, LogDir: c.LogDir(), Stdout: printed,
		Env: []string{"KUBECONFIG=" + admin, fmt.Sprintf("%s=%d", scenarioEnv, number)},
	})
	if err != nil {
		return "", err
	}
	defer plays.Kill()
	if err := plays.Wait(ctx); err != nil {
		return "", errors.Join(err, plays.ExitError())
	}
	if err := errors.Join(schedules.ExitError(), schedules.Stop(grace)); err != nil {
		return "", fmt.Errorf("the scheduler: %w", err)
	}
	text, err := os.ReadFile(printed.Name())
	return strings.TrimRight(string(text), "\n"), err
}

func startScheduler(c *cluster.Cluster, binary string, printed *os.File, output Output) (*process.Process, error) {
	rights, err := c.WriteKubeconfig("scheduler", c.ConfigOf(cluster.SchedulerUser))
	if err != nil {
		return nil, err
	}
	args := []string{"lab", "scheduler", "--kubeconfig", rights, "--step", output.Step, "--verbose"}
	if output.Seed != "" {
		args = append(args, "--seed", output.Seed)
	}
	return process.Start(process.Spec{
		Name: "scheduler", Path: binary, Args: args, LogDir: c.LogDir(), Stdout: printed,
	})
}

// Same reports whether a run has printed what a page shows: the scenario's lines and the scheduler's, each in
// their order. Which of the two printed first where both did at the same moment does not matter. "After 4 s"
// may be a second less, and on a slow machine some more.
func Same(run, page string) bool {
	ofScenario, ofScheduler := split(run)
	shownOfScenario, shownOfScheduler := split(page)
	return ofScheduler == shownOfScheduler && slices.EqualFunc(ofScenario, shownOfScenario, sameLine)
}

// By how many seconds a run may differ from its page.
const tooEarly, tooLate = 2, 6

// seconds is how a scenario of the pages prints when something happened.
var seconds = regexp.MustCompile(`^(scenario: after )(\d+)( s: .*)$`)

func sameLine(run, page string) bool {
	is, shown := seconds.FindStringSubmatch(run), seconds.FindStringSubmatch(page)
	if is == nil || shown == nil {
		return run == page
	}
	after, _ := strconv.Atoi(is[2])
	asked, _ := strconv.Atoi(shown[2])
	return is[1] == shown[1] && is[3] == shown[3] && after > asked-tooEarly && after < asked+tooLate
}

func split(text string) (ofScenario []string, ofScheduler string) {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, scenarioMark) {
			ofScenario = append(ofScenario, line)
		} else if line != "" { // blank lines are between the two
			ofScheduler += line + "\n"
		}
	}
	return ofScenario, ofScheduler
}
