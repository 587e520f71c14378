package replay

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime is the processor time, user and system, that process pid has used since its start, all
// threads together, the ended ones too; to the nanosecond where the kernel counts so.
func CPUTime(pid int) (time.Duration, error) {
	// The clock of another process, as clock_getcpuclockid(3) names it.
	const schedulerClock = 2
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &now); err != nil {
		return 0, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(now.Nano()), nil
}

// PeakMemory is the most memory, in bytes, that process pid has had resident since its start.
func PeakMemory(pid int) (int64, error) { return fromStatus(pid, "VmHWM:") }

// ResidentMemory is the memory, in bytes, that process pid has resident now.
func ResidentMemory(pid int) (int64, error) { return fromStatus(pid, "VmRSS:") }

func fromStatus(pid int, field string) (int64, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), field); found {
			kibibytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, fmt.Errorf("process %d: no %s in its status", pid, strings.TrimSuffix(field, ":"))
}

// Settle waits until process pid has gone quiet, as a garbage collector does a moment after the
// answer: at most limit, so that what one server leaves undone does not slow the next one.
func Settle(pid int, limit time.Duration) error {
	const step = 5 * time.Millisecond
	before, err := CPUTime(pid)
	for deadline := time.Now().Add(limit); err == nil && time.Now().Before(deadline); {
		time.Sleep(step)
		var now time.Duration
		if now, err = CPUTime(pid); now-before < step/10 {
			break
		}
		before = now
	}
	return err
}
