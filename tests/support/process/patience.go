package process

import "time"

// Patience is how long a test waits for what must become true. It ends a test that hangs, and promises nothing about the
// machine: what takes a second or a few on a quiet machine takes a minute on one that is busy and slow.
const Patience = 3 * time.Minute
