package deploy

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

var writtenBy = regexp.MustCompile("^# Written by `outrigger (manifests [^`]*)`")

// Each file that says so is what the command in its first line prints, each time the same.
func TestFilesAreWhatTheirCommandsPrint(t *testing.T) {
	t.Parallel()
	rendered := 0
	for _, m := range manifests(t) {
		text, err := os.ReadFile(m.path)
		if err != nil {
			t.Fatal(err)
		}
		command := writtenBy.FindSubmatch(text)
		if command == nil {
			continue
		}
		rendered++
		for range 2 {
			if printed := outrigger.Run(t, strings.Fields(string(command[1]))...); !bytes.Equal(printed, text) {
				t.Errorf("%s is not what its command prints", m.path)
			}
		}
	}
	if rendered == 0 {
		t.Error("no file says which command writes it")
	}
}

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
