package main

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"outrigger.dev/outrigger/tests/bench/bodies"
)

// patience bounds one exchange, far above any honest one.
const patience = 40 * time.Second

// conn is a connection to a target. It knows which life of the server it belongs to, since only the
// end of that life excuses a broken connection. Not safe for concurrent use.
type conn struct {
	net.Conn
	raw    *net.TCPConn
	target *target
	reader *bufio.Reader
	life   life
	answer []byte // reused
}

// reply is a whole answer. Body is valid until the next one.
type reply struct {
	status int
	close  bool
	body   []byte
}

// dialRaw connects without TLS, whatever the target speaks.
func (t *target) dialRaw() (*conn, error) {
	begin := t.now()
	raw, err := net.DialTimeout("tcp", t.host(), 10*time.Second)
	if err != nil {
		return nil, t.judge(begin, err)
	}
	c := &conn{Conn: raw, raw: raw.(*net.TCPConn), target: t, life: begin}
	return c, c.SetDeadline(time.Now().Add(patience))
}

// dial connects, through TLS with both sides verified where the target speaks it.
func (t *target) dial() (*conn, error) {
	if t.certificates == nil {
		return t.dialAs(nil)
	}
	return t.dialAs(t.certificates.config())
}

func (t *target) dialAs(config *tls.Config) (*conn, error) {
	c, err := t.dialRaw()
	if err != nil {
		return nil, err
	}
	if config != nil {
		secured := tls.Client(c.raw, config)
		if err := secured.Handshake(); err != nil {
			c.raw.Close()
			return nil, t.judge(c.life, fmt.Errorf("TLS handshake: %w", err))
		}
		c.Conn = secured
	}
	c.reader = bufio.NewReaderSize(c.Conn, 64<<10)
	return c, nil
}

// vanish ends the connection with a reset: whoever reads or writes there is told the hard way.
func (c *conn) vanish() {
	_ = c.raw.SetLinger(0)
	_ = c.raw.Close()
}

// send sends the parts. What breaks is excused only by the end of the server.
func (c *conn) send(parts ...[]byte) error {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return c.target.judge(c.life, err)
	}
	buffers := net.Buffers(parts)
	if _, err := buffers.WriteTo(c.Conn); err != nil {
		return c.target.judge(c.life, fmt.Errorf("send: %w", err))
	}
	return nil
}

// receive reads one whole answer. An answer without a length would hide that it was cut short.
func (c *conn) receive() (reply, error) {
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return reply{}, c.target.judge(c.life, fmt.Errorf("no answer: %w", err))
	}
	defer response.Body.Close()
	if response.ContentLength < 0 {
		return reply{}, errors.New("an answer without Content-Length")
	}
	if cap(c.answer) < int(response.ContentLength) {
		c.answer = make([]byte, response.ContentLength)
	}
	c.answer = c.answer[:response.ContentLength]
	if n, err := io.ReadFull(response.Body, c.answer); err != nil {
		return reply{}, c.target.judge(c.life, fmt.Errorf("answer cut short after %d of %d bytes: %w", n, len(c.answer), err))
	}
	return reply{response.StatusCode, response.Close, c.answer}, nil
}

// ask sends a question and checks all of the answer. It returns how long the answer took.
func (c *conn) ask(q *question) (time.Duration, error) {
	begin := time.Now()
	if err := c.send(bodies.Header(c.target.host(), q.path, len(q.body)), q.body); err != nil {
		return 0, err
	}
	return c.expect(q, begin)
}

func (c *conn) expect(q *question, begin time.Time) (time.Duration, error) {
	answer, err := c.receive()
	took := time.Since(begin)
	if err != nil {
		return took, err
	}
	c.target.saw(c.life, seen{answered: 1})
	if answer.status != http.StatusOK {
		return took, fmt.Errorf("%s: status %d: %.200s", q.path, answer.status, answer.body)
	}
	if err := q.check(answer.body); err != nil {
		return took, fmt.Errorf("wrong answer: %w", err)
	}
	return took, nil
}
