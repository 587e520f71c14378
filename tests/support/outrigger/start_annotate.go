package outrigger

import (
	"path/filepath"

	"outrigger.dev/outrigger/tests/support/process"
)

// StartAnnotate is Annotate outside tests, with the program's own log level: the caller names the program and
// stops it. The log and the file with the port are in dir.
func StartAnnotate(binary, dir, what string, args ...string) (*Server, error) {
	name := "annotate-" + what
	s := &Server{scheme: "http", adminOnly: true, portFile: filepath.Join(dir, name+"-ports.json")}
	s.spec = process.Spec{Name: name, Path: binary, LogDir: dir,
		Args: append([]string{"annotate", what, "--port-file", s.portFile}, args...)}
	return s, s.start(0, 0)
}
