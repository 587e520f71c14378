package containers

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestCommandOfIsThatOfTheImageUnlessTheContainerSaysOtherwise(t *testing.T) {
	image := Image{Entrypoint: []string{"/program"}, Cmd: []string{"serve"}}
	env := environment{values: map[string]string{}}
	env.set("POD_IP", "10.88.0.2")
	for name, row := range map[string]struct {
		container corev1.Container
		want      string
	}{
		"nothing":              {corev1.Container{}, "/program serve"},
		"arguments":            {corev1.Container{Args: []string{"--bind=$(POD_IP)"}}, "/program --bind=10.88.0.2"},
		"a command":            {corev1.Container{Command: []string{"other"}}, "other"},
		"both":                 {corev1.Container{Command: []string{"other"}, Args: []string{"-v"}}, "other -v"},
		"an unknown variable":  {corev1.Container{Args: []string{"$(NONE)"}}, "/program $(NONE)"},
		"an escaped reference": {corev1.Container{Args: []string{"$$(POD_IP)"}}, "/program $(POD_IP)"},
	} {
		if got := strings.Join(commandOf(row.container, image, env), " "); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// restricted is a container that may do nothing.
func restricted() (*corev1.Pod, corev1.Container) {
	user, yes, no := int64(65532), true, false
	pod := &corev1.Pod{Spec: corev1.PodSpec{SecurityContext: &corev1.PodSecurityContext{
		RunAsNonRoot: &yes, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}}}
	return pod, corev1.Container{SecurityContext: &corev1.SecurityContext{RunAsUser: &user, AllowPrivilegeEscalation: &no,
		ReadOnlyRootFilesystem: &yes, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}}
}

func TestWhatAManifestForgetsIsNamed(t *testing.T) {
	for want, forget := range map[string]func(*corev1.Pod, *corev1.SecurityContext){
		"":                                      func(*corev1.Pod, *corev1.SecurityContext) {},
		"allowPrivilegeEscalation is not false": func(_ *corev1.Pod, of *corev1.SecurityContext) { of.AllowPrivilegeEscalation = nil },
		"readOnlyRootFilesystem is not true":    func(_ *corev1.Pod, of *corev1.SecurityContext) { of.ReadOnlyRootFilesystem = nil },
		"capabilities do not drop ALL":          func(_ *corev1.Pod, of *corev1.SecurityContext) { of.Capabilities = nil },
		"seccompProfile is not RuntimeDefault":  func(pod *corev1.Pod, _ *corev1.SecurityContext) { pod.Spec.SecurityContext.SeccompProfile = nil },
		"it runs as user 0": func(pod *corev1.Pod, of *corev1.SecurityContext) {
			of.RunAsUser, pod.Spec.SecurityContext.RunAsNonRoot = nil, nil
		},
	} {
		pod, container := restricted()
		forget(pod, container.SecurityContext)
		g, err := grantedTo(pod, container, Image{})
		if got := g.tooMuch(); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

func TestRootIsRefusedWhereTheManifestForbidsIt(t *testing.T) {
	pod, container := restricted()
	container.SecurityContext.RunAsUser = nil
	if _, err := grantedTo(pod, container, Image{User: "0:0"}); err == nil {
		t.Error("it was accepted")
	}
	if g, err := grantedTo(pod, container, Image{User: "7:8"}); err != nil || g.uid != 7 || g.gid != 8 {
		t.Errorf("the image's user is not taken: %+v, %v", g, err)
	}
}

func TestCapabilitiesAreThoseOfTheRuntimeLessWhatIsDropped(t *testing.T) {
	if all := capabilitiesOf(nil); len(all) != len(ofRuntime) || !slices.Contains(all, "CAP_CHOWN") {
		t.Errorf("of the runtime: %v", all)
	}
	if some := capabilitiesOf(&corev1.Capabilities{Drop: []corev1.Capability{"CHOWN"}}); slices.Contains(some, "CAP_CHOWN") {
		t.Errorf("dropped, and there: %v", some)
	}
	some := capabilitiesOf(&corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"NET_BIND_SERVICE"}})
	if !slices.Equal(some, []string{"CAP_NET_BIND_SERVICE"}) {
		t.Errorf("all but one dropped: %v", some)
	}
}
