package learn

import (
	"fmt"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/learn"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/world"
)

// No check takes the program as it is for a solution. That model solutions pass is a matter of
// tests/scripts/learn/go-through.
func TestChecksFailWithoutASolution(t *testing.T) {
	for _, exercise := range learn.Exercises {
		t.Run(fmt.Sprint("step", exercise.Step), func(t *testing.T) {
			t.Parallel()
			w := world.New(t, 10*time.Minute)
			findings, err := exercise.Judge(w.Ctx, w.Cluster, outrigger.Binary(t))
			w.Must(err)
			if learn.Passed(findings) {
				t.Fatalf("passed: %+v", findings)
			}
			if last := findings[len(findings)-1]; last.OK || last.Hint == "" {
				t.Errorf("it must end with what is missing, and a hint: %+v", findings)
			}
		})
	}
}
