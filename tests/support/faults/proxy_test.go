package faults

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestWithoutRulesEverythingPassesAndIsCounted(t *testing.T) {
	r := newRig(t)
	response, body, err := r.get("/api/v1/nodes")
	if err != nil || body != page || response.Header.Get("Seen-Authorization") != "Bearer secret" {
		t.Fatalf("%q, %v, %v", body, err, response)
	}
	events, _ := r.watch()
	r.events <- "one"
	r.expectLine(events, "one") // before the watch ends
	if n, m := r.proxy.Accepted(), r.proxy.Requests(); n != 2 && n != 1 || m != 2 {
		t.Errorf("%d connections, %d requests", n, m)
	}
}

func TestABodyIsCutAtAnyByte(t *testing.T) {
	r := newRig(t)
	for n := range len(page) + 1 {
		cut := r.proxy.Inject(Rule{Match: List("nodes"), Tamper: CutAfter(int64(n)), Times: 1})
		_, body, err := r.get("/api/v1/nodes")
		if err == nil && n < len(page) || body != page[:n] {
			t.Errorf("cut after %d: %q, %v", n, body, err)
		}
		if cut.Hits() != 1 {
			t.Errorf("cut after %d: met %d requests", n, cut.Hits())
		}
		if _, body, err := r.get("/api/v1/nodes"); err != nil || body != page {
			t.Errorf("after the cut: %q, %v", body, err)
		}
		cut.Remove()
	}
}

func TestARefusalOfAWatchIsNoStreamOfEvents(t *testing.T) {
	r := newRig(t)
	if response, body, err := r.get("/api/v1/refused?watch=true"); err != nil || body != refusal || response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("%q, %v, %v", body, err, response)
	}
}

func TestAStandingWatchIsCutInAnEvent(t *testing.T) {
	r := newRig(t)
	events, _ := r.watch()
	r.events <- "one"
	r.expectLine(events, "one")
	r.proxy.Inject(Rule{Match: Watch("pods"), Tamper: CutAfter(2)})
	r.events <- "two"
	if rest, err := io.ReadAll(events); string(rest) != "tw" || err == nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestAnswersReplaceTheServersAsOftenAsTold(t *testing.T) {
	for name, row := range map[string]struct {
		answer *Answer
		code   int
		text   string
	}{
		"Gone": {Gone(), 410, `"reason":"Expired"`}, "TooMany": {TooMany(7), 429, `"retryAfterSeconds":7`},
		"Broken": {Broken(), 500, "leader changed"}, "Forbidden": {Forbidden(), 403, "Forbidden"},
		"Unauthorized": {Unauthorized(), 401, "Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			rule := r.proxy.Inject(Rule{Match: List("nodes"), Answer: row.answer, Times: 2})
			for range 2 {
				response, body, err := r.get("/api/v1/nodes")
				if err != nil || response.StatusCode != row.code || !strings.Contains(body, row.text) {
					t.Errorf("%q, %v", body, err)
				}
				if row.code == 429 && response.Header.Get("Retry-After") != "7" {
					t.Errorf("headers: %v", response.Header)
				}
				if _, body, _ := r.get("/api/v1/pods"); body != page {
					t.Errorf("another path: %q", body)
				}
			}
			if _, body, err := r.get("/api/v1/nodes"); err != nil || body != page || rule.Hits() != 2 {
				t.Errorf("the third time: %q, %v; %d hits", body, err, rule.Hits())
			}
		})
	}
}

func TestLateEventsKeepTheirOrderAndTheirDelayDoesNotAddUp(t *testing.T) {
	r := newRig(t)
	events, _ := r.watch()
	r.proxy.Inject(Rule{Match: Watch("pods"), Tamper: Late(300 * time.Millisecond)})
	const count = 30 // added up: 9 s
	began := time.Now()
	for i := range count {
		r.events <- fmt.Sprint(i)
	}
	for i := range count {
		r.expectLine(events, fmt.Sprint(i))
	}
	if took := time.Since(began); took < 300*time.Millisecond || took > 6*time.Second {
		t.Errorf("%d events took %v", count, took)
	}
}

