package penalty

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// ClassRow is a row of the page penalty.
type ClassRow struct {
	Class           string
	Base, Value     int64
	Penalty         float64
	Starts          int64
	Completions     int64
	State           string
	NextValue       *int64
	NextAt          *time.Time
	ChangedAt       *time.Time
	ReplacedAt      *time.Time
	GapMicroseconds *int64
}

// ChangeRow is a row of the page penalty-changes.
type ChangeRow struct {
	Class           string
	At              time.Time
	Before, After   int64
	Cause           string
	GapMicroseconds *int64
}

// SumRow is a row of the page penalty-sums.
type SumRow struct {
	Kind, Name          string
	Penalty             float64
	Starts, Completions int64
}

// GroupRow is a row of the page penalty-groups.
type GroupRow struct{ Namespace, Name, Phase, Class, Queue, Counted string }

// Classes reads the page penalty.
func Classes(agent *outrigger.Server) ([]ClassRow, error) { return rows[ClassRow](agent, "/penalty") }

// Changes reads the page penalty-changes.
func Changes(agent *outrigger.Server) ([]ChangeRow, error) {
	return rows[ChangeRow](agent, "/penalty-changes")
}

// Sums reads the page penalty-sums.
func Sums(agent *outrigger.Server) ([]SumRow, error) { return rows[SumRow](agent, "/penalty-sums") }

// Counted reads the page penalty-groups.
func Counted(agent *outrigger.Server) ([]GroupRow, error) {
	return rows[GroupRow](agent, "/penalty-groups")
}

// rows reads a page; an error says that it cannot be had, which may be for now.
func rows[Row any](agent *outrigger.Server, path string) ([]Row, error) {
	status, body := agent.Ask(path)
	if status != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %d: %s", path, status, body)
	}
	var page struct {
		Rows      []Row
		Truncated bool
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		return nil, fmt.Errorf("GET %s: %w: %s", path, err, body)
	}
	if page.Truncated {
		return nil, fmt.Errorf("GET %s: rows are left out", path)
	}
	return page.Rows, nil
}
