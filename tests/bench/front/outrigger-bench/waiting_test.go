package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// holder stands in for a server with the agent hold. Every answersEvery-th bind is answered at once.
type holder struct {
	answersEvery int
	answer       string // to a released bind

	mutex   sync.Mutex
	binds   int
	waiting int
	release chan struct{}
}

func (h *holder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/hold/bind" {
		h.bind()
		fmt.Fprint(w, h.answer)
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if strings.Contains(string(body), "release") {
		close(h.release)
	}
	fmt.Fprintf(w, `{"FailedNodes":{"n":"hold: %d"},"Error":""}`, h.waiting)
}

func (h *holder) bind() {
	h.mutex.Lock()
	h.binds++
	waits := h.answersEvery == 0 || h.binds%h.answersEvery != 0
	if waits {
		h.waiting++
	}
	h.mutex.Unlock()
	if waits {
		<-h.release
	}
}

// serverOf is handler as a contender's server, until the test ends.
func serverOf(t *testing.T, handler http.Handler) *server {
	t.Helper()
	fake := httptest.NewServer(handler)
	t.Cleanup(fake.Close)
	return &server{host: strings.TrimPrefix(fake.URL, "http://")}
}

func TestBindsThatWaitAreAnsweredWhenReleased(t *testing.T) {
	binds, err := startBinds(serverOf(t, &holder{answer: `{"Error":""}`, release: make(chan struct{})}), 20)
	if err == nil {
		err = binds.release()
	}
	if err != nil {
		t.Error(err)
	}
}

func TestBindsThatDoNotWaitAreFoundOut(t *testing.T) {
	_, err := startBinds(serverOf(t, &holder{answersEvery: 7, answer: `{"Error":""}`, release: make(chan struct{})}), 20)
	if err == nil || !strings.Contains(err.Error(), "should wait") {
		t.Errorf("got %v", err)
	}
}

func TestABindThatFailsInTheEndIsFoundOut(t *testing.T) {
	binds, err := startBinds(serverOf(t, &holder{answer: `{"Error":"gone"}`, release: make(chan struct{})}), 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := binds.release(); err == nil || err.Error() != "gone" {
		t.Errorf("got %v", err)
	}
}

func TestABindThatIsLostWhileItWaitsIsFoundOut(t *testing.T) {
	fake := &holder{answer: `{"Error":""}`, release: make(chan struct{})}
	binds, err := startBinds(serverOf(t, fake), 3)
	if err != nil {
		t.Fatal(err)
	}
	fake.mutex.Lock()
	fake.waiting--
	fake.mutex.Unlock()
	if err := binds.release(); err == nil || !strings.Contains(err.Error(), "2 binds waited, not 3") {
		t.Errorf("got %v", err)
	}
}

func TestAnIdleConnectionThatIsClosedIsFoundOut(t *testing.T) {
	var asked int
	closes := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 4 { // each of the four is used once, and once more
			w.Header().Set("Connection", "close")
		}
	})
	idle, err := openIdle(serverOf(t, closes), 4)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.close()
	if err := idle.use(); err == nil || !strings.Contains(err.Error(), "idle connection 1 of 4") {
		t.Errorf("got %v", err)
	}
}
