package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/registry"
)

// The first command of the README's section In a cluster: the image is built, pushed, and comes back from the registry.
// scripts/suites/images runs this: it has an engine, and the layers of the image.
func TestImagesArePushedAsTheReadmeSays(t *testing.T) {
	host := registry.Start(t)
	file := filepath.Join(t.TempDir(), "registries.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, "[[registry]]\nlocation = %q\ninsecure = true\n", host), 0o644); err != nil {
		t.Fatal(err)
	}
	shell := func(line string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(line, "registry.example", host))
		command.Dir = root
		command.Env = append(os.Environ(), "CONTAINERS_REGISTRIES_CONF="+file)
		var messages strings.Builder
		command.Stderr = &messages
		out, err := command.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, messages.String())
		}
		return string(out)
	}
	command := readmesCommands(t)[0]
	pushed := shell(command)
	const image = "registry.example/me/kube-sched-ext-gang:0.0"
	if name := strings.ReplaceAll(image, "registry.example", host); !strings.HasPrefix(pushed, name+" ") {
		t.Fatalf("%s prints %q, want %s and its digest", command, pushed, name)
	}
	container := strings.TrimSpace(shell("buildah from --quiet --pull-always " + image))
	defer shell("buildah rm " + container)
	var inspected struct {
		FromImageDigest string
		OCIv1           struct{ Config struct{ Entrypoint []string } }
	}
	if err := json.Unmarshal([]byte(shell("buildah inspect "+container)), &inspected); err != nil {
		t.Fatal(err)
	}
	if digest := strings.Fields(pushed)[1]; inspected.FromImageDigest != digest {
		t.Errorf("pulled is %s, pushed was %s", inspected.FromImageDigest, digest)
	}
	if entry := inspected.OCIv1.Config.Entrypoint; len(entry) != 1 || entry[0] != "/usr/local/bin/outrigger" {
		t.Errorf("its entry point is %v", entry)
	}
}
