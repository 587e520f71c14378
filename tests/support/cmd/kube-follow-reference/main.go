// Command kube-follow-reference is the reference follower: see package follower for what it is asked.
package main

import (
	"fmt"
	"os"

	"outrigger.dev/outrigger/tests/support/follower/reference"
)

func main() {
	if err := reference.Main(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kube-follow-reference:", err)
		os.Exit(1)
	}
}
