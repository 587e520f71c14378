package pki

import (
	"fmt"
	"os"
	"path/filepath"
)

// Mount is a folder with a certificate, its key and an authority, all replaced at once, as a kubelet
// replaces a mounted secret: by a link to another folder.
type Mount struct {
	folder  string
	version int
}

// NewMount puts the first files into a folder of its own.
func NewMount(folder string, pair Pair, authority *Authority) (*Mount, error) {
	m := &Mount{folder: folder}
	return m, m.Replace(pair, authority)
}

// CertFile, KeyFile and CAFile are the same paths whatever is in the files.
func (m *Mount) CertFile() string { return filepath.Join(m.folder, "current", "tls.crt") }

// KeyFile is the path of the key of CertFile.
func (m *Mount) KeyFile() string { return filepath.Join(m.folder, "current", "tls.key") }

// CAFile is the path of the authority.
func (m *Mount) CAFile() string { return filepath.Join(m.folder, "current", "ca.crt") }

// Replace changes all files in one step.
func (m *Mount) Replace(pair Pair, authority *Authority) error {
	m.version++
	version := fmt.Sprintf("version-%d", m.version)
	if err := os.MkdirAll(filepath.Join(m.folder, version), 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"tls.crt": pair.Certificate, "tls.key": pair.Key, "ca.crt": authority.PEM(),
	} {
		if err := os.WriteFile(filepath.Join(m.folder, version, name), text, 0o600); err != nil {
			return err
		}
	}
	link := filepath.Join(m.folder, "next")
	if err := os.Symlink(version, link); err != nil {
		return err
	}
	return os.Rename(link, filepath.Join(m.folder, "current"))
}
