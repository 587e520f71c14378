package devices

import (
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }
