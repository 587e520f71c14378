package follow

import (
	"fmt"
	"testing"

	"outrigger.dev/outrigger/tests/support/faults"
)

// offsets are the bytes at which an answer of size bytes is cut: all of the first few, then ever
// farther apart, and the last ones.
func offsets(size int64) (all []int64) {
	for n, step := int64(0), int64(1); n < size-3; n += step {
		all = append(all, n)
		if n >= 8 {
			step = 1 + n/5
		}
	}
	for n := max(0, size-3); n < size; n++ {
		all = append(all, n)
	}
	return all
}

func TestAFirstAnswerThatIsCutIsAskedForAgain(t *testing.T) {
	w := newWorld(t)
	for _, resource := range []string{"nodes", "pods"} {
		for _, n := range offsets(6000) {
			w.scene(fmt.Sprintf("%s after %d bytes", resource, n), func(s *scene) {
				cut := s.proxy.Inject(faults.Rule{Match: faults.About(resource), Tamper: faults.CutAfter(n), Times: 1})
				s.start()
				s.untilEqual()
				s.met(cut)
			})
		}
	}
}

func TestAWatchThatIsCutAtAnyByteIsResumed(t *testing.T) {
	w := newWorld(t)
	w.scene("offsets", func(s *scene) {
		s.settle()
		for _, resource := range []string{"nodes", "pods"} {
			for _, n := range offsets(1500) {
				cut := s.proxy.Inject(faults.Rule{Match: faults.Watch(resource), Tamper: faults.CutAfter(n), Times: 1})
				s.change()
				s.recovered()
				s.met(cut)
				cut.Remove()
				if s.Failed() {
					s.Fatalf("%s cut after %d bytes", resource, n)
				}
			}
		}
	})
	w.scene("all connections at once", func(s *scene) {
		s.settle()
		for range 10 {
			s.proxy.Cut()
			s.change()
			s.recovered()
		}
	})
}
