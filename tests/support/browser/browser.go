// Package browser drives a real Chromium, without a window, through the DevTools protocol: what a person would see and
// do, by tests.
//
// No page gets further than this machine. Each page records what it must not do (Page.Faults), and the test of it fails
// at its end if there is any: a request to anything but its own origin, an error in the console, an exception, a
// violation of the Content-Security-Policy.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"outrigger.dev/outrigger/tests/support/process"
)

// Program is Debian's package of the same name.
const Program = "chromium-headless-shell"

// ForeignHost is the name of somebody else's web page: the browser finds it on 127.0.0.1, on each port.
const ForeignHost = "elsewhere.example"

// patience is how long a page may take for what takes it milliseconds on a quiet machine.
const patience = time.Minute

// Browser is a running Chromium.
type Browser struct {
	process    *process.Process
	connection *connection
}

// Start starts a browser that lives as long as the test; its log is <logDir>/browser.log. Without Chromium the test fails.
func Start(t testing.TB, logDir string) *Browser {
	t.Helper()
	path, err := exec.LookPath(Program)
	if err != nil {
		t.Fatalf("%v: run scripts/setup --e2e", err)
	}
	toBrowser, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirs, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	child, err := process.Start(process.Spec{Name: "browser", Path: path, LogDir: logDir,
		Args: []string{"--remote-debugging-pipe", // no port: nobody else may drive it
			"--user-data-dir=" + t.TempDir(), "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
			"--host-resolver-rules=MAP " + ForeignHost + " 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
			"--no-first-run", "--no-pings", "--disable-background-networking", "--disable-component-update", "--disable-sync",
			"--disable-extensions", "--disable-background-timer-throttling", "--disable-renderer-backgrounding"},
		Files: []*os.File{toBrowser, fromBrowser}})
	_, _ = toBrowser.Close(), fromBrowser.Close()
	if err != nil {
		t.Fatal(err)
	}
	b := &Browser{process: child, connection: connect(theirs, ours)}
	t.Cleanup(func() {
		child.Kill()
		_, _ = ours.Close(), theirs.Close()
	})
	return b
}

// Look opens a view of the pages at an origin in a browser of its own, and waits until it shows the texts.
func Look(t testing.TB, logDir, origin, view string, texts ...string) *Page {
	t.Helper()
	page := Start(t, logDir).NewPage(t, origin)
	page.Open("/" + view)
	for _, text := range texts {
		page.UntilText(text)
	}
	return page
}

// context limits how long one call to the browser may take.
func (b *Browser) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}
