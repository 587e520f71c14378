package main

import "outrigger.dev/outrigger/tests/support/terminal"

// progress shows on a terminal what is being waited for; see terminal.Progress.
var progress = terminal.Progress("demo")
