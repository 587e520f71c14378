package lab

import (
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
)

func TestMain(m *testing.M) {
	code := cluster.Main(m)
	removeScenario()
	os.Exit(code)
}
