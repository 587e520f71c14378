// Package talk runs a child that answers every line it reads with one line of JSON: how tests ask a
// program for what is inside it.
package talk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// Patience is how long an answer may take, unless a call says otherwise.
const Patience = process.Patience

// Child is a running child. Its methods are safe for concurrent use; questions wait for each other.
type Child struct {
	*process.Process

	mutex   sync.Mutex
	stdin   *os.File
	stdout  *os.File
	answers *bufio.Reader
}

// Start starts the child of spec, whose Stdin and Stdout are ours; standard error goes to its log.
func Start(spec process.Spec) (*Child, error) {
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer childIn.Close()
	stdout, childOut, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return nil, err
	}
	defer childOut.Close()
	spec.Stdin, spec.Stdout = childIn, childOut
	child, err := process.Start(spec)
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	return &Child{Process: child, stdin: stdin, stdout: stdout, answers: bufio.NewReaderSize(stdout, 1<<20)}, nil
}

// Ask sends a line and decodes the line of answer, strictly, into answer.
func (c *Child) Ask(question string, answer any) error {
	return c.AskWithin(question, Patience, answer)
}

// AskWithin is Ask for an answer that may take as long as limit.
func (c *Child) AskWithin(question string, limit time.Duration, answer any) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, err := c.stdin.WriteString(question + "\n"); err != nil {
		return c.explain(question, err)
	}
	return c.read(question, limit, answer)
}

// Hear decodes a line that the child says unasked, within limit.
func (c *Child) Hear(what string, limit time.Duration, answer any) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.read(what, limit, answer)
}

// Quit asks the child to end, waits, and returns what it ended with.
func (c *Child) Quit() error {
	_, err := c.stdin.WriteString("quit\n")
	_ = c.stdin.Close()
	select {
	case <-c.Done():
	case <-time.After(Patience):
		err = errors.Join(err, errors.New("does not end when told to quit"))
	}
	return errors.Join(err, c.Stop(0), c.stdout.Close())
}

func (c *Child) read(what string, limit time.Duration, answer any) error {
	if err := c.stdout.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	line, err := c.answers.ReadBytes('\n')
	if err != nil {
		return c.explain(what, err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		return fmt.Errorf("%s: answer to %q: %w: %.300s", c.Spec.Name, what, err, line)
	}
	return nil
}

// explain adds how the child ended, where that is why it does not talk.
func (c *Child) explain(what string, err error) error {
	select {
	case <-c.Done():
		return fmt.Errorf("%s: %q: %w", c.Spec.Name, what, c.ExitError())
	case <-time.After(100 * time.Millisecond): // its pipes close before it counts as ended
		return fmt.Errorf("%s: %q: no answer: %w; end of its log:\n%s", c.Spec.Name, what, err, c.LogTail(20))
	}
}
