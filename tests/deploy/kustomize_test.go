package deploy

import (
	"path/filepath"
	"testing"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// What -o writes, and the kustomization of deploy/, are accepted as folders.
func TestKustomizationsApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.objects()
	written := filepath.Join(w.TempDir(), "manifests")
	outrigger.Run(t, "manifests", "gang", "-o", written)
	for _, dir := range []string{written, folder} {
		w.kubectl("apply", "--validate=strict", "-k", dir)
		if out, err := w.tryKubectl("diff", "-k", dir); err != nil {
			t.Errorf("diff -k %s: %v:\n%s", dir, err, out)
		}
		w.kubectl("delete", "-k", dir)
		w.checkObjects(before)
	}
}
