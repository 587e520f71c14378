package browser

import (
	"encoding/base64"
	"encoding/json"
)

// Answer takes the place of what a server would answer.
type Answer struct {
	Status int // 0: 200
	Type   string
	Body   string
	// Silent: no answer comes, until the page ends. Refused: no connection.
	Silent, Refused bool
}

// Intercept has all that the page asks for answered by a function, which is called by another goroutine; nil: the real
// server answers. Instead of an earlier one.
func (p *Page) Intercept(answer func(url string) *Answer) {
	p.t.Helper()
	p.mutex.Lock()
	p.intercept = answer
	p.mutex.Unlock()
	p.call("Fetch.enable", nil, nil)
}

func (p *Page) takePaused(params json.RawMessage) {
	var paused struct {
		RequestID string
		Request   struct{ URL string }
	}
	if err := json.Unmarshal(params, &paused); err != nil {
		p.blame("request: " + err.Error())
		return
	}
	p.mutex.Lock()
	intercept := p.intercept
	p.mutex.Unlock()
	go p.answer(paused.RequestID, intercept(paused.Request.URL))
}

// answer lets its errors be: the page may have given the request up.
func (p *Page) answer(request string, answer *Answer) {
	switch {
	case answer == nil:
		_ = p.ask(p.session, "Fetch.continueRequest", object{"requestId": request}, nil)
	case answer.Silent:
	case answer.Refused:
		_ = p.ask(p.session, "Fetch.failRequest", object{"requestId": request, "errorReason": "ConnectionRefused"}, nil)
	default:
		status := answer.Status
		if status == 0 {
			status = 200
		}
		kind := answer.Type
		if kind == "" {
			kind = "application/json"
		}
		_ = p.ask(p.session, "Fetch.fulfillRequest", object{"requestId": request, "responseCode": status,
			"responseHeaders": []object{{"name": "Content-Type", "value": kind}},
			"body":            base64.StdEncoding.EncodeToString([]byte(answer.Body))}, nil)
	}
}
