package containers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mount is an entry of runc's configuration.
type mount struct {
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Options     []string `json:"options,omitempty"`
}

const accountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// systemMounts are those that each container has.
var systemMounts = []mount{
	{"/proc", "proc", "proc", nil},
	{"/dev", "tmpfs", "tmpfs", []string{"nosuid", "strictatime", "mode=755", "size=65536k"}},
	{"/dev/pts", "devpts", "devpts", []string{"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"}},
	{"/dev/shm", "tmpfs", "shm", []string{"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
	{"/dev/mqueue", "mqueue", "mqueue", []string{"nosuid", "noexec", "nodev"}},
	{"/sys", "sysfs", "sysfs", []string{"nosuid", "noexec", "nodev", "ro"}},
}

func bind(source, destination string, readOnly bool) mount {
	options := []string{"rbind", "rprivate"}
	if readOnly {
		options = append(options, "ro")
	}
	return mount{destination, "bind", source, options}
}

// prepare writes the files that the pod's containers mount.
func (p *Pod) prepare(ctx context.Context) error {
	for _, volume := range p.Spec.Volumes {
		if err := p.prepareVolume(ctx, volume); err != nil {
			return fmt.Errorf("MountVolume.SetUp failed for volume %q: %w", volume.Name, err)
		}
	}
	files := map[string][]byte{
		"hosts":       fmt.Appendf(nil, "127.0.0.1\tlocalhost\n::1\tlocalhost\n%s\t%s\n", p.network.ip, p.Name),
		"hostname":    []byte(p.Name + "\n"),
		"resolv.conf": []byte("nameserver 10.0.0.10\n"), // nobody is there
	}
	if err := writeFiles(p.file("etc"), files, 0o644); err != nil {
		return err
	}
	if p.Spec.AutomountServiceAccountToken != nil && !*p.Spec.AutomountServiceAccountToken {
		return nil
	}
	return p.prepareAccount(ctx)
}

func (p *Pod) prepareVolume(ctx context.Context, volume corev1.Volume) error {
	dir := p.file("volumes", volume.Name)
	switch {
	case volume.ConfigMap != nil:
		from, err := p.node.client.CoreV1().ConfigMaps(p.Namespace).Get(ctx, volume.ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		files := map[string][]byte{}
		for key, text := range from.Data {
			files[key] = []byte(text)
		}
		if files, err = chosen(files, volume.ConfigMap.Items); err != nil {
			return err
		}
		return writeFiles(dir, files, os.FileMode(*volume.ConfigMap.DefaultMode))
	case volume.Secret != nil:
		from, err := p.node.client.CoreV1().Secrets(p.Namespace).Get(ctx, volume.Secret.SecretName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		files, err := chosen(from.Data, volume.Secret.Items)
		if err != nil {
			return err
		}
		return writeFiles(dir, files, os.FileMode(*volume.Secret.DefaultMode))
	case volume.EmptyDir != nil:
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		return os.Chmod(dir, 0o777)
	}
	return fmt.Errorf("a volume of this kind is not imitated: %+v", volume.VolumeSource)
}

func chosen(files map[string][]byte, items []corev1.KeyToPath) (map[string][]byte, error) {
	if len(items) == 0 {
		return files, nil
	}
	some := map[string][]byte{}
	for _, item := range items {
		text, ok := files[item.Key]
		if !ok {
			return nil, fmt.Errorf("references non-existent config key: %s", item.Key)
		}
		some[item.Path] = text
	}
	return some, nil
}

// prepareAccount writes a token that is valid as long as the pod is there.
func (p *Pod) prepareAccount(ctx context.Context) error {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: p.Name, UID: p.UID}}}
	token, err := p.node.client.CoreV1().ServiceAccounts(p.Namespace).CreateToken(
		ctx, p.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("MountVolume.SetUp failed for the token of %s: %w", p.Spec.ServiceAccountName, err)
	}
	ca, err := os.ReadFile(p.node.config.CAFile)
	if err != nil {
		return err
	}
	return writeFiles(p.file("account"), map[string][]byte{
		"token": []byte(token.Status.Token), "ca.crt": ca, "namespace": []byte(p.Namespace)}, 0o644)
}

// mountsOf are those of one container.
func (p *Pod) mountsOf(container corev1.Container) ([]mount, error) {
	mounts := append([]mount{}, systemMounts...)
	for _, name := range []string{"hosts", "hostname", "resolv.conf"} {
		mounts = append(mounts, bind(p.file("etc", name), "/etc/"+name, true))
	}
	if _, err := os.Stat(p.file("account")); err == nil {
		mounts = append(mounts, bind(p.file("account"), accountDir, true))
	}
	for _, wanted := range container.VolumeMounts {
		if wanted.SubPath != "" || wanted.SubPathExpr != "" {
			return nil, fmt.Errorf("subPath of %s is not imitated", wanted.Name)
		}
		emptyDir := false
		for _, volume := range p.Spec.Volumes {
			emptyDir = emptyDir || volume.Name == wanted.Name && volume.EmptyDir != nil
		}
		mounts = append(mounts, bind(p.file("volumes", wanted.Name), wanted.MountPath, wanted.ReadOnly || !emptyDir))
	}
	return mounts, nil
}

// file is a path in the folder of the pod.
func (p *Pod) file(of ...string) string { return filepath.Join(append([]string{p.dir}, of...)...) }

func writeFiles(dir string, files map[string][]byte, mode os.FileMode) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, mode); err != nil {
			return err
		}
	}
	return nil
}
