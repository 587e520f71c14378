package containers

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
)

// seccompFile is the profile RuntimeDefault of podman and buildah, which Docker's is, too.
const seccompFile = "/usr/share/containers/seccomp.json"

// profile is the form of that file, as far as it is used.
type profile struct {
	DefaultAction   string `json:"defaultAction"`
	DefaultErrnoRet *uint  `json:"defaultErrnoRet"`
	Syscalls        []struct {
		Names    []string        `json:"names"`
		Action   string          `json:"action"`
		ErrnoRet *uint           `json:"errnoRet"`
		Args     json.RawMessage `json:"args"`
		Includes condition       `json:"includes"`
		Excludes condition       `json:"excludes"`
	} `json:"syscalls"`
}

type condition struct {
	Arches []string `json:"arches"`
	Caps   []string `json:"caps"`
}

// seccomp returns the profile for a container with these capabilities in the form that runc reads.
func seccomp(capabilities []string) (map[string]any, error) {
	text, err := os.ReadFile(seccompFile)
	if err != nil {
		return nil, fmt.Errorf("%w: run scripts/setup --images", err)
	}
	var from profile
	if err := json.Unmarshal(text, &from); err != nil {
		return nil, fmt.Errorf("%s: %w", seccompFile, err)
	}
	has := func(capability string) bool { return slices.Contains(capabilities, capability) }
	here := func(arch string) bool { return arch == runtime.GOARCH }
	var calls []any
	for _, rule := range from.Syscalls {
		in, out := rule.Includes, rule.Excludes
		if len(in.Arches) > 0 && !slices.ContainsFunc(in.Arches, here) || len(in.Caps) > 0 && !slices.ContainsFunc(in.Caps, has) ||
			slices.ContainsFunc(out.Arches, here) || slices.ContainsFunc(out.Caps, has) {
			continue
		}
		call := map[string]any{"names": rule.Names, "action": rule.Action}
		if len(rule.Args) > 0 {
			call["args"] = rule.Args
		}
		if rule.ErrnoRet != nil {
			call["errnoRet"] = *rule.ErrnoRet
		}
		calls = append(calls, call)
	}
	return map[string]any{"defaultAction": from.DefaultAction, "defaultErrnoRet": from.DefaultErrnoRet,
		"syscalls": calls}, nil
}
