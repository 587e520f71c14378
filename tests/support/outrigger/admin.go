package outrigger

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// Get returns the body of an admin page (/metrics, /readyz?verbose); the test fails unless the
// status is 200.
func (s *Server) Get(t testing.TB, path string) string {
	t.Helper()
	status, body := s.Ask(path)
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d: %s", path, status, body)
	}
	return body
}

// UntilReady is AwaitReady for tests.
func (s *Server) UntilReady(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), process.Patience)
	defer cancel()
	if err := s.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
}

// AwaitReady waits until /readyz says that calls make sense: the agent knows what it needs to.
func (s *Server) AwaitReady(ctx context.Context) error {
	for {
		status, body := s.Ask("/readyz?verbose")
		if status == http.StatusOK {
			return nil
		}
		if exit := s.process.ExitError(); exit != nil {
			return exit
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the agent does not become ready: %d: %s", status, body)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Ask returns the status of an admin page, 0 if there is no answer, and its body or the error.
func (s *Server) Ask(path string) (int, string) {
	client := http.Client{Timeout: time.Minute}
	response, err := client.Get(s.AdminURL + path)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

// Metric returns the sum of a metric's series whose labels contain all texts (`verb="filter"`); 0
// if there is none.
func (s *Server) Metric(t testing.TB, name string, labels ...string) float64 {
	t.Helper()
	sum := 0.0
	for line := range strings.Lines(s.Get(t, "/metrics")) {
		series, value, _ := cutLast(strings.TrimSpace(line), " ")
		base, rest, _ := strings.Cut(series, "{")
		if base != name || !containsAll(rest, labels) {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatalf("metric %s: %v in %q", name, err, line)
		}
		sum += number
	}
	return sum
}

// UntilMetricAbove waits until Metric returns more than above.
func (s *Server) UntilMetricAbove(t testing.TB, above float64, name string, labels ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), process.Patience)
	defer cancel()
	for s.Metric(t, name, labels...) <= above {
		select {
		case <-ctx.Done():
			t.Fatalf("%s %v stays at %v", name, labels, above)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
