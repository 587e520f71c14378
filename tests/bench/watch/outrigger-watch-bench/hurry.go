package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// hurry has the kernel run this process as soon as it wakes, as far as it lets us: a clock that is read
// late shows the time that others took. Children are started before, or they would hurry too.
func hurry() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return err
		}
		if unix.Setpriority(unix.PRIO_PROCESS, id, -20) == nil {
			continue
		}
		// Without the right to that: a short turn, of 0.1 ms, comes sooner (Linux 6.12).
		attributes := unix.SchedAttr{Size: unix.SizeofSchedAttr, Runtime: 100_000}
		if err := unix.SchedSetAttr(id, &attributes, 0); err != nil {
			return err
		}
	}
	return nil
}
