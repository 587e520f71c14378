package penalty

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// Nonsense is refused at the start, by name and reason, before any cluster is looked for.
func TestNonsenseIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ setting, value, reason string }{
		{"half-life", "0", "more than 0"},
		{"half-life", "-1", "not accepted"},
		{"half-life", "inf", "number"},
		{"half-life", "soon", "number"},
		{"grace", "-1", "not accepted"},
		{"coalesce", "-0.5", "not accepted"},
		{"start", "flat", "flat N"},
		{"start", "flat -1", "flat N"},
		{"start", "multiplicative 1.5", "from 0 to 1"},
		{"start", "double", "flat N"},
		{"completion", "flat nan", "flat N"},
		{"recovery", "never", "half-life"},
		{"step", "0", "not accepted"},
		{"step-interval", "0", "more than 0"},
		{"quantum", "0", "not accepted"},
		{"ceiling", "1000000001", "1000000000"},
		{"floor", "3000000000", "not accepted"},
		{"class-selector", "a in (", "not accepted"},
		{"namespace", "Not A Name", "not accepted"},
		{"lease", "", "not accepted"},
	} {
		t.Run(row.setting+" "+row.value, func(t *testing.T) {
			text := refused(t, "--penalty."+row.setting+"="+row.value)
			for _, word := range []string{row.setting + ":", row.value, row.reason} {
				if !strings.Contains(text, word) {
					t.Errorf("it does not say %q: %s", word, text)
				}
			}
		})
	}
	t.Run("floor above ceiling", func(t *testing.T) {
		text := refused(t, "--penalty.floor=20", "--penalty.ceiling=10")
		if !strings.Contains(text, "floor") || !strings.Contains(text, "20") || !strings.Contains(text, "10") {
			t.Errorf("it says: %s", text)
		}
	})
}

// unanswered is a kubeconfig of a server that is not there.
const unanswered = `apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: user}}]
clusters: [{name: test, cluster: {server: "https://127.0.0.1:1", insecure-skip-tls-verify: true}}]
users: [{name: user, user: {token: none}}]
`

// refused returns what the program prints that does not start.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(unanswered), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"serve", "--agents", "penalty", "--kubeconfig", kubeconfig, "--port", "0", "--admin-port", "0"}, args...)
	ctx, cancel := context.WithTimeout(t.Context(), scheduling.Patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, outrigger.Binary(t), args...).CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Fatalf("it has started: %v: %s", err, out)
	}
	return string(out)
}
