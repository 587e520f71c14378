package outrigger

import (
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"outrigger.dev/outrigger/tests/support/process"
)

// AnnotateRules are what the annotators may do.
var AnnotateRules = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list", "watch", "patch"}},
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{"metrics.k8s.io"}, Resources: []string{"nodes"}, Verbs: []string{"get", "list"}},
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"},
		Verbs: []string{"get", "list", "watch", "create", "update", "patch"}},
}

// Annotate starts `outrigger annotate <kind>` with more arguments. Its log is <logDir>/annotate-<kind>.log. It
// is killed at the test's end, and the test fails if it ended on its own before.
func Annotate(t testing.TB, logDir, kind string, args ...string) *process.Process {
	t.Helper()
	annotator, err := StartAnnotate(Binary(t), logDir, kind, append([]string{"--log-level", "debug"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := annotator.ExitError(); err != nil {
			t.Errorf("the annotator did not live to the end of the test: %v", err)
		}
		annotator.Kill()
	})
	return annotator
}

// StartAnnotate is Annotate outside tests: the caller names the program and kills the process.
func StartAnnotate(binary, dir, kind string, args ...string) (*process.Process, error) {
	name := "annotate-" + kind
	args = append([]string{"annotate", kind, "--port", "0", "--port-file", filepath.Join(dir, name+"-ports.json")}, args...)
	return process.Start(process.Spec{Name: name, Path: binary, LogDir: dir, Args: args})
}