func TestASilentWatchStaysOpenAndSilent(t *testing.T) {
	r := newRig(t)
	events, closer := r.watch()
	r.events <- "one"
	r.expectLine(events, "one")
	silence := r.proxy.Inject(Rule{Match: Watch("pods"), Tamper: FallSilent(0), Times: 1})
	r.events <- "two"
	read := make(chan error, 1)
	go func() {
		_, err := events.ReadByte()
		read <- err
	}()
	for silence.Hits() == 0 { // until it has swallowed the event
		if t.Context().Err() != nil {
			t.Fatal("no hit")
		}
	}
	silence.Remove()
	r.events <- "three"
	select {
	case err := <-read:
		t.Errorf("the watch said something, or ended: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	closer.Close()
	<-read
	for r.watches.Load() > 0 { // the server still has the silent watch, which would get the event
		if t.Context().Err() != nil {
			t.Fatal("the silent watch does not end")
		}
		time.Sleep(time.Millisecond)
	}
	again, _ := r.watch()
	r.events <- "four"
	for { // "three" is either lost with the silent watch or not
		line, err := again.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "four\n" {
			break
		}
	}
}

func TestASlowBodyComesByteByByte(t *testing.T) {
	r := newRig(t)
	r.proxy.Inject(Rule{Tamper: Drip(time.Millisecond)})
	begin := time.Now()
	_, body, err := r.get("/api/v1/nodes")
	if took := time.Since(begin); err != nil || body != page || took < time.Duration(len(page))*time.Millisecond {
		t.Errorf("%q, %v after %v", body, err, took)
	}
}

func TestADelayComesBeforeTheAnswer(t *testing.T) {
	r := newRig(t)
	r.proxy.Inject(Rule{Delay: 100 * time.Millisecond, Times: 1})
	begin := time.Now()
	_, body, err := r.get("/api/v1/nodes")
	if took := time.Since(begin); err != nil || body != page || took < 100*time.Millisecond {
		t.Errorf("%q, %v after %v", body, err, took)
	}
}

func TestARequestThatIsHeldGoesOnOnceItIsLetGo(t *testing.T) {
	r := newRig(t)
	hold := make(chan struct{})
	held := r.proxy.Inject(Rule{Match: List("nodes"), Hold: hold, Times: 1})
	answered := make(chan error, 1)
	go func() {
		_, body, err := r.get("/api/v1/nodes")
		if err == nil && body != page {
			err = errors.New(body)
		}
		answered <- err
	}()
	for held.Hits() == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, body, err := r.get("/api/v1/nodes"); err != nil || body != page {
		t.Errorf("the next one: %q, %v", body, err)
	}
	select {
	case err := <-answered:
		t.Errorf("answered while it is held: %v", err)
	default:
	}
	close(hold)
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

func TestOneEventIsSpoiledAndTheNextIsNot(t *testing.T) {
	r := newRig(t)
	r.proxy.Inject(Rule{Match: Watch("pods"), Tamper: Spoil(3, '}'), Times: 1})
	events, _ := r.watch()
	for _, row := range []struct{ sent, want string }{{"ab", "ab"}, {`{"a":1}`, `{"a}:1}`}, {`{"a":1}`, `{"a":1}`}} {
		r.events <- row.sent
		r.expectLine(events, row.want)
	}
}

func TestAHugeEventComesBetweenTwo(t *testing.T) {
	r := newRig(t)
	huge, err := Event(watch.Added, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Annotations: map[string]string{"huge": strings.Repeat("x", 10<<20)}}})
	if err != nil {
		t.Fatal(err)
	}
	events, _ := r.watch()
	r.events <- "one"
	r.expectLine(events, "one")
	r.proxy.Inject(Rule{Match: Watch("pods"), Tamper: Insert(huge), Times: 1})
	r.events <- "two"
	r.expectLine(events, string(huge))
	r.expectLine(events, "two")
}

func TestConnectionsAreRefusedAndTakenAgain(t *testing.T) {
	r := newRig(t)
	events, _ := r.watch()
	r.proxy.Refuse()
	if _, err := events.ReadByte(); err == nil {
		t.Error("a watch stands though all connections are refused")
	}
	if _, _, err := r.get("/api/v1/nodes"); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v", err)
	}
	if err := r.proxy.Accept(); err != nil {
		t.Fatal(err)
	}
	if _, body, err := r.get("/api/v1/nodes"); err != nil || body != page {
		t.Errorf("%q, %v", body, err)
	}
}

func TestAServerThatIsNotThereIsALostConnection(t *testing.T) {
	p, err := Start("https://127.0.0.1:1", &tls.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r := &rig{T: t, proxy: p}
	r.trust()
	if response, _, err := r.get("/"); err == nil {
		t.Errorf("answered: %v", response.Status)
	}
}

func TestANewAuthorityIsNotTrustedByWhoKnowsTheOldOne(t *testing.T) {
	r := newRig(t)
	if _, _, err := r.get("/api/v1/nodes"); err != nil {
		t.Fatal(err)
	}
	if err := r.proxy.NewAuthority(); err != nil {
		t.Fatal(err)
	}
	r.proxy.Cut()
	var unknown x509.UnknownAuthorityError
	if _, _, err := r.get("/api/v1/nodes"); !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
	r.trust()
	if _, body, err := r.get("/api/v1/nodes"); err != nil || body != page {
		t.Errorf("%q, %v", body, err)
	}
}

func TestAClientThatLeavesEndsTheCallBehindTheProxy(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.proxy.URL()+"/api/v1/pods?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := r.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	cancel()
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Error("the body ended well")
	}
	// httptest's Close, at the end of the test, blocks until no request is outstanding.
}
