package scheduling

import (
	"os"
	"testing"
)

// AllAreWanted says whether tests go through all variants of what they test, which takes too long for every day.
func AllAreWanted() bool { return os.Getenv("OUTRIGGER_MODES") == "all" }

// IsSampled picks those rows of a long table of like cases that are tested every day: a third.
func IsSampled(row int) bool { return row%3 == 0 || AllAreWanted() }

// Long leaves a test out of the short form (go test -short), which has each agent's main path alone.
// Call it first. `scripts/e2e --short` fails if a package passes no test.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not in the short form")
	}
}
