package scheduling

import (
	"fmt"
	"os"
	"runtime"
	"sort"
	"sync"
	"time"
)

// machine is watched from the start of a test program on.
var machine = watchMachine()

// busyness records how many threads have shared a processor: where it is 3, what needs a processor takes three times as
// long as on a quiet machine. Its methods are safe for concurrent use.
type busyness struct {
	mutex   sync.Mutex
	samples []busySample // in order of time
}

type busySample struct {
	at  time.Time
	sum float64 // seconds times threads for a processor, from the first sample on
}

// watchMachine takes a sample each 50 ms, which costs less than a thousandth of a processor.
func watchMachine() *busyness {
	b := &busyness{}
	go func() {
		for ; ; time.Sleep(50 * time.Millisecond) {
			if running, err := runningThreads(); err == nil {
				b.add(time.Now(), threadsForOne(running, runtime.NumCPU()))
			}
		}
	}()
	return b
}

// runningThreads returns how many threads run or wait for a processor, the caller's included.
func runningThreads() (running int, err error) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, err
	}
	var averages [3]float64
	_, err = fmt.Sscanf(string(text), "%g %g %g %d/", &averages[0], &averages[1], &averages[2], &running)
	return running, err
}

// threadsForOne returns how many share a processor with one more thread that wants to run: that which has counted them
// stands for it. It is 1 at least.
func threadsForOne(running, processors int) float64 {
	return max(1, float64(running)/float64(processors))
}

// add records that so many threads have shared a processor since the last sample.
func (b *busyness) add(at time.Time, threads float64) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	sum := 0.0
	if last := len(b.samples) - 1; last >= 0 {
		sum = b.samples[last].sum + threads*at.Sub(b.samples[last].at).Seconds()
	}
	b.samples = append(b.samples, busySample{at, sum})
}

// since returns the mean number of threads that have shared a processor since a time, 1 at least.
func (b *busyness) since(began time.Time) float64 {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	last := len(b.samples) - 1
	first := sort.Search(len(b.samples), func(i int) bool { return b.samples[i].at.After(began) }) - 1
	first = max(0, min(first, last-1))
	if last < 1 {
		return 1
	}
	from, to := b.samples[first], b.samples[last]
	return max(1, (to.sum-from.sum)/to.at.Sub(from.at).Seconds())
}
