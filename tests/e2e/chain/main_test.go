package chain

import (
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
)

// ownPod is what the programs of these tests take for the pod that they run in.
const ownPod = "outrigger-scheduler-0"

func TestMain(m *testing.M) {
	os.Setenv("HOSTNAME", ownPod)
	os.Exit(cluster.Main(m))
}
