package browser

import "fmt"

// key is what the protocol wants to know of one.
type key struct {
	code int    // of Windows
	text string // that it types
}

var keys = map[string]key{
	"Tab": {code: 9}, "Enter": {code: 13, text: "\r"}, "Escape": {code: 27}, "Space": {code: 32, text: " "},
	"PageUp": {code: 33}, "PageDown": {code: 34}, "End": {code: 35}, "Home": {code: 36},
	"ArrowLeft": {code: 37}, "ArrowUp": {code: 38}, "ArrowRight": {code: 39}, "ArrowDown": {code: 40},
}

const shift = 8 // as the protocol has it

// Press presses keys by their names, one after the other: Tab, Enter, ArrowDown; Shift+Tab.
func (p *Page) Press(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.press(name)
	}
}

func (p *Page) press(name string) {
	p.t.Helper()
	modifiers := 0
	if name == "Shift+Tab" {
		name, modifiers = "Tab", shift
	}
	pressed, known := keys[name]
	if !known {
		p.t.Fatalf("%s is no key that this package knows", name)
	}
	event := object{"type": "keyDown", "key": name, "code": name, "windowsVirtualKeyCode": pressed.code, "modifiers": modifiers}
	if name == "Space" {
		event["key"] = " "
	}
	if pressed.text != "" {
		event["text"] = pressed.text
	}
	p.call("Input.dispatchKeyEvent", event, nil)
	event["type"] = "keyUp"
	delete(event, "text")
	p.call("Input.dispatchKeyEvent", event, nil)
}

// Type types a text into what has the focus.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.call("Input.insertText", object{"text": text}, nil)
}

// TabTo presses Tab until an element that a CSS selector names has the focus; the test fails if that takes more than most.
func (p *Page) TabTo(selector string, most int) {
	p.t.Helper()
	for range most {
		p.Press("Tab")
		there := false
		p.Evaluate("document.activeElement.matches("+quote(selector)+")", &there)
		if there {
			return
		}
	}
	p.t.Fatalf("Tab, pressed %d times, does not come to %s", most, selector)
}

// Click clicks on the middle of the first element of a CSS selector, once that is in sight.
func (p *Page) Click(selector string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	p.Evaluate(fmt.Sprintf(`(() => {
		const found = document.querySelector(%s);
		found.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		const box = found.getBoundingClientRect();
		return {X: box.x + box.width / 2, Y: box.y + box.height / 2};
	})()`, quote(selector)), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.call("Input.dispatchMouseEvent", object{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
}
