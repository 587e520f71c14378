// Package newest tests what only the newest Kubernetes has, or has in this form: upstream's own Job controller, whose
// interface changes from version to version, and extended resources that devices serve.
package newest

import (
	"os"
	"testing"

	"outrigger.dev/outrigger/tests/support/cluster"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }
