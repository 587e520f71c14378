// Package deploy proves that what deploy/ says runs: it is applied to a real API server, and its pods are started by
// runc as they say.
package deploy

import (
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/containers"
)

func TestMain(m *testing.M) { os.Exit(containers.Main(m)) }
