// Package terminal shows people at a terminal what a program waits for, and is one for tests (Screen).
package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Is reports whether a file is a terminal.
func Is(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

// Progress returns a function that shows on standard error, if that is a terminal, what is being waited
// for, in place of what it showed before; an empty text clears it. In a pipe it prints nothing. Not for
// concurrent use.
func Progress(program string) func(text string) {
	if !Is(os.Stderr) {
		return func(string) {}
	}
	shown := false // something is to be cleared
	return func(text string) {
		if shown {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
		if shown = text != ""; shown {
			fmt.Fprintf(os.Stderr, "%s: %s ...", program, text)
		}
	}
}
