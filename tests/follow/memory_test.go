package follow

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"outrigger.dev/outrigger/tests/support/faults"
	"outrigger.dev/outrigger/tests/support/kube"
)

var rounds = flag.Int("rounds", 1000, "how often the connections are cut where memory must not grow")

// Half of the rounds make the follower list again, half let it resume.
func TestMemoryDoesNotGrowOverReconnects(t *testing.T) {
	w := newWorld(t)
	w.scene("rounds", func(s *scene) {
		s.start()
		s.untilEqual()
		warm := max(1, *rounds/10)
		s.disturb(warm)
		before, err := s.follower.Stats()
		s.Must(err)
		s.disturb(*rounds - warm)
		s.untilEqual()
		after, err := s.follower.Stats()
		s.Must(err)
		s.Logf("%d rounds: %d KiB, then %d KiB; %d lists, %d watches", *rounds,
			before.RSSBytes>>10, after.RSSBytes>>10, after.Relists, after.Watches)
		if grown := after.RSSBytes - before.RSSBytes; grown > 4<<20 {
			s.Errorf("memory grew by %d KiB in %d rounds", grown>>10, *rounds-warm)
		}
	})
}

// disturb cuts all connections, again whenever both watches stand again.
func (s *scene) disturb(rounds int) {
	s.Helper()
	for round := range rounds {
		before, err := s.follower.Stats()
		s.Must(err)
		if round%2 == 0 {
			s.proxy.Inject(goneOnce)
		}
		s.proxy.Cut()
		s.Must(kube.Eventually(s.Ctx, patience, func(context.Context) error {
			now, err := s.follower.Stats()
			if err == nil && now.Watches < before.Watches+2 {
				err = fmt.Errorf("round %d: %d watches, want %d", round, now.Watches, before.Watches+2)
			}
			return err
		}))
	}
}

// goneOnce makes the next watch of pods need a new list.
var goneOnce = faults.Rule{Match: faults.Watch("pods"), Answer: faults.Gone(), Times: 1}
