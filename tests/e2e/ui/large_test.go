package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/kube"
	"outrigger.dev/outrigger/tests/support/process"
)

// How large a cluster may be, and what the page may take there on a quiet machine.
const (
	manyNodes   = 5000
	manyWaiting = 2000 // pods
	gangsOf     = 8
	firstPaint  = time.Second
	update      = 100 * time.Millisecond
)

// large grows the cluster, in which nothing more is placed: no scheduler runs. The agents start again then: to plan again and
// again while it grows would take them, and the test, a minute.
func (s *stage) large(t *testing.T) {
	began := time.Now()
	s.agents.Kill()
	s.each(manyNodes-nodes, func(i int) error {
		return s.createNode(kube.MakeNode(fmt.Sprintf("more-%04d", i)).
			Label(corev1.LabelTopologyZone, fmt.Sprintf("eu-west-2%c", 'a'+i%6)).
			Label("example.com/rack", fmt.Sprintf("r%03d", i/40)))
	})
	after := time.Now()
	s.each(manyWaiting, func(i int) error {
		pod := kube.MakePod(fmt.Sprintf("waits-%04d", i)).Namespace("batch").Request(corev1.ResourceCPU, "200")
		if i%2 == 0 { // half of them in gangs
			pod.Label("podGroup", fmt.Sprintf("sweep-%03d", i/2/gangsOf)).Label("minAvailable", fmt.Sprint(gangsOf))
		}
		return s.createPod(pod)
	})
	t.Logf("%d nodes after %.1f s, %d pods after %.1f s more", manyNodes, after.Sub(began).Seconds(), manyWaiting,
		time.Since(after).Seconds())
	s.agents.Restart(t)
	s.agents.UntilReady(t)
	s.untilRows(t, "nodes", manyNodes)
	s.untilRows(t, "queue", manyWaiting/2+manyWaiting/2/gangsOf)

	page := s.page(t)
	page.Open("/")
	page.UntilText("waits-")
	s.judgePaint(page)
	s.judgeUpdates(page, "the queue")
	page.Evaluate(`document.querySelector("#queue-rows button").click()`, nil)
	s.judgeUpdates(page, "the queue with an open gang")
	page.Evaluate("location.hash = '#nodes'", nil)
	page.UntilText("5,000 nodes")
	s.judgeUpdates(page, "the nodes")
	direct := s.page(t)
	direct.Open("/#nodes")
	direct.UntilText("5,000 nodes")
	s.judgePaint(direct)
	checkStands(t, page)
}

// untilRows waits until an agent's page has so many rows.
func (s *stage) untilRows(t *testing.T, name string, count int) {
	t.Helper()
	deadline := time.Now().Add(process.Patience)
	for {
		began := time.Now()
		status, body := s.agents.Ask("/" + name)
		var page struct{ Total int }
		if status == http.StatusOK {
			s.Must(json.Unmarshal([]byte(body), &page))
		}
		if page.Total >= count {
			t.Logf("GET /%s: %d rows, %d KB, %.0f ms", name, page.Total, len(body)>>10, time.Since(began).Seconds()*1000)
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("/%s has %d rows, want %d: %d: %.300s", name, page.Total, count, status, body)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// judgePaint judges when the browser has first painted a text of the page.
func (s *stage) judgePaint(page *browser.Page) {
	s.Helper()
	page.Until("painted", `performance.getEntriesByName("first-contentful-paint").length > 0`)
	var ms float64
	page.Evaluate(`performance.getEntriesByName("first-contentful-paint")[0].startTime`, &ms)
	s.judge("first paint", firstPaint, ms)
}

// judgeUpdates judges the longest of some updates of what is shown.
func (s *stage) judgeUpdates(page *browser.Page, what string) {
	s.Helper()
	page.Evaluate(`performance.clearMeasures("outrigger-update")`, nil)
	for range 3 {
		askNow(page)
	}
	var ms float64
	page.Evaluate(`Math.max(...performance.getEntriesByName("outrigger-update").map((each) => each.duration))`, &ms)
	s.judge("update of "+what, update, ms)
}

// askNow has the page ask the agent before its time, and waits until it has shown the answer.
func askNow(page *browser.Page) { page.Evaluate("refresh()", nil) }

// judge says how long what the browser measured may take.
func (s *stage) judge(what string, asked time.Duration, ms float64) {
	s.Helper()
	s.Within(asked, what, time.Duration(ms*float64(time.Millisecond)))
}
