package containers

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// granted is what a container may do, as pod and container say.
type granted struct {
	uid, gid         int64
	capabilities     []string
	noNewPrivileges  bool
	readOnlyRoot     bool
	seccompOfRuntime bool
}

// ofRuntime are the capabilities that containers have unless they drop some (those of containerd).
var ofRuntime = []string{"CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID", "SETFCAP",
	"SETPCAP", "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"}

func grantedTo(pod *corev1.Pod, container corev1.Container, image Image) (granted, error) {
	of := corev1.SecurityContext{}
	if container.SecurityContext != nil {
		of = *container.SecurityContext
	}
	ofPod := corev1.PodSecurityContext{}
	if pod.Spec.SecurityContext != nil {
		ofPod = *pod.Spec.SecurityContext
	}
	var g granted
	if _, err := fmt.Sscanf(image.User, "%d:%d", &g.uid, &g.gid); err != nil && image.User != "" {
		return g, fmt.Errorf("user %q of the image is not uid:gid", image.User)
	}
	if user := first(of.RunAsUser, ofPod.RunAsUser); user != nil {
		g.uid, g.gid = *user, 0 // no image has an /etc/passwd that names its group
	}
	if group := first(of.RunAsGroup, ofPod.RunAsGroup); group != nil {
		g.gid = *group
	}
	if nonRoot := first(of.RunAsNonRoot, ofPod.RunAsNonRoot); nonRoot != nil && *nonRoot && g.uid == 0 {
		return g, errors.New("container has runAsNonRoot and image will run as root")
	}
	g.noNewPrivileges = of.AllowPrivilegeEscalation != nil && !*of.AllowPrivilegeEscalation
	g.readOnlyRoot = of.ReadOnlyRootFilesystem != nil && *of.ReadOnlyRootFilesystem
	if profile := first(of.SeccompProfile, ofPod.SeccompProfile); profile != nil {
		g.seccompOfRuntime = profile.Type == corev1.SeccompProfileTypeRuntimeDefault
	}
	g.capabilities = capabilitiesOf(of.Capabilities)
	return g, nil
}

func first[T any](values ...*T) *T {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

func capabilitiesOf(wanted *corev1.Capabilities) []string {
	names := slices.Clone(ofRuntime)
	if wanted != nil {
		for _, dropped := range wanted.Drop {
			names = slices.DeleteFunc(names, func(name string) bool { return dropped == "ALL" || string(dropped) == name })
		}
		for _, added := range wanted.Add {
			names = append(names, string(added))
		}
	}
	for i, name := range names {
		names[i] = "CAP_" + strings.TrimPrefix(name, "CAP_")
	}
	return names
}

// tooMuch names what a container may do that ours must not: "": nothing.
func (g granted) tooMuch() string {
	var faults []string
	for fault, is := range map[string]bool{
		"it runs as user " + strconv.FormatInt(g.uid, 10): g.uid == 0,
		"allowPrivilegeEscalation is not false":           !g.noNewPrivileges,
		"readOnlyRootFilesystem is not true":              !g.readOnlyRoot,
		"capabilities do not drop ALL":                    len(g.capabilities) > 0,
		"seccompProfile is not RuntimeDefault":            !g.seccompOfRuntime,
	} {
		if is {
			faults = append(faults, fault)
		}
	}
	slices.Sort(faults)
	return strings.Join(faults, ", ")
}
