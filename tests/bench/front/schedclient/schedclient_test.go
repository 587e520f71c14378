package schedclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"outrigger.dev/outrigger/tests/bench/bodies"
	"outrigger.dev/outrigger/tests/bench/front/replay"
)

// What the raw client replays must be what the scheduler sends, or its figures mean nothing.
func TestTheSchedulerSendsTheRecordedBytes(t *testing.T) {
	cluster := bodies.New(1, 12)
	for _, form := range []bodies.Form{bodies.FullNodes, bodies.NamesOnly} {
		want, err := cluster.Encode(form)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		var request *http.Request
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got, _ = io.ReadAll(r.Body)
			request = r
			list := make(extenderv1.HostPriorityList, 12)
			_ = json.NewEncoder(w).Encode(list)
		}))
		defer server.Close()
		client, err := New(server.URL+"/bench", form, cluster)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Call(replay.Prioritize); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the scheduler sent %d bytes that differ from the recorded %d", form, len(got), len(want))
		}
		header := string(bodies.Header(request.Host, request.URL.Path, len(got)))
		sent := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\nContent-Length: %d\r\nContent-Type: %s\r\nAccept-Encoding: %s\r\n\r\n",
			request.Method, request.URL.Path, request.Host, request.UserAgent(), request.ContentLength,
			request.Header.Get("Content-Type"), request.Header.Get("Accept-Encoding"))
		if header != sent {
			t.Errorf("%s: recorded header\n%s\nthe scheduler sent\n%s", form, header, sent)
		}
	}
}

func TestAnAnswerThatLosesNodesIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"Nodes":null,"NodeNames":[]}`)
	}))
	defer server.Close()
	client, err := New(server.URL, bodies.NamesOnly, bodies.New(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(replay.Filter); err == nil {
		t.Error("no error for an answer without nodes")
	}
}
