package ui

import (
	"testing"

	"outrigger.dev/outrigger/tests/support/browser"
)

// What the page makes of answers, by its own functions, in the browser.
func TestThePageMakesTheRightFiguresOfAnswers(t *testing.T) {
	t.Parallel()
	rows := good()
	rows["queue"] = append(rows["queue"], row{"position": 9, "unit": "ml/train", "kind": "pod", "state": "waits", "why": "no room"})
	rows["gangs"] = append(rows["gangs"], row{"unit": "ml/train", "kind": "gang", "state": "not ready", "minimum": 4, "lacks": "members"})
	page := browser.Start(t, t.TempDir()).NewPage(t, lonely(t).AdminURL)
	page.Intercept(newFake(rows).answer)
	page.Open("/#nodes")
	page.Until("one that shows nodes", isDrawn("#nodes"))
	page.Evaluate("location.hash = '#queue'", nil)
	page.Until("one that shows the queue", isDrawn("#queue"))
	page.Until("one with the gang that has a waiting pod's name", "document.getElementById('outside-rows').innerText.includes('train')")
	for _, of := range []struct{ name, is, want string }{
		{"a number has no exponent", "shown({name: 'windowSeconds', type: 'number'}, 3600)", "3,600"},
		{"a small number is short", "shown({name: 'score', type: 'number'}, 1 / 3)", "0.333"},
		{"what came a moment ago is no peak", "String(Math.round(rates([0, 0, 1], [0, 30, 31])[2]))", "2"},
		{"a rate is per minute", "String(rates([5, 20], [0, 30])[1])", "30"},
		{"a counter that began again counts from 0", "String(rates([50, 20], [0, 30])[1])", "40"},
		{"checks that fail are named", "notReadyText({text: '[+]a ok\\n[-]b failed: x\\n', status: 503})", "b failed: x"},
		{"a readyz that is none says so", "notReadyText({text: '', status: 500})", "readyz: HTTP 500"},
		{"a readyz without an answer says so", "notReadyText({text: '', failed: 'no answer within 10 s'})", "readyz: no answer within 10 s"},
		{"a good readyz says nothing", "notReadyText({text: 'ok', status: 200, ok: true})", ""},
		{"a mean is of the nodes that are measured", `(() => {
			take({path: 'measured', ok: true, status: 200, text: JSON.stringify({version: 1, columns: [],
				rows: [{node: rowsOf('nodes')[0].node, cpuMean: 0.4, cpuDeviation: 0.1}]})});
			nodesView.thing = THINGS.find(({name}) => name === 'measured cpu');
			return /[^;]*mean/.exec(nodesSummary(entry('nodes').value).split('measured cpu')[1])[0];
		})()`, ": 40 mean"},
	} {
		var got string
		page.Evaluate(of.is, &got)
		if got != of.want {
			t.Errorf("%s: %q, want %q", of.name, got, of.want)
		}
	}
}
