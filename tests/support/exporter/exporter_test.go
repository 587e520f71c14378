package exporter

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func contains(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

func TestCountersAreTheIntegralsOfTheLoads(t *testing.T) {
	now := time.Unix(1000, 0)
	node := newNode(Spec{Name: "a", Cpus: 2, Load: Load{Busy: 0.5, Available: 1 << 30}}, func() time.Time { return now })
	now = now.Add(10 * time.Second) // each cpu: 7.5 s idle
	node.Set(Load{Busy: 2, Available: 1 << 20})
	now = now.Add(4 * time.Second) // and none
	text, _ := node.metrics()
	contains(t, text,
		`node_cpu_seconds_total{cpu="0",mode="idle"} 7.500000`,
		`node_cpu_seconds_total{cpu="1",mode="idle"} 7.500000`,
		`node_cpu_seconds_total{cpu="0",mode="user"} 4.875000`,
		`node_cpu_seconds_total{cpu="0",mode="system"} 1.625000`,
		`node_memory_MemAvailable_bytes 1048576`,
		`node_uname_info{machine="x86_64",nodename="a",sysname="Linux"} 1`)
	node.Reset()
	now = now.Add(time.Second)
	text, _ = node.metrics()
	contains(t, text, `node_cpu_seconds_total{cpu="0",mode="idle"} 0.000000`,
		`node_cpu_seconds_total{cpu="0",mode="user"} 0.750000`)
}

func TestEachNodeHasAnAddressAndAllHaveOnePort(t *testing.T) {
	e := ForTest(t, Spec{Name: "a", Cpus: 1}, Spec{Name: "b", Cpus: 1, Load: Load{Available: 7}})
	e.Node("a").Fail(true)
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		response, err := http.Get("http://" + e.Targets()[i] + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != want {
			t.Errorf("%s: %s %v", e.Targets()[i], response.Status, err)
		}
		if i == 1 {
			contains(t, string(body), "node_memory_MemAvailable_bytes 7")
		}
	}
	if e.Node("c") != nil {
		t.Error("there is a node c")
	}
}
