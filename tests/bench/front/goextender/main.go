// Command goextender is the scheduler extender that a user would write in an afternoon: net/http,
// encoding/json, the Kubernetes types, default GOMAXPROCS, no logging. It is what Outrigger is
// compared with.
package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` to listen on")
	portFile := flag.String("port-file", "", "`file` to write {\"port\":N} to once listening")
	seed := flag.Uint64("seed", 1, "seed of the cluster whose nodes are known by name")
	nodes := flag.Int("nodes", 0, "how many nodes are known by name")
	flag.Parse()
	if err := run(*listen, *portFile, newExtender(*seed, *nodes)); err != nil {
		fmt.Fprintln(os.Stderr, "goextender:", err)
		os.Exit(1)
	}
}

func run(listen, portFile string, e *extender) error {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	if portFile != "" {
		if err := writePort(portFile, listener.Addr().(*net.TCPAddr).Port); err != nil {
			return err
		}
	}
	return http.Serve(listener, e.routes())
}

// writePort replaces file at once, so that a reader never sees half of it.
func writePort(file string, port int) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".port-*")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(temporary, "{\"port\":%d}\n", port); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
