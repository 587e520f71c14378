package deploy

import (
	"strconv"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
)

// since is the minor version of Kubernetes that first has a file's kinds, where others are older.
var since = map[string]int{"member-policy": 36, "penalty-mapped": 36}

// Each file, as both ways of `kubectl apply` take it.
func TestFilesAreAcceptedAndLeaveNothing(t *testing.T) {
	scheduling.Long(t)
	t.Parallel()
	for name, m := range manifests(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if w.minorVersion() < since[name] {
				if out, err := w.tryKubectl("apply", "-f", m.path); err == nil || !strings.Contains(err.Error(), "no matches for kind") {
					t.Errorf("apply to a cluster that lacks its kinds: %v:\n%s", err, out)
				}
				return
			}
			before := w.objects()
			for _, way := range [][]string{nil, {"--server-side"}} {
				w.checkApplied(m, way)
				w.kubectl("delete", "-f", m.path)
				w.checkObjects(before)
			}
		})
	}
}

// checkApplied applies a file twice: the second time changes nothing.
func (w *world) checkApplied(m manifest, way []string) {
	w.Helper()
	apply := append([]string{"apply", "--validate=strict", "-f", m.path}, way...)
	for range 2 {
		if out := w.kubectl(apply...); strings.Count(out, "\n") != len(m.objects) {
			w.Errorf("apply %v of %d objects:\n%s", way, len(m.objects), out)
		}
	}
	if out, err := w.tryKubectl(append([]string{"diff", "-f", m.path}, way...)...); err != nil {
		w.Errorf("diff %v of what was applied: %v:\n%s", way, err, out)
	}
}

func (w *world) minorVersion() int {
	w.Helper()
	version, err := w.Client.Discovery().ServerVersion()
	w.Must(err)
	minor, err := strconv.Atoi(version.Minor)
	w.Must(err)
	return minor
}
