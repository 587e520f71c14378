package relay

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestConnectionsAreCountedAndCut(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	t.Cleanup(server.Close)
	r := To(t, server.Listener.Addr().String())
	client := http.Client{Transport: &http.Transport{}}
	get := func() {
		t.Helper()
		response, err := client.Get("http://" + r.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err != nil || string(body) != "hello" {
			t.Fatalf("%q, %v", body, err)
		}
	}
	get()
	get()
	if n := r.Accepted(); n != 1 {
		t.Errorf("%d connections for two calls in a row, want 1", n)
	}
	standing, err := net.Dial("tcp", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer standing.Close()
	for r.Accepted() < 2 { // until the relay has it
		get()
	}
	r.Cut()
	if _, err := standing.Read(make([]byte, 1)); err == nil {
		t.Error("a connection outlived the cut")
	}
	get()
	if n := r.Accepted(); n != 3 {
		t.Errorf("%d connections, want 3: the two that were cut, and one since", n)
	}
}
