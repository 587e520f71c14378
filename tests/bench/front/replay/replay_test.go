package replay

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// serve starts a server that answers every request by handler and returns a client for it.
func serve(t *testing.T, body []byte, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client, err := Dial(strings.TrimPrefix(server.URL, "http://"), "/bench/filter", body)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func TestCallSendsTheRecordedBytesAndReadsTheWholeAnswer(t *testing.T) {
	body := bytes.Repeat([]byte("abc"), 100_000)
	for _, length := range []string{"", "900000"} { // chunked, and by Content-Length
		client := serve(t, body, func(w http.ResponseWriter, r *http.Request) {
			got, _ := io.ReadAll(r.Body)
			if !bytes.Equal(got, body) || r.URL.Path != "/bench/filter" || len(r.TransferEncoding) != 0 {
				t.Errorf("request changed: %d bytes for %s", len(got), r.URL.Path)
			}
			if length != "" {
				w.Header().Set("Content-Length", length)
			}
			for range 3 {
				_, _ = w.Write(got)
			}
		})
		for range 3 { // the same connection
			answer, err := client.Call()
			if err != nil {
				t.Fatal(err)
			}
			if answer.Status != 200 || !bytes.Equal(answer.Body, bytes.Repeat(body, 3)) || answer.Took <= 0 {
				t.Errorf("status %d, %d bytes, took %v", answer.Status, len(answer.Body), answer.Took)
			}
		}
	}
}

func TestCallReportsARefusedBody(t *testing.T) {
	client := serve(t, make([]byte, 64<<20), func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	})
	answer, err := client.Call()
	if err == nil && answer.Status != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d and no error for a refused body", answer.Status)
	}
}

func TestCheckFindsWrongAnswers(t *testing.T) {
	cluster := bodies.New(1, 3)
	names := []string{cluster.Nodes[0].Name, cluster.Nodes[1].Name, cluster.Nodes[2].Name}
	scores := func(change int64) (list extenderv1.HostPriorityList) {
		for i, name := range names {
			list = append(list, extenderv1.HostPriority{Host: name, Score: cluster.Score(i) + change})
		}
		return list
	}
	changed := bodies.New(1, 3)
	changed.Nodes[1].Labels["x"] = "y"
	full, _ := cluster.Args(bodies.FullNodes)
	other, _ := changed.Args(bodies.FullNodes)
	two := names[:2]
	for _, row := range []struct {
		name   string
		verb   Verb
		form   bodies.Form
		result any
		right  bool
	}{
		{"echo", Filter, bodies.FullNodes, extenderv1.ExtenderFilterResult{Nodes: full.Nodes}, true},
		{"changed node", Filter, bodies.FullNodes, extenderv1.ExtenderFilterResult{Nodes: other.Nodes}, false},
		{"nodes missing", Filter, bodies.FullNodes, extenderv1.ExtenderFilterResult{}, false},
		{"error", Filter, bodies.FullNodes, extenderv1.ExtenderFilterResult{Nodes: full.Nodes, Error: "no"}, false},
		{"names", Filter, bodies.NamesOnly, extenderv1.ExtenderFilterResult{NodeNames: &names}, true},
		{"name missing", Filter, bodies.NamesOnly, extenderv1.ExtenderFilterResult{NodeNames: &two}, false},
		{"nodes for names", Filter, bodies.NamesOnly, extenderv1.ExtenderFilterResult{Nodes: full.Nodes}, false},
		{"scores", Prioritize, bodies.FullNodes, scores(0), true},
		{"wrong scores", Prioritize, bodies.FullNodes, scores(1), false},
		{"host missing", Prioritize, bodies.FullNodes, scores(0)[:2], false},
	} {
		body, _ := json.Marshal(row.result)
		err := Check(Answer{Status: 200, Header: http.Header{}, Body: body}, row.verb, row.form, cluster)
		if (err == nil) != row.right {
			t.Errorf("%s: got %v", row.name, err)
		}
	}
	if Check(Answer{Status: 500, Header: http.Header{}}, Filter, bodies.FullNodes, cluster) == nil {
		t.Error("status 500 passed")
	}
}

func TestSummarize(t *testing.T) {
	var times []time.Duration
	for i := range 200 {
		times = append(times, time.Duration(200-i))
	}
	got := Summarize(times)
	if want := (Summary{Calls: 200, Median: 100, P99: 198, Min: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Summarize([]time.Duration{3}); got.P99 != 3 || got.Median != 3 {
		t.Errorf("one call: %+v", got)
	}
	if got := Summarize(nil); got != (Summary{}) {
		t.Errorf("no calls: %+v", got)
	}
}

func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestProcessFiguresOfThisProcess(t *testing.T) {
	before, err := CPUTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// By the processor's time, not the wall's: the machine may have other work.
	for begin := processorTime(t); processorTime(t)-begin < 20*time.Millisecond; {
	}
	after, err := CPUTime(os.Getpid())
	if err != nil || after-before < 5*time.Millisecond || after-before > time.Second {
		t.Errorf("20 ms of work counted as %v (%v)", after-before, err)
	}
	if peak, err := PeakMemory(os.Getpid()); err != nil || peak < 1<<20 {
		t.Errorf("peak memory %d (%v)", peak, err)
	}
}
