package browser

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Page is a tab, with nothing of what other tabs store. It is for one goroutine.
type Page struct {
	t       testing.TB
	browser *Browser
	session string
	origin  string // whom it may ask

	mutex     sync.Mutex
	faults    []string
	requests  []string
	intercept func(url string) *Answer
}

// NewPage opens an empty tab of 1280 to 800 pixels whose page may ask that origin ("http://127.0.0.1:9972") and no other.
// It is closed at the end of the test, which fails if the page did what it must not; see Faults.
func (b *Browser) NewPage(t testing.TB, origin string) *Page {
	t.Helper()
	p := b.NewFaultyPage(t, origin)
	t.Cleanup(func() {
		for _, fault := range p.Faults() {
			t.Errorf("the page at %s: %s", origin, fault)
		}
	})
	return p
}

// NewFaultyPage is NewPage for one whose faults the test judges itself.
func (b *Browser) NewFaultyPage(t testing.TB, origin string) *Page {
	t.Helper()
	p := &Page{t: t, browser: b, origin: origin}
	var context struct{ BrowserContextID string }
	p.must(p.ask("", "Target.createBrowserContext", nil, &context))
	var target struct{ TargetID string }
	p.must(p.ask("", "Target.createTarget", object{"url": "about:blank", "browserContextId": context.BrowserContextID}, &target))
	var session struct{ SessionID string }
	p.must(p.ask("", "Target.attachToTarget", object{"targetId": target.TargetID, "flatten": true}, &session))
	p.session = session.SessionID
	b.connection.listen(p.session, p.take)
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		p.call(domain+".enable", nil, nil)
	}
	p.Resize(1280, 800)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page at %s says:\n%s", origin, p.textIfAny())
		}
		_ = p.ask("", "Target.disposeBrowserContext", object{"browserContextId": context.BrowserContextID}, nil)
	})
	return p
}

// Open loads a path of the page's origin, and returns when all that it is made of is there.
func (p *Page) Open(path string) {
	p.t.Helper()
	if fault := p.Visit(p.origin + path); fault != "" {
		p.t.Fatalf("%s%s: %s", p.origin, path, fault)
	}
	p.Until("loaded", `document.readyState === "complete" && location.href !== "about:blank"`)
}

// Visit begins to load any address, and returns why that cannot be, such as net::ERR_NAME_NOT_RESOLVED; "" if it can.
func (p *Page) Visit(url string) string {
	p.t.Helper()
	var begun struct{ ErrorText string }
	p.call("Page.navigate", object{"url": url}, &begun)
	return begun.ErrorText
}

// Evaluate runs JavaScript, waits for what it promises, and decodes its value into result, unless that is nil.
func (p *Page) Evaluate(expression string, result any) {
	p.t.Helper()
	p.must(p.evaluate(expression, result))
}

// Until waits until JavaScript is true; what names it in the error.
func (p *Page) Until(what, expression string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		met := false
		err := p.evaluate("Boolean("+expression+")", &met)
		if met {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the page is not %s: %s is not true (%v)", what, expression, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// UntilText waits until the page shows a text.
func (p *Page) UntilText(text string) {
	p.t.Helper()
	p.Until("one that shows "+text, "document.body.innerText.includes("+quote(text)+")")
}

// Text is what a person sees of the first element of a CSS selector, "" if there is none.
func (p *Page) Text(selector string) (text string) {
	p.t.Helper()
	p.Evaluate("(document.querySelector("+quote(selector)+") || {innerText: ''}).innerText", &text)
	return text
}

// Texts is Text of all its elements.
func (p *Page) Texts(selector string) (texts []string) {
	p.t.Helper()
	p.Evaluate("[...document.querySelectorAll("+quote(selector)+")].map((each) => each.innerText)", &texts)
	return texts
}

// Resize gives the window another size, in pixels.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.call("Emulation.setDeviceMetricsOverride",
		object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// Prefer sets a preference of the person, such as prefers-color-scheme to dark.
func (p *Page) Prefer(feature, value string) {
	p.t.Helper()
	p.call("Emulation.setEmulatedMedia", object{"features": []object{{"name": feature, "value": value}}}, nil)
}

// Screenshot is what is seen, as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	var shot struct{ Data string }
	p.call("Page.captureScreenshot", object{"format": "png", "optimizeForSpeed": false}, &shot)
	image, err := base64.StdEncoding.DecodeString(shot.Data)
	p.must(err)
	return image
}

// Faults are what the page must not do, and has done, each once.
func (p *Page) Faults() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]string(nil), p.faults...)
}

// Requests are the addresses that the page has asked for, in their order.
func (p *Page) Requests() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return append([]string(nil), p.requests...)
}

type object = map[string]any

func quote(text string) string {
	quoted, _ := json.Marshal(text) // a string has no value that JSON lacks
	return string(quoted)
}

func (p *Page) evaluate(expression string, result any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := p.ask(p.session, "Runtime.evaluate",
		object{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	switch details := answer.ExceptionDetails; {
	case err != nil:
		return err
	case details != nil:
		return errors.New(details.Text + " " + details.Exception.Description)
	case result == nil:
		return nil
	case len(answer.Result.Value) == 0:
		return fmt.Errorf("%s has no value", expression)
	}
	return json.Unmarshal(answer.Result.Value, result)
}

func (p *Page) textIfAny() string {
	text := ""
	if err := p.evaluate("document.body.innerText", &text); err != nil {
		return err.Error()
	}
	const most = 4000
	return text[:min(most, len(text))]
}

func (p *Page) call(method string, params, result any) {
	p.t.Helper()
	p.must(p.ask(p.session, method, params, result))
}

func (p *Page) ask(session, method string, params, result any) error {
	if params == nil {
		params = object{}
	}
	ctx, cancel := p.browser.context()
	defer cancel()
	return p.browser.connection.call(ctx, session, method, params, result)
}

func (p *Page) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// take is called by the connection.
func (p *Page) take(e event) {
	switch e.Method {
	case "Network.requestWillBeSent":
		p.takeRequest(e.Params)
	case "Fetch.requestPaused":
		p.takePaused(e.Params)
	case "Runtime.exceptionThrown":
		p.blame("exception: " + string(e.Params))
	case "Runtime.consoleAPICalled":
		var said struct{ Type string }
		if json.Unmarshal(e.Params, &said) == nil && (said.Type == "error" || said.Type == "assert") {
			p.blame("console: " + string(e.Params))
		}
	case "Log.entryAdded":
		var log struct {
			Entry struct{ Source, Level, Text, URL string }
		}
		// An answer that is none is the page's business: it says so itself.
		if json.Unmarshal(e.Params, &log) == nil && log.Entry.Level == "error" && log.Entry.Source != "network" {
			p.blame(log.Entry.Source + ": " + log.Entry.Text + " " + log.Entry.URL)
		}
	}
}

func (p *Page) takeRequest(params json.RawMessage) {
	var sent struct {
		Request struct{ URL string }
	}
	if err := json.Unmarshal(params, &sent); err != nil {
		p.blame("request: " + err.Error())
		return
	}
	url := sent.Request.URL
	p.mutex.Lock()
	p.requests = append(p.requests, url)
	p.mutex.Unlock()
	if !strings.HasPrefix(url, p.origin+"/") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
		p.blame("a request to " + url)
	}
}

func (p *Page) blame(fault string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !slices.Contains(p.faults, fault) {
		p.faults = append(p.faults, fault)
	}
}
