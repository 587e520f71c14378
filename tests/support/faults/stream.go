package faults

import (
	"bufio"
	"encoding/binary"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// Stream is the body of one answer on its way to the client. Only the goroutine that passes it on
// uses it.
type Stream struct {
	// Request is what is answered.
	Request *http.Request

	writer  http.ResponseWriter
	engaged []engaged
	ends    []func() // when the body has ended
}

// Send passes bytes to the client at once.
func (s *Stream) Send(bytes []byte) error {
	if _, err := s.writer.Write(bytes); err != nil {
		return err
	}
	return http.NewResponseController(s.writer).Flush()
}

// engaged is an injection that is at work on a stream.
type engaged struct {
	injection *Injection
	tamper    Tamper
}

// pass copies the body, event by event if it is a watch, in pieces as they come otherwise (a refusal is no
// stream of events), and lets the rules that hold at that moment have each piece. An error other than EOF
// cuts the connection.
func (p *Proxy) pass(w http.ResponseWriter, r *http.Request, response *http.Response) error {
	stream := &Stream{Request: r, writer: w}
	defer func() {
		for _, end := range stream.ends {
			end()
		}
	}()
	reader := bufio.NewReaderSize(response.Body, 64<<10)
	next := nextPiece
	switch {
	case !IsWatch(r) || response.StatusCode != http.StatusOK:
	case isProtobuf(w.Header()):
		next = nextFrame
	default:
		next = func(reader *bufio.Reader) ([]byte, error) { return reader.ReadBytes('\n') }
	}
	for {
		piece, err := next(reader)
		if len(piece) > 0 {
			if failed := p.sendThrough(stream, piece); failed != nil {
				return failed
			}
		}
		if err != nil {
			return err
		}
	}
}

func isProtobuf(header http.Header) bool {
	return strings.HasPrefix(header.Get("Content-Type"), runtime.ContentTypeProtobuf)
}

// nextFrame reads four bytes of length and as many bytes.
func nextFrame(reader *bufio.Reader) ([]byte, error) {
	length, err := reader.Peek(4)
	if err != nil {
		return nil, err
	}
	frame := make([]byte, 4+binary.BigEndian.Uint32(length))
	n, err := io.ReadFull(reader, frame)
	return frame[:n], err
}

func nextPiece(reader *bufio.Reader) ([]byte, error) {
	if _, err := reader.Peek(1); err != nil {
		return nil, err
	}
	piece := make([]byte, reader.Buffered())
	_, err := io.ReadFull(reader, piece)
	return piece, err
}

// sendThrough lets the first rule that holds have the piece; one that was at work on this stream
// before goes on even if it has been removed, since what was cut or has fallen silent does not heal.
func (p *Proxy) sendThrough(stream *Stream, piece []byte) error {
	p.engage(stream)
	for _, each := range stream.engaged {
		if each.tamper != nil {
			return each.tamper(stream, piece)
		}
	}
	return stream.Send(piece)
}
