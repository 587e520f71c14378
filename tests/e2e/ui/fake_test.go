package ui

import (
	"encoding/json"
	"net/url"
	"strings"
	"sync"

	"outrigger.dev/outrigger/tests/support/browser"
)

// fake stands for the answers of an agent, whose files of the page itself are the real ones. Safe for concurrent use.
type fake struct {
	mutex   sync.Mutex
	answers map[string]browser.Answer // by path
	instead *browser.Answer           // of all pages
}

// column is one of a page.
type column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Help string `json:"help,omitempty"`
}

// columnsOf are those of the agents' pages that have views of their own: names, of which those with a star are integers.
var columnsOf = map[string]string{
	"pages":   "page agent help",
	"queue":   "position* unit kind groupPriority* priority* class since state after lacks members* bound* minimum* why",
	"gangs":   "unit state minimum* existing* bound* queued* gated* terminating* lacks why",
	"members": "unit pod role state node",
	"nodes": "node zone rack schedulable cpuTotal* cpuUsed* cpuReserved* memoryTotal* memoryUsed* memoryReserved* podsTotal* " +
		"podsUsed* podsReserved* device deviceTotal* deviceUsed* deviceReserved* reservedFor keptFor",
	"measured": "node score* measuredSecondsAgo* cpuMean* cpuDeviation* cpuRisk* memoryMean* memoryDeviation* memoryRisk*",
}

type row = map[string]any

// page is what an agent answers.
func page(name string, rows ...row) browser.Answer {
	var columns []column
	for _, each := range strings.Fields(columnsOf[name]) {
		kind := "text"
		if strings.HasSuffix(each, "*") {
			kind = "integer"
		}
		columns = append(columns, column{Name: strings.TrimSuffix(each, "*"), Type: kind})
	}
	return pageOf(name, columns, rows)
}

func pageOf(name string, columns []column, rows []row) browser.Answer {
	if rows == nil {
		rows = []row{}
	}
	text, err := json.Marshal(map[string]any{"version": 1, "agent": "qos", "page": name, "columns": columns, "rows": rows,
		"total": len(rows), "truncated": false})
	if err != nil {
		panic(err) // of texts and numbers
	}
	return browser.Answer{Body: string(text)}
}

// newFake answers every page with these rows, and is ready.
func newFake(rows map[string][]row) *fake {
	f := &fake{answers: map[string]browser.Answer{
		"/version":        {Body: `{"version":"1.2.3"}`},
		"/readyz?verbose": {Body: "[+]agent-qos ok\nreadyz check passed\n", Type: "text/plain"},
		"/history":        {Body: `{"version":1,"everySeconds":30,"started":"2026-01-01T00:00:00Z","times":[1,31],"series":[]}`},
	}}
	var offered []row
	for name := range columnsOf {
		f.answers["/"+name] = page(name, rows[name]...)
		if name != "pages" {
			offered = append(offered, row{"page": name, "agent": "qos", "help": "what " + name + " are"})
		}
	}
	f.answers["/pages"] = page("pages", offered...)
	return f
}

// fail has all pages answered so; nil: as before.
func (f *fake) fail(answer *browser.Answer) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.instead = answer
}

// set replaces what one path answers.
func (f *fake) set(path string, answer browser.Answer) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.answers[path] = answer
}

// answer is for Page.Intercept.
func (f *fake) answer(address string) *browser.Answer {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	parsed, err := url.Parse(address)
	if err != nil {
		return nil
	}
	answer, known := f.answers[parsed.RequestURI()]
	switch {
	case !known:
		return nil
	case f.instead != nil && answer.Type == "":
		return f.instead
	}
	return &answer
}
