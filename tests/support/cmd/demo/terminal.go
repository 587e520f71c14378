package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func isTerminal(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

var (
	showsProgress = isTerminal(os.Stderr)
	shown         bool // something is to be cleared
)

// progress shows on a terminal what is being waited for, in place of what it showed before; an
// empty text clears it. In a pipe it says nothing.
func progress(text string) {
	if !showsProgress {
		return
	}
	if shown {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	if shown = text != ""; shown {
		fmt.Fprintf(os.Stderr, "demo: %s ...", text)
	}
}
