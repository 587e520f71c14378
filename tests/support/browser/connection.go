package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// connection speaks the DevTools protocol over two pipes: JSON, each message ended by a zero byte. Its methods are safe
// for concurrent use.
type connection struct {
	out io.WriteCloser

	mutex    sync.Mutex
	last     int64                  // id of the last call
	calls    map[int64]chan<- reply // that have no reply yet
	sessions map[string]func(event) // by id
	ended    chan struct{}          // closed when the browser has gone
}

type reply struct {
	result json.RawMessage
	err    error
}

// event is what the browser tells unasked.
type event struct {
	Method string
	Params json.RawMessage
}

type message struct {
	ID        int64           `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

func connect(in io.Reader, out io.WriteCloser) *connection {
	c := &connection{out: out, calls: map[int64]chan<- reply{}, sessions: map[string]func(event){}, ended: make(chan struct{})}
	go c.read(in)
	return c
}

// call asks the browser, in a session or ("") about itself, and decodes what it answers into result, unless that is nil.
func (c *connection) call(ctx context.Context, session, method string, params, result any) error {
	encoded, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	replies := make(chan reply, 1)
	c.mutex.Lock()
	c.last++
	id := c.last
	c.calls[id] = replies
	text, err := json.Marshal(message{ID: id, SessionID: session, Method: method, Params: encoded})
	if err == nil {
		_, err = c.out.Write(append(text, 0))
	}
	c.mutex.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case r := <-replies:
		if r.err != nil {
			return fmt.Errorf("%s: %w", method, r.err)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.result, result)
	case <-c.ended:
		return fmt.Errorf("%s: the browser has ended", method)
	case <-ctx.Done():
		return fmt.Errorf("%s: no answer: %w", method, ctx.Err())
	}
}

// listen has a function called with each event of a session, one after the other; it must not wait for a call.
func (c *connection) listen(session string, to func(event)) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.sessions[session] = to
}

func (c *connection) read(in io.Reader) {
	defer close(c.ended)
	reader := bufio.NewReaderSize(in, 1<<20)
	for {
		text, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) == nil {
			c.take(m)
		}
	}
}

func (c *connection) take(m message) {
	c.mutex.Lock()
	call, listener := c.calls[m.ID], c.sessions[m.SessionID]
	delete(c.calls, m.ID)
	c.mutex.Unlock()
	switch {
	case m.Method != "" && listener != nil:
		listener(event{m.Method, m.Params})
	case call != nil && m.Error != nil:
		call <- reply{err: fmt.Errorf("%s", m.Error.Message)}
	case call != nil:
		call <- reply{result: m.Result}
	}
}
