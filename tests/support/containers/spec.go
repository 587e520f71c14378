package containers

import (
	"fmt"
	"net/url"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

// hidden are the files of the kernel that runtimes keep from containers, and those that can only be read.
var (
	hidden = []string{"/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
		"/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware"}
	onlyRead = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
)

// specOf is runc's configuration (config.json) of a container.
func (p *Pod) specOf(container corev1.Container, image Image, root string) (map[string]any, error) {
	g, err := grantedTo(p.Pod, container, image)
	if err != nil {
		return nil, err
	}
	if faults := g.tooMuch(); faults != "" && !p.node.Lenient {
		return nil, fmt.Errorf("container %s may do too much: %s", container.Name, faults)
	}
	env, err := p.envOf(container)
	if err != nil {
		return nil, err
	}
	mounts, err := p.mountsOf(container)
	if err != nil {
		return nil, err
	}
	linux := map[string]any{
		"namespaces": []map[string]string{{"type": "pid"}, {"type": "mount"}, {"type": "ipc"}, {"type": "uts"},
			{"type": "network", "path": p.network.path()}},
		"maskedPaths": hidden, "readonlyPaths": onlyRead,
		"cgroupsPath": "/" + os.Getenv(insideEnv) + "/" + p.id(container.Name),
	}
	if limit := container.Resources.Limits.Memory(); !limit.IsZero() {
		linux["resources"] = map[string]any{"memory": map[string]any{"limit": limit.Value()}}
	}
	if g.seccompOfRuntime {
		if linux["seccomp"], err = seccomp(g.capabilities); err != nil {
			return nil, err
		}
	}
	may := map[string]any{"bounding": g.capabilities}
	if g.uid == 0 {
		may["effective"], may["permitted"] = g.capabilities, g.capabilities
	}
	return map[string]any{
		"ociVersion": "1.0.2", "hostname": p.Name, "mounts": mounts, "linux": linux,
		"root": map[string]any{"path": root, "readonly": g.readOnlyRoot},
		"process": map[string]any{
			"user": map[string]any{"uid": g.uid, "gid": g.gid}, "cwd": or(container.WorkingDir, "/"),
			"args": commandOf(container, image, env), "env": env.list(), "capabilities": may,
			"noNewPrivileges": g.noNewPrivileges,
		},
	}, nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// commandOf: a command replaces the image's entry point and its arguments, arguments replace the image's.
func commandOf(container corev1.Container, image Image, env environment) []string {
	command, args := image.Entrypoint, image.Cmd
	if len(container.Command) > 0 {
		command, args = env.expandAll(container.Command), nil
	}
	if len(container.Args) > 0 {
		args = env.expandAll(container.Args)
	}
	return append(append([]string{}, command...), args...)
}

// environment is in the order in which variables came.
type environment struct {
	names  []string
	values map[string]string
}

func (e *environment) set(name, value string) {
	if _, known := e.values[name]; !known {
		e.names = append(e.names, name)
	}
	e.values[name] = value
}

func (e *environment) list() (all []string) {
	for _, name := range e.names {
		all = append(all, name+"="+e.values[name])
	}
	return all
}

func (e *environment) expand(text string) string {
	return expansion.Expand(text, expansion.MappingFuncFor(e.values))
}

func (e *environment) expandAll(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, e.expand(text))
	}
	return all
}

// envOf: what images have, the API server's address, and what the manifest gives.
func (p *Pod) envOf(container corev1.Container) (environment, error) {
	env := environment{values: map[string]string{}}
	server, err := url.Parse(p.node.config.Host)
	if err != nil {
		return env, err
	}
	env.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	env.set("HOSTNAME", p.Name)
	env.set("KUBERNETES_SERVICE_HOST", server.Hostname())
	env.set("KUBERNETES_SERVICE_PORT", server.Port())
	env.set("KUBERNETES_SERVICE_PORT_HTTPS", server.Port())
	if len(container.EnvFrom) > 0 {
		return env, fmt.Errorf("envFrom of %s is not imitated", container.Name)
	}
	for _, variable := range container.Env {
		value := env.expand(variable.Value)
		if from := variable.ValueFrom; from != nil {
			if value, err = p.field(from); err != nil {
				return env, fmt.Errorf("env %s of %s: %w", variable.Name, container.Name, err)
			}
		}
		env.set(variable.Name, value)
	}
	return env, nil
}

func (p *Pod) field(from *corev1.EnvVarSource) (string, error) {
	if from.FieldRef != nil {
		switch from.FieldRef.FieldPath {
		case "status.podIP":
			return p.network.ip, nil
		case "status.hostIP":
			return HostIP, nil
		case "metadata.name":
			return p.Name, nil
		case "metadata.namespace":
			return p.Namespace, nil
		case "spec.nodeName":
			return p.Spec.NodeName, nil
		}
	}
	return "", fmt.Errorf("this source is not imitated: %+v", from)
}
