package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// html is a page, and its Content-Security-Policy if it has one.
type html struct{ text, policy string }

// serve answers paths, each with its page.
func serve(t *testing.T, pages map[string]html) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, known := pages[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		if page.policy != "" {
			w.Header().Set("Content-Security-Policy", page.policy)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page.text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAPageIsReadAndUsedByKeys(t *testing.T) {
	origin := serve(t, map[string]html{"/": {text: `<link rel="icon" href="data:,"><p>hello</p><input><button onclick="
		document.querySelector('p').textContent = document.querySelector('input').value">say</button>`}})
	page := Start(t, t.TempDir()).NewPage(t, origin)
	page.Open("/")
	page.UntilText("hello")
	page.TabTo("input", 1)
	page.Type("good bye")
	page.Press("Tab", "Enter")
	if said := page.Text("p"); said != "good bye" {
		t.Errorf("the page says %q", said)
	}
	page.Resize(360, 640)
	var width int
	page.Evaluate("innerWidth", &width)
	if width != 360 {
		t.Errorf("the window is %d pixels wide", width)
	}
	if shot := string(page.Screenshot()); !strings.HasPrefix(shot, "\x89PNG") {
		t.Errorf("a screenshot begins with %.8q", shot)
	}
}

func TestWhatAPageMustNotDoIsAFault(t *testing.T) {
	const icon = "<link rel=icon href='data:,'>" // else Chromium asks for one
	other := serve(t, map[string]html{"/": {text: "there"}})
	origin := serve(t, map[string]html{
		"/good":      {text: icon + "<p>done</p>", policy: "script-src 'none'"},
		"/request":   {text: icon + "<img src='" + other + "/x.png'><p>done</p>"},
		"/console":   {text: icon + "<script>console.error('oh')</script><p>done</p>"},
		"/exception": {text: icon + "<script>missing()</script><p>done</p>"},
		"/policy":    {text: icon + "<script>1</script><p>done</p>", policy: "script-src 'none'"},
	})
	b := Start(t, t.TempDir())
	for path, want := range map[string]string{"/good": "", "/request": "a request to " + other, "/console": "console: ",
		"/exception": "missing is not defined", "/policy": "security: "} {
		page := b.NewFaultyPage(t, origin)
		page.Open(path)
		page.UntilText("done")
		faults := strings.Join(page.Faults(), "\n")
		if (want == "") != (faults == "") || !strings.Contains(faults, want) {
			t.Errorf("faults of %s are %q, want %q", path, faults, want)
		}
	}
}

func TestAnswersAreReplaced(t *testing.T) {
	page := Start(t, t.TempDir()).NewFaultyPage(t, serve(t, map[string]html{"/": {text: "<p>real</p>"}}))
	page.Intercept(func(url string) *Answer {
		switch {
		case strings.HasSuffix(url, "/data"):
			return &Answer{Status: 503, Body: "not now"}
		case strings.HasSuffix(url, "/gone"):
			return &Answer{Refused: true}
		}
		return nil
	})
	page.Open("/")
	page.UntilText("real")
	var said string
	page.Evaluate("fetch('data').then(async (answer) => answer.status + ' ' + await answer.text())", &said)
	if said != "503 not now" {
		t.Errorf("the answer is %q", said)
	}
	page.Evaluate("fetch('gone').catch((error) => error.name)", &said)
	if said != "TypeError" {
		t.Errorf("without a connection the error is %q", said)
	}
}

func TestNothingBeyondThisMachineIsFound(t *testing.T) {
	origin := serve(t, map[string]html{"/": {text: "<p>here</p>"}})
	page := Start(t, t.TempDir()).NewFaultyPage(t, origin)
	page.Visit(strings.Replace(origin, "127.0.0.1", ForeignHost, 1) + "/")
	page.UntilText("here")
	if fault := page.Visit("http://kubernetes.io/"); fault != "net::ERR_NAME_NOT_RESOLVED" {
		t.Errorf("a page of the world: %q", fault)
	}
}
