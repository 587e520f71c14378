package sheet

import (
	"os"
	"strings"
)

// Load is the mean number of processes that wanted to run in the last minute.
func Load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
