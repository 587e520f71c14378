package process

import "time"

// Patience is how long a test waits for what must become true. It ends a test that hangs, and promises nothing about the
// machine. A control plane has taken 134 s to start next to ten compilers.
const Patience = 5 * time.Minute
