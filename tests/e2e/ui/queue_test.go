package ui

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"outrigger.dev/outrigger/tests/support/browser"
)

// All of them have one control plane, and the cluster on it grows: the order is that of a day.
func TestPeopleSeeWhatWaitsAndWhere(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, each := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"gangs that wait are listed in order with why", s.gangsAreInOrder},
		{"a gang opens to its members by keys alone", s.aGangOpensByKeys},
		{"nodes show where a gang would go", s.nodesShowWhere},
		{"a narrow window and both schemes of colours", s.narrowAndDark},
		{"no page of somebody else reads them", s.othersReadNothing},
		{"a replica that is not in charge says so", s.notInCharge},
		{"pictures of the documentation", s.pictures},
		{"outrigger top in a terminal", s.top},
		{"outrigger ui, and top, find the pod that leads", s.uiCommand},
		{"a gang that gets room moves to the placed ones", s.aGangGetsRoom},
		{"5000 nodes and 2000 pods that wait", s.large},
		{"without an API server what was known stays", s.withoutServer},
	} {
		t.Run(each.name, each.test)
	}
}

// rows are those of an agent's page.
func (s *stage) rows(t *testing.T, name string) (rows []row) {
	t.Helper()
	var page struct{ Rows []row }
	s.Must(json.Unmarshal([]byte(s.agents.Get(t, "/"+name)), &page))
	return page.Rows
}

// unitsOf are those of a table of the page, in its order.
func unitsOf(page *browser.Page, table string) []string {
	var names []string
	for _, text := range page.Texts("#" + table + "-rows > tbody > tr:not(.detail) > td.unit") {
		names = append(names, strings.Join(strings.Fields(text), ""))
	}
	return names
}

func (s *stage) gangsAreInOrder(t *testing.T) {
	page := s.page(t)
	page.Open("/")
	page.UntilText("genome-align")
	var want []string
	for _, gang := range inOrder() {
		want = append(want, gang.unit())
	}
	page.Until("one with all units", fmt.Sprintf("document.querySelectorAll('#queue-rows > tbody > tr').length >= %d", len(want)))
	if units := unitsOf(page, "queue"); !slices.Equal(units, want) {
		t.Errorf("the queue is %v, want %v", units, want)
	}
	rows := page.Texts("#queue-rows > tbody > tr")
	for i, texts := range [][]string{{"16 pods", "nvidia.com/gpu"}, {"Has a place: gpu-"}, {"2 pods", "cpu"}} {
		for _, text := range texts {
			if i >= len(rows) || !strings.Contains(rows[i], text) {
				t.Errorf("row %d of %q does not say %s", i+1, rows, text)
			}
		}
	}
	if outside := page.Text("#outside-rows"); !strings.Contains(outside, partial.name) || !strings.Contains(outside, "3 of 4 exist") {
		t.Errorf("the gang that lacks a member is not said: %q", outside)
	}
}

func (s *stage) aGangOpensByKeys(t *testing.T) {
	page := s.page(t)
	page.Open("/")
	page.UntilText(vision.name)
	page.TabTo("#filter", 20)
	page.Type(vision.name)
	page.Until("filtered", "document.querySelectorAll('#queue-rows > tbody > tr').length === 1")
	page.TabTo("#queue-rows button", 2)
	page.Press("Enter")
	page.Until("open", "document.querySelectorAll('#queue-rows .detail tbody tr').length === 4")
	detail := page.Text("#queue-rows .detail")
	for _, row := range s.rows(t, "members") {
		if row["unit"] != vision.unit() {
			continue
		}
		_, pod, _ := strings.Cut(fmt.Sprint(row["pod"]), "/")
		if !strings.Contains(detail, pod) || !strings.Contains(detail, fmt.Sprint(row["node"])) {
			t.Errorf("%v on %v is not shown:\n%s", pod, row["node"], detail)
		}
	}
	page.Press("Tab") // "Show on nodes"
	page.Press("Enter")
	page.Until("the nodes", "location.hash.startsWith('#nodes/')")
	page.UntilText("4 nodes outlined")
	page.Evaluate("history.back()", nil)
	page.Until("the queue again", "document.querySelectorAll('#queue-rows .detail tbody tr').length === 4")
}

// outlined are the nodes whose squares have a line of the colour of text beside them, which they may share with another,
// and are not fainter than that. Something is used of each.
const outlined = `(() => {
	const pen = document.getElementById("field").getContext("2d");
	const probe = document.createElement("canvas").getContext("2d");
	const colour = (value) => {
		probe.fillStyle = value;
		probe.fillRect(0, 0, 1, 1);
		return [...probe.getImageData(0, 0, 1, 1).data];
	};
	const is = (x, y, want) => {
		const data = pen.getImageData(Math.round(x), Math.round(y), 1, 1).data;
		return want.every((part, k) => Math.abs(part - data[k]) < 8);
	};
	const line = colour(getComputedStyle(document.getElementById("field-box")).color);
	const used = colour(getComputedStyle(document.querySelector("#legend .used")).backgroundColor);
	return field.order.filter((row, i) => is(field.x[i] - 1, field.y[i] + field.size / 2, line) &&
		is(field.x[i] + field.size / 2, field.y[i] + field.size - 3, used)).map((row) => row.node).sort();
})()`

