package scheduling

import "testing"

// Long leaves a test out of the short form (go test -short), which has each agent's main path alone.
// Call it first. `scripts/e2e --short` fails if a package passes no test.
func Long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not in the short form")
	}
}
