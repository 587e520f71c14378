package deploy

import (
	"strings"
	"testing"
)

// Each file, as both ways of `kubectl apply` take it.
func TestFilesAreAcceptedAndLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, m := range manifests(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
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
