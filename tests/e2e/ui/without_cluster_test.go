package ui

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outrigger.dev/outrigger/tests/support/browser"
	"outrigger.dev/outrigger/tests/support/outrigger"
	"outrigger.dev/outrigger/tests/support/process"
)

// lonely is an agent that finds no API server: it starts, and will not be ready. Its page's files are real.
func lonely(t *testing.T) *outrigger.Server {
	t.Helper()
	port, err := process.FreePort() // nobody answers there
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c, user: u}}],
  clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}], users: [{name: u, user: {token: t}}]}`, port)
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return outrigger.Serve(t, "lonely", t.TempDir(), "gang,qos", "--gang.scheduler-lease", "none", "--kubeconfig", kubeconfig)
}

// neverSays fails the test if the page shows a text.
func neverSays(t *testing.T, page *browser.Page, text string) {
	t.Helper()
	if said := page.Text("body"); strings.Contains(said, text) {
		t.Errorf("the page says %q:\n%s", text, said)
	}
}

// checkStands fails the test if the page is empty, or has given up.
func checkStands(t *testing.T, page *browser.Page) {
	t.Helper()
	neverSays(t, page, "failed to show")
	if said := page.Text("main"); len(said) < 10 {
		t.Errorf("the page is blank: %q", said)
	}
}

var views = []string{"#queue", "#nodes", "#time", "#table/queue", "#table/gangs", "#table/members", "#table/nodes"}

// isDrawn is an expression: the page shows that view, and an answer in it.
func isDrawn(view string) string { return isShown(view) + " && entry(needs()[0]).at > 0" }

// isShown is an expression: the page shows that view.
func isShown(view string) string {
	if _, name, isTable := strings.Cut(view, "table/"); isTable {
		return "document.getElementById('view-table').checkVisibility() && document.getElementById('title').innerText === '" + name + "'"
	}
	name, unit, _ := strings.Cut(view[1:], "/")
	of := ""
	if unit != "" {
		of = " && state.unit === decodeURIComponent('" + unit + "')"
	}
	return "document.getElementById('view-" + name + "').checkVisibility()" + of
}

func TestAPageOfAnAgentThatStartsSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	agent := lonely(t)
	page := browser.Start(t, t.TempDir()).NewPage(t, agent.AdminURL)
	page.Open("/")
	page.Until("one that says why", `document.getElementById("state").innerText.includes("cluster")`)
	for _, view := range views {
		page.Evaluate("location.hash = '"+view+"'", nil)
		page.Until("of that view", isShown(view))
		checkStands(t, page)
		if view != "#time" { // the history is that of the process
			page.Until("one that says that it is not known", `document.getElementById("state").innerText.includes("ot known yet")`)
		}
	}
}

// good are rows of a small cluster.
func good() map[string][]row {
	rows := map[string][]row{}
	for i := range 3 {
		unit, node := fmt.Sprintf("ml/gang-%d", i), fmt.Sprintf("node-%d", i)
		rows["queue"] = append(rows["queue"], row{"position": i + 1, "unit": unit, "kind": "gang", "class": "Burstable",
			"since": "2026-01-01T00:00:00Z", "state": "waits", "lacks": "cpu", "why": "needs 8 CPUs, 4 are free", "members": 4,
			"bound": 0, "minimum": 4, "priority": 0, "groupPriority": 1})
		rows["gangs"] = append(rows["gangs"], row{"unit": unit, "state": "waits", "minimum": 4, "existing": 4})
		rows["members"] = append(rows["members"], row{"unit": unit, "pod": unit + "-0", "state": "reserved", "node": node})
		rows["nodes"] = append(rows["nodes"], row{"node": node, "zone": "a", "schedulable": true, "cpuTotal": 8000,
			"cpuUsed": 4000, "cpuReserved": 1000, "memoryTotal": 1 << 30, "podsTotal": 110})
	}
	return rows
}

// What is wrong with answers, and what the page then says.
var illAnswers = []struct {
	name, says string
	answer     browser.Answer
}{
	{"not in charge", "not in charge: another replica is", browser.Answer{Status: 503,
		Body: `{"error":"not in charge: another replica is"}`}},
	{"too old a view", "the view of the cluster is 95 s old", browser.Answer{Status: 503,
		Body: `{"error":"the view of the cluster is 95 s old"}`}},
	{"half an answer", "cut off", browser.Answer{Body: `{"version":1,"agent":"qos","page":"queue","columns":[{"na`}},
	{"another version", "reload it", browser.Answer{Body: `{"version":2,"pages":[]}`}},
	{"another form", "reload it", browser.Answer{Body: `{"version":1,"columns":[],"rows":[7,null]}`}},
	{"no JSON", "HTTP 502", browser.Answer{Status: 502, Body: "<html>Bad gateway", Type: "text/html"}},
	{"no connection", "no complete answer", browser.Answer{Refused: true}},
	{"no answer", "No answer yet", browser.Answer{Silent: true}},
}

func TestThePageStaysWhateverIsAnsweredAndSaysWhy(t *testing.T) {
	t.Parallel()
	agent := lonely(t)
	chromium := browser.Start(t, t.TempDir())
	pages, fakes := map[string]*browser.Page{}, map[string]*fake{}
	for _, ill := range illAnswers { // all at once: each has seconds between its questions
		page, answers := chromium.NewPage(t, agent.AdminURL), newFake(good())
		page.Intercept(answers.answer)
		page.Open("/#queue")
		page.UntilText("gang-2")
		answers.fail(&ill.answer)
		page.Evaluate("void refresh()", nil) // now, not in two seconds
		pages[ill.name], fakes[ill.name] = page, answers
	}
	for _, ill := range illAnswers {
		page := pages[ill.name]
		page.UntilText(ill.says)
		checkStands(t, page)
		if said := page.Text("main"); !strings.Contains(said, "gang-2") {
			t.Errorf("%s: what was known is gone:\n%s", ill.name, said)
		}
		fakes[ill.name].fail(nil)
	}
	for name, page := range pages {
		if name != "no answer" { // it waits for the one that it asked for
			askNow(page)
			page.Until("one that is current again", "document.getElementById('state').innerText.trim() === ''")
		}
	}
}

// hostile is a text that would run, were it taken for HTML.
func hostile(where string) string {
	return `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>"'><svg onload=hacked=3>` + where
}

// Names and texts of the cluster are anybody's. They are shown as they are, whatever they are, and however long.
func TestWhatTheClusterSaysIsShownAsText(t *testing.T) {
	t.Parallel()
	agent := lonely(t)
	page := browser.Start(t, t.TempDir()).NewPage(t, agent.AdminURL)
	answers := newFake(hostileRows())
	answers.set("/readyz?verbose", browser.Answer{Status: 503, Type: "text/plain",
		Body: "[-]agent-qos failed: " + hostile("ready") + "\n"})
	answers.set("/history", hostileHistory())
	page.Intercept(answers.answer)
	page.Open("/")
	page.UntilText("onerror")
	for _, view := range append(views, "#nodes/"+url.PathEscape(hostile("unit"))) {
		page.Evaluate("location.hash = '"+view+"'", nil)
		page.Until("one that shows "+view, isDrawn(view))
		page.Until("drawn", `document.getElementById("state").innerText.includes("failed: <img")`)
		checkFits(t, page, view+" as it is at first")
		page.Evaluate(`for (const each of document.querySelectorAll("section:not([hidden]) tbody button")) each.click()`, nil)
		checkStands(t, page)
		var made int
		page.Evaluate(`document.querySelectorAll("img, script:not([src]), svg[onload], main iframe").length + (window.hacked || 0)`, &made)
		if made != 0 {
			t.Errorf("%s: a text of the cluster is taken for HTML", view)
		}
		checkFits(t, page, view)
	}
}

// hostileHistory has series whose names, labels and helps nobody expects, one of them with a chart of its own.
func hostileHistory() browser.Answer {
	var series []row
	for _, name := range []string{"outrigger_qos_queue_length", hostile("series")} {
		series = append(series, row{"name": name, "agent": hostile("agent"), "label": hostile("label"), "value": hostile("value"),
			"kind": hostile("kind"), "help": hostile("help"), "values": []any{1, 2}})
	}
	text, err := json.Marshal(row{"version": 1, "everySeconds": 30, "started": hostile("started"), "times": []int{1, 31}, "series": series})
	if err != nil {
		panic(err) // of texts and numbers
	}
	return browser.Answer{Body: string(text)}
}

// hostileRows have in every column what nobody expects there, each row something else.
func hostileRows() map[string][]row {
	rows := map[string][]row{}
	for name, columns := range columnsOf {
		if name == "pages" {
			continue
		}
		for i := range 8 {
			each := row{}
			for of := range strings.FieldsSeq(columns) {
				if name, isInteger := strings.CutSuffix(of, "*"); isInteger {
					each[name] = []any{1 << 62, nil, -7, 0, "<b>", []int{1}, true, 1e300}[i]
					continue
				}
				each[of] = []any{hostile(of), nil, strings.Repeat("long", 5000), -1e300, "‮ereht\x00\n\t", []int{1}, true,
					fmt.Sprintf("__proto__%d", i)}[i]
			}
			if i == 0 && name != "members" {
				each["state"] = "waits"
			}
			rows[name] = append(rows[name], each)
		}
		rows[name] = append(rows[name], row{}, row{"unit": "constructor", "node": "toString", "state": "placed"})
	}
	return rows
}
