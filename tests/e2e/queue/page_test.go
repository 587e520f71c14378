package queue

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/e2e/scheduling"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

const (
	podNetworkEnv = "OUTRIGGER_E2E_POD_NETWORK"
	podIP         = "10.244.1.7"
)

// The test runs itself again in a network namespace of its own, which has what a pod's has: 127.0.0.1 and the pod's
// address. All of its parts run in there, with the flags of the manifest.
func TestPagesAreReadInsideThePodsNetworkAndNotAtThePodsAddress(t *testing.T) {
	if os.Getenv(podNetworkEnv) == "" {
		runInPodNetwork(t)
		return
	}
	w := newWorld(t, 1, 1)
	agents := w.Serve("gang,qos", "--gang.scheduler-lease", "none", adminBindOfTheManifest(t), "--metrics-from-anywhere")
	w.StartScheduler(w.Config(map[string]string{"gang": agents.URL, "qos": agents.URL}))
	w.Pods(queued("low", 1), queued("high", 2))
	w.untilTried("low", "high")

	page := until(t, agents.AdminURL+"/queue", func(status int, body string) bool {
		return status == http.StatusOK && strings.Contains(body, "default/low") && strings.Contains(body, "default/high")
	})
	if high, low := strings.Index(page, "default/high"), strings.Index(page, "default/low"); high < 0 || low < high {
		t.Errorf("want default/high before default/low in %s", page)
	}
	out, err := exec.Command(outrigger.Binary(t), "explain", "queue", "--agent", agents.AdminURL).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "default/high") {
		t.Errorf("explain queue --agent: %v: %s", err, out)
	}
	atPod := strings.Replace(agents.AdminURL, "127.0.0.1", podIP, 1)
	for path, want := range map[string]int{"/queue": http.StatusForbidden, "/readyz": http.StatusOK, "/metrics": http.StatusOK} {
		if status, body := get(atPod + path); status != want {
			t.Errorf("GET %s at the pod's address: %d, want %d: %s", path, status, want, body)
		}
	}
}

func runInPodNetwork(t *testing.T) {
	// kube-apiserver wants a default route; what takes it does not matter.
	script := fmt.Sprintf(`set -e; ip link set lo up; ip link add eth0 type veth peer name node0; ip link set node0 up
ip address add %s/24 dev eth0; ip link set eth0 up; ip route add default via 10.244.1.1; exec "$@"`, podIP)
	run := exec.Command("unshare", "--user", "--map-root-user", "--net", "sh", "-c", script, "sh",
		os.Args[0], "-test.run=^"+regexp.QuoteMeta(t.Name())+"$", "-test.v", "-test.timeout=4m")
	run.Env = append(os.Environ(), podNetworkEnv+"=yes")
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("in a network namespace (unshare, ip): %v\n%s", err, out)
	}
}

// adminBindOfTheManifest is the flag as a kubelet passes it.
func adminBindOfTheManifest(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(scheduling.QueueScheduler.Path())
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`--admin-bind=\S+`).FindString(string(text))
	if !strings.Contains(flag, "$(POD_IP)") {
		t.Fatalf("the manifest's --admin-bind does not name $(POD_IP): %q", flag)
	}
	return strings.ReplaceAll(flag, "$(POD_IP)", podIP)
}

// get returns the status, 0 if there is no answer, and the body or the error.
func get(address string) (int, string) {
	if _, err := url.Parse(address); err != nil {
		return 0, err.Error()
	}
	client := http.Client{Timeout: scheduling.Patience}
	response, err := client.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

func until(t *testing.T, address string, holds func(status int, body string) bool) string {
	t.Helper()
	deadline := time.Now().Add(scheduling.Patience)
	for {
		status, body := get(address)
		if holds(status, body) {
			return body
		}
		if time.Now().After(deadline) {
			t.Fatalf("GET %s: %d: %s", address, status, body)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
