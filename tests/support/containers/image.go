package containers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Image is what a container starts from.
type Image struct {
	Root            string // a folder, which containers cannot change
	Entrypoint, Cmd []string
	User            string // uid:gid; "": root
}

const certificates = "/etc/ssl/certs/ca-certificates.crt"

// ProgramImage makes the root of an image in an empty folder: a program, at a path, with the libraries that it loads
// and the list of CAs. It is built from scratch, so there is nothing else in it.
func ProgramImage(dir, program, at string) (Image, error) {
	libraries, err := librariesOf(program)
	if err != nil {
		return Image{}, err
	}
	files := map[string]string{at: program, certificates: certificates}
	for _, library := range libraries {
		files[library] = library
	}
	for to, from := range files {
		if err := copyFile(filepath.Join(dir, to), from); err != nil {
			return Image{}, err
		}
	}
	return Image{Root: dir}, nil
}

// librariesOf lists the libraries and the loader of a program, none of one that is linked statically.
func librariesOf(program string) ([]string, error) {
	out, err := exec.Command("ldd", program).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && strings.Contains(string(out), "not a dynamic executable") {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ldd %s: %w: %s", program, err, out)
	}
	var paths []string
	for line := range strings.Lines(string(out)) { // "name => path (address)", or of the loader "path (address)"
		for _, word := range strings.Fields(line) {
			if strings.HasPrefix(word, "/") {
				paths = append(paths, word)
			}
		}
	}
	return paths, nil
}

// copyFile gives a copy the same mode; a link in the same file system is as good.
func copyFile(to, from string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode())
}
