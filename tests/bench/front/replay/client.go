// Package replay measures an extender from outside its process: it replays recorded requests over a
// keep-alive connection, checks the answers, and reads what they cost the server.
package replay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// callTimeout bounds one call: far above any honest answer, so that a hung server ends the run.
const callTimeout = 2 * time.Minute

// Client is one keep-alive connection that sends one request again and again. It does no work of
// its own between first byte and last: what it measures is the server and the kernel. Not safe for
// concurrent use.
type Client struct {
	conn   *net.TCPConn
	reader *bufio.Reader
	header []byte
	body   []byte
	answer []byte
}

// Answer is what the server said. Body is valid until the next call.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Took is the time from the first byte sent to the last byte received.
	Took time.Duration
}

// Dial connects to address, HOST:PORT, for requests that carry body to path. The client keeps body
// and never changes it.
func Dial(address, path string, body []byte) (*Client, error) {
	conn, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &Client{
		conn:   conn.(*net.TCPConn),
		reader: bufio.NewReaderSize(conn, 64<<10),
		header: bodies.Header(address, path, len(body)),
		body:   body,
	}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Call sends the request once and reads the whole answer, whatever its status. After an error the
// connection is not usable any more.
func (c *Client) Call() (Answer, error) {
	if err := c.conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		return Answer{}, err
	}
	begin := time.Now()
	buffers := net.Buffers{c.header, c.body}
	_, sendError := buffers.WriteTo(c.conn)
	// A server that refuses a body answers and closes while we still send: its words count more.
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return Answer{}, fmt.Errorf("no answer: %w", errors.Join(sendError, err))
	}
	defer response.Body.Close()
	if err := c.read(response); err != nil {
		return Answer{}, fmt.Errorf("answer cut short after %d bytes: %w", len(c.answer), err)
	}
	took := time.Since(begin)
	if sendError != nil {
		return Answer{}, fmt.Errorf("request refused, status %d: %.200s: %w", response.StatusCode, c.answer, sendError)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: c.answer, Took: took}, nil
}

// read fills c.answer, whose memory is used again from call to call: fresh pages would cost more
// than receiving.
func (c *Client) read(response *http.Response) error {
	c.answer = c.answer[:0]
	if n := response.ContentLength; n > int64(cap(c.answer)) {
		c.answer = make([]byte, 0, n)
	}
	for {
		if len(c.answer) == cap(c.answer) {
			c.answer = append(c.answer, 0)[:len(c.answer)]
		}
		n, err := response.Body.Read(c.answer[len(c.answer):cap(c.answer)])
		c.answer = c.answer[:len(c.answer)+n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
