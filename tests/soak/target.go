package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"outrigger.dev/outrigger/tests/support/outrigger"
)

// errLost is a connection that ended because its server was killed.
var errLost = errors.New("the server was killed")

// life tells the lives of a server apart.
type life struct {
	number int
	up     bool
}

// seen is what clients saw.
type seen struct {
	answered  int // calls answered in full
	refused   int // requests refused before a handler
	abandoned int // waiting binds whose client left
	strangers int // clients that TLS kept out
}

// target is a server under load. Safe for concurrent use.
type target struct {
	name         string
	certificates *certificates // nil: in clear
	server       *outrigger.Server
	address      string // HOST:PORT, the same in every life
	adminURL     string
	admin        http.Client

	mutex sync.Mutex // guards life and the server's restart
	life  life
	born  time.Time // when this life began, under mutex

	restart time.Duration // the longest, under mutex
	seen    seen          // in this life, under mutex
}

func startTarget(binary, dir, name string, level string, c *certificates, more ...string) (*target, error) {
	args := append(slices.Clone(more), "--log-level", level, "--max-body", "24Mi")
	if c != nil {
		args = append(args, "--tls-cert", c.file("tls.crt"), "--tls-key", c.file("tls.key"), "--client-ca", c.file("client-ca.pem"))
	}
	server, err := outrigger.StartNamed(binary, dir, name, "safe,hold", args...)
	if err != nil {
		return nil, err
	}
	t := &target{name: name, certificates: c, server: server, life: life{up: true},
		address: hostOf(server.URL), adminURL: server.AdminURL}
	t.admin = http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return t, nil
}

func (t *target) host() string { return t.address }

func (t *target) now() life {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.life
}

// judge returns errLost if the server ended since begin, and otherwise err.
func (t *target) judge(begin life, err error) error {
	if now := t.now(); now != begin || !now.up {
		return errLost
	}
	return err
}

// kill ends the server as a crash does and starts it again on its ports.
func (t *target) kill() error {
	t.mutex.Lock()
	t.life = life{t.life.number + 1, false}
	t.seen = seen{}
	t.mutex.Unlock()
	t.server.Kill()
	if c := t.certificates; c != nil { // not between two files
		c.rewrite.Lock()
		defer c.rewrite.Unlock()
	}
	begin := time.Now()
	if err := t.server.StartAgain(); err != nil {
		return err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.life.up, t.born = true, time.Now()
	t.restart = max(t.restart, time.Since(begin))
	return nil
}

// metrics are the server's own, by series as they are printed.
type metrics map[string]float64

func (t *target) metrics() (metrics, error) {
	response, err := t.admin.Get(t.adminURL + "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("/metrics: %s %w", response.Status, err)
	}
	all := metrics{}
	for line := range strings.Lines(string(text)) {
		at := strings.LastIndexByte(line, ' ')
		if value, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64); err == nil && line[0] != '#' {
			all[line[:at]] = value
		}
	}
	return all, nil
}

// sum adds the series of a name whose labels contain label.
func (m metrics) sum(name, label string) (sum float64) {
	for series, value := range m {
		if base, labels, _ := strings.Cut(series, "{"); base == name && strings.Contains(labels, label) {
			sum += value
		}
	}
	return sum
}

func (m metrics) extender(name string) float64 {
	return m.sum("outrigger_http_"+name, `listener="extender"`)
}

// resident is the memory of the server in bytes.
func (t *target) resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", t.server.Pid()))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, errors.New("statm has no figures")
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// descriptors is how many files and sockets the server has open.
func (t *target) descriptors() (int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", t.server.Pid()))
	return len(entries), err
}

// justBorn tells whether the server was started again a moment ago.
func (t *target) justBorn() bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.life.up && time.Since(t.born) < 3*time.Second
}

// saw counts what a client saw, unless that was in a life before this one.
func (t *target) saw(in life, more seen) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if in == t.life {
		t.seen.answered += more.answered
		t.seen.refused += more.refused
		t.seen.abandoned += more.abandoned
		t.seen.strangers += more.strangers
	}
}

func (t *target) seenUntilNow() seen {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.seen
}

// hostOf is HOST:PORT of a server's URL, with or without TLS.
func hostOf(url string) string {
	_, host, _ := strings.Cut(url, "://")
	return host
}
