package ui

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/outrigger"
)

// othersReadNothing: neither with a name that leads to this machine, nor by asking from another page.
func (s *stage) othersReadNothing(t *testing.T) {
	for name, change := range map[string]func(request *http.Request){
		"a foreign Host":   func(request *http.Request) { request.Host = browser.ForeignHost },
		"a foreign Origin": func(request *http.Request) { request.Header.Set("Origin", "http://"+browser.ForeignHost) },
	} {
		for _, path := range []string{"/", "/ui.js", "/queue", "/nodes", "/history", "/readyz?verbose"} {
			request, err := http.NewRequestWithContext(s.Ctx, http.MethodGet, s.agents.AdminURL+path, nil)
			s.Must(err)
			change(request)
			answer, err := http.DefaultClient.Do(request)
			s.Must(err)
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden || strings.Contains(string(text), pretrain.name) {
				t.Errorf("%s, GET %s: %d: %.200s", name, path, answer.StatusCode, text)
			}
		}
	}
	byName := s.browser.NewFaultyPage(t, strings.Replace(s.agents.AdminURL, "127.0.0.1", browser.ForeignHost, 1))
	byName.Open("/queue")
	if text := byName.Text("body"); strings.Contains(text, pretrain.name) || !strings.Contains(text, "no loopback address") {
		t.Errorf("by a foreign name the browser has %s", text)
	}
	s.embed(t)
}

// embed has a page of somebody else ask for the queue, and show the agent's page in a frame.
func (s *stage) embed(t *testing.T) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<p>elsewhere</p><iframe src="%s/"></iframe>`, s.agents.AdminURL)
	}))
	defer server.Close()
	page := s.browser.NewFaultyPage(t, server.URL)
	page.Open("/")
	var said string
	page.Evaluate(fmt.Sprintf(`fetch("%s/queue").then((answer) => answer.text(), (error) => error.name)`, s.agents.AdminURL), &said)
	if said != "TypeError" {
		t.Errorf("another page reads the queue: %s", said)
	}
	if faults := strings.Join(page.Faults(), " "); !strings.Contains(faults, "frame-ancestors") {
		t.Errorf("the agent's page is shown in a frame of another: %s", faults)
	}
}

// notInCharge: another replica's scheduler leads.
func (s *stage) notInCharge(t *testing.T) {
	holder, seconds, now := "elsewhere_1", int32(3600), metav1.NowMicro()
	_, err := s.Client.CoordinationV1().Leases("kube-system").Create(s.Ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "kube-scheduler"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &now,
			RenewTime: &now}}, metav1.CreateOptions{})
	s.Must(err)
	other := outrigger.Serve(t, "other-replica", s.Cluster.LogDir(), "gang,qos", "--kubeconfig", s.kubeconfig)
	page := s.browser.NewPage(t, other.AdminURL)
	page.Open("/")
	page.Until("one that says that another is in charge", `document.getElementById("reasons").innerText.includes("in charge")`)
	checkStands(t, page)
	neverSays(t, page, "Nothing waits")
}

// withoutServer: the API server goes, then the agent, which comes back and finds none.
func (s *stage) withoutServer(t *testing.T) {
	page := s.page(t)
	page.Open("/")
	page.UntilText(pretrain.name)
	s.Cluster.KillServer()
	asked := len(page.Requests())
	page.Until("one that has asked again", fmt.Sprintf("performance.getEntriesByType('resource').length > %d", asked))
	s.agents.Kill()
	page.UntilText("no complete answer")
	page.UntilText("What is grey was known")
	s.agents.Restart(t)
	page.Until("one that says what the agent lacks", `document.getElementById("reasons").innerText.includes("cluster")`)
	if said := page.Text("#queue-rows"); !strings.Contains(said, pretrain.name) {
		t.Errorf("what was known is gone: %s", page.Text("main"))
	}
	checkStands(t, page)
}
