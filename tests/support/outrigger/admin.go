package outrigger

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Get returns the body of an admin page (/metrics, /readyz?verbose); the test fails unless the
// status is 200.
func (s *Server) Get(t testing.TB, path string) string {
	t.Helper()
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Get(s.AdminURL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v: %s", path, response.Status, err, body)
	}
	return string(body)
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
