package deploy

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// since is the minor version of Kubernetes that first has a file's kinds, where others are older.
var since = map[string]int{"member-policy": 36, "penalty-mapped": 36}

// Each file, as both ways of `kubectl apply` take it.
func TestFilesAreAcceptedAndLeaveNothing(t *testing.T) {
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

var budget = regexp.MustCompile(`(?m)^(poddisruptionbudget\S+) configured$`)

// checkApplied applies a file twice: the second time changes nothing.
func (w *world) checkApplied(m manifest, way []string) {
	w.Helper()
	apply := append([]string{"apply", "--validate=strict", "-f", m.path}, way...)
	for _, says := range []string{"created", "unchanged"} {
		if way != nil {
			says = "serverside-applied" // each time
		}
		out := w.kubectl(apply...)
		if says == "unchanged" { // kubectl always sends the selector of these
			out = budget.ReplaceAllString(out, "$1 unchanged")
		}
		if strings.Count(out, " "+says+"\n") != len(m.objects) {
			w.Errorf("apply %v: not all %d objects are %s:\n%s", way, len(m.objects), says, out)
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