func (s *stage) nodesShowWhere(t *testing.T) {
	page := s.page(t)
	page.Open("/#nodes")
	page.Until("one with units to choose", fmt.Sprintf("document.getElementById('unit').options.length > %d", len(inOrder())))
	if said := page.Text("#summary"); !strings.Contains(said, fmt.Sprint(nodes, " nodes")) {
		t.Errorf("the summary is %q", said)
	}
	page.Evaluate(fmt.Sprintf(`document.getElementById("unit").value = %q;
		document.getElementById("unit").dispatchEvent(new Event("change", {bubbles: true}))`, genome.unit()), nil)
	var want, have []string
	for _, row := range s.rows(t, "members") {
		if node := fmt.Sprint(row["node"]); row["unit"] == genome.unit() && !slices.Contains(want, node) {
			want = append(want, node)
		}
	}
	slices.Sort(want)
	page.UntilText(fmt.Sprintf("%d nodes outlined", len(want)))
	page.Evaluate(outlined, &have)
	if !slices.Equal(have, want) {
		t.Errorf("outlined are %v, the gang would go to %v", have, want)
	}
	page.TabTo("#field", 30)
	page.Press("Home", "ArrowRight", "ArrowDown", "ArrowUp", "Enter")
	page.Until("one with a node's details", "!document.getElementById('node').hidden")
	if said := page.Text("#node-line"); !strings.Contains(said, "cpu-001") || !strings.Contains(said, "of 32 CPUs") {
		t.Errorf("the keys went to %q", said)
	}
	page.Press("Escape")
	page.Until("one without them", "document.getElementById('node').hidden")
}

// checkFits fails the test if the page is wider than the window.
func checkFits(t *testing.T, page *browser.Page, view string) {
	t.Helper()
	var wide, window int
	page.Evaluate("document.documentElement.scrollWidth", &wide)
	page.Evaluate("innerWidth", &window)
	if wide > window {
		var wider []string
		page.Evaluate(`[...document.querySelectorAll("main *")].filter((each) => each.getBoundingClientRect().right > innerWidth &&
			![...each.children].some((child) => child.getBoundingClientRect().right > innerWidth)).map((each) => each.id + " " +
			each.className + " " + each.textContent.slice(0, 20)).slice(0, 5)`, &wider)
		t.Errorf("%s is %d pixels wide, the window %d: %q", view, wide, window, wider)
	}
}

// faint are texts with less contrast than people need (4.5, of large ones 3), by WCAG's formula. Texts that are old, or
// stand for nothing, are weak on purpose.
const faint = `(() => {
	const parts = (text) => text.match(/[\d.]+/g).map(Number);
	const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const back = (node) => {
		for (; node; node = node.parentElement) {
			const colour = parts(getComputedStyle(node).backgroundColor);
			if (colour.length < 4 || colour[3] === 1) return colour;
		}
		return [255, 255, 255];
	};
	const found = new Set();
	for (const node of document.querySelectorAll("body *")) {
		const text = [...node.childNodes].filter((each) => each.nodeType === 3).map((each) => each.data.trim()).join("");
		if (!text || !node.checkVisibility() || node.closest("noscript, [disabled]")) continue;
		const style = getComputedStyle(node);
		const [a, b] = [light(parts(style.color)), light(back(node))].sort((x, y) => y - x);
		const least = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
		if ((a + 0.05) / (b + 0.05) < least) found.add(text.slice(0, 40) + " " + style.color + " " + ((a + 0.05) / (b + 0.05)).toFixed(1));
	}
	return [...found];
})()`

func (s *stage) narrowAndDark(t *testing.T) {
	page := s.page(t)
	page.Open("/")
	backs := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		page.Prefer("prefers-color-scheme", scheme)
		for _, view := range append(views, "#nodes/"+url.PathEscape(vision.unit())) {
			page.Evaluate("location.hash = '"+view+"'", nil)
			page.Until("one that shows "+view, isDrawn(view))
			page.Resize(360, 640)
			checkFits(t, page, view)
			page.Resize(1280, 800)
			var weak []string
			page.Evaluate(faint, &weak)
			if len(weak) > 0 {
				t.Errorf("%s, %s: too faint: %q", view, scheme, weak)
			}
		}
		var back string
		page.Evaluate("getComputedStyle(document.body).backgroundColor", &back)
		backs[back] = scheme
	}
	if len(backs) != 2 {
		t.Errorf("light and dark have the same ground: %v", backs)
	}
}

// asLate is how long a gang that has room may take until the page has moved it.
const asLate = 5 * time.Second

func (s *stage) aGangGetsRoom(t *testing.T) {
	page := s.page(t)
	page.Open("/")
	page.UntilText(late.name)
	scheduler, err := s.Cluster.StartScheduler("kube-scheduler",
		s.Config(map[string]string{"gang": s.agents.URL, "qos": s.agents.URL}))
	s.Must(err)
	defer scheduler.Kill()
	placed := func(gang gang) {
		page.Until("one where "+gang.name+" is placed", fmt.Sprintf(`document.getElementById("placed-rows").innerText.includes(%q) &&
			!document.getElementById("queue-rows").innerText.includes(%q)`, gang.name, gang.name))
	}
	placed(vision) // they had places, and no scheduler
	placed(genome)
	began := time.Now()
	now := int64(0)
	for i := range nodesOfPool {
		s.Must(s.Client.CoreV1().Pods("batch").Delete(s.Ctx, fmt.Sprintf("indexer-%d", i),
			metav1.DeleteOptions{GracePeriodSeconds: &now}))
	}
	placed(late)
	s.Within(asLate, "a gang that has room is shown as placed", time.Since(began))
	if loads := strings.Count(strings.Join(page.Requests(), " "), "ui.js"); loads != 1 {
		t.Errorf("the page was loaded %d times", loads)
	}
}
